//! The readings of times that whole columns show.

use super::{Clock, of_day};
use crate::formats::read::dates::Moment;
use crate::formats::read::readings::Settled;

impl Clock {
    /// The readings that the whole columns have shown, and `true` if cells were read otherwise.
    pub(in crate::formats::read) fn settled(&self) -> (Settled, bool) {
        let is_month_first = self
            .order
            .majority()
            .is_some_and(|(is_second, _)| is_second);
        // A few numbers that are no dates are no times: 0, 99999999.
        let others = self.packed.count(|bits| bits & 1 == 0);
        let is_unix = 2 * others >= self.packed.count(|_| true);
        let [order, packed] = [is_month_first, is_unix].map(usize::from);
        let of_day = of_day::reading(&self.of_day);
        let zone_of_blanks = self.column.zone_of_blanks();
        let is_to_change = self.order.is_to_change(order)
            || self.packed.is_to_change(packed)
            || self.of_day.is_to_change(of_day)
            || zone_of_blanks.is_some();
        let settled = Settled {
            zone_of_blanks,
            order: Some(order),
            packed: Some(packed),
            of_day: Some(of_day),
            positions: None,
        };
        (settled, is_to_change)
    }

    /// Both readings of dates or times of day of which no time shows the right one.
    pub(in crate::formats::read) fn unsettled(&self) -> Option<String> {
        let Some(example) = self.order.open() else {
            return of_day::unsettled(&self.of_day);
        };
        let moment = Moment::read(example)?;
        let [day_first, month_first] = moment.dates;
        Some(format!(
            "'{example}' is {} or {}, and no time of the column shows which: choose with \
             --time-format, such as '%d/%m/%Y %H:%M:%S' or '%m/%d/%Y %H:%M:%S'",
            day_first?, month_first?
        ))
    }
}
