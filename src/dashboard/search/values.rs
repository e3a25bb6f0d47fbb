//! The last values of fields, which a list is searched and filtered by.

use uuid::Uuid;

use crate::dashboard::effect::Effect;
use crate::dashboard::model::Model;
use crate::dashboard::tab::Tab;
use crate::track::query::is_quantity;

/// The fewest letters of a field's name in a hint.
const SHORTEST: usize = 3;

impl Model {
    /// Has the last values of the fields of these deployments known: a track that was read
    /// from a file has its fields.
    pub(in crate::dashboard) fn read_last_values(
        &mut self,
        is_wanted: impl Fn(Uuid) -> bool,
    ) -> Vec<Effect> {
        if self.tab != Tab::Deployments {
            return Vec::new();
        }
        let mut others = Vec::new();
        let list = self.deployments.list.iter_mut();
        for one in list.filter(|one| is_wanted(one.deployment.uuid)) {
            match one.track.get().filter(|track| !track.fields().is_empty()) {
                Some(track) => one.last_values = track.last_values(),
                None => others.push(one.deployment.clone()),
            }
        }
        vec![Effect::ReadLastValues(others)]
    }

    /// Takes the last values of deployments. A filter, and a search that is being typed,
    /// read the names of the fields again.
    pub(in crate::dashboard) fn last_values_read(
        &mut self,
        all: Vec<(Uuid, Vec<(String, f64)>)>,
    ) -> Vec<Effect> {
        for (uuid, values) in all {
            if let Some(one) = self.deployments.get_mut(uuid) {
                one.last_values = values;
            }
        }
        if self.tab != Tab::Deployments {
            return Vec::new();
        }
        let filter = self.deployments.filter.text().to_owned();
        if !filter.is_empty() {
            self.set_filter(&filter);
        }
        let search = self.search.as_ref().filter(|search| !search.is_typed);
        match search.map(|search| search.query.text().to_owned()) {
            Some(text) => self.find(&text),
            None => Vec::new(),
        }
    }

    /// Comparisons with two fields of the open track, as a hint: their names as short as
    /// they may be typed, and values that they have. Empty where no field varies.
    pub(in crate::dashboard) fn example_of_fields(&self) -> String {
        let Some(charts) = &self.track.fields.charts else {
            return String::new();
        };
        let names: Vec<String> = charts.names().map(str::to_lowercase).collect();
        let is_word =
            |name: &str| !name.contains(|one: char| one.is_whitespace() || one.is_control());
        let varying = charts.varying().iter();
        let single = varying.filter(|field| !field.is_profile() && is_word(field.name()));
        let examples = single.filter_map(|field| {
            let whole = field.name().to_lowercase();
            let is_own = |beginning: &&str| {
                let all = names.iter().filter(|name| name.starts_with(beginning));
                all.count() == 1 && !is_quantity(beginning)
            };
            let lengths = whole.char_indices().skip(SHORTEST).map(|(at, _)| at);
            let beginnings = lengths.filter_map(|at| whole.get(..at));
            let name = beginnings.chain([whole.as_str()]).find(is_own)?;
            let middle = f64::midpoint(field.ends().low, field.ends().high);
            let middle = (middle * 10.0).round() / 10.0;
            Some(format!("{name}<{middle} "))
        });
        examples.take(2).collect()
    }
}
