//! The alarms that a changed entry raises at once, by the fixes that are stored.

use std::collections::HashSet;

use uuid::Uuid;

use crate::alarm::{Alarm, Length};
use crate::app::alarms::judge::judge_archived;
use crate::app::store::Store;
use crate::archive::Archive;
use crate::cli::output::{note, warn};
use crate::cli::run::Run;
use crate::failure::Failure;
use crate::geo::Units;
use crate::os::clock::unix_now;
use crate::text;
use crate::track::time;

/// Judges the stored fixes of a deployment by its changed entry, prints the alarms that this
/// raises, and notifies. Failures are printed: the entry is changed, and the next response is
/// judged by it.
pub(super) async fn note_raised(uuid: Uuid, run: &Run) {
    let settings = &run.settings;
    match raised(uuid, &run.store).await {
        Ok(raised) => {
            let notified = if settings.on_alarm.is_empty() {
                ""
            } else {
                "; on_alarm is notified"
            };
            for alarm in &raised {
                let message = message(alarm, settings.units, unix_now());
                note(&format!("{message}{notified}"));
            }
        }
        Err(failure) => warn(format_args!(
            "the stored fixes could not be judged by it: {failure}"
        )),
    }
    run.notify().await;
}

/// The new alarms of a deployment by its stored fixes.
async fn raised(uuid: Uuid, store: &Store) -> Result<Vec<Alarm>, Failure> {
    let standing = async || -> Result<Vec<Alarm>, Failure> {
        let mut alarms = store.read(Archive::active_alarms).await?;
        alarms.retain(|alarm| alarm.uuid() == Some(uuid));
        Ok(alarms)
    };
    let before = standing().await?.into_iter().map(|alarm| alarm.id);
    let before: HashSet<String> = before.collect();
    judge_archived(store, uuid).await?;
    let mut raised = standing().await?;
    raised.retain(|alarm| !before.contains(&alarm.id));
    Ok(raised)
}

/// The message about an alarm that is raised at once.
fn message(alarm: &Alarm, units: Units, now: f64) -> String {
    let words = alarm.words(alarm.current(None, None, now));
    format!(
        "alarm {}, raised {}: {}",
        alarm.id,
        time::rfc3339(alarm.raised_at.floor()),
        text::excerpt(&words.write(Length::Full, units), 400),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alarm::Kind;
    use crate::testing::dashboard::alarm;

    #[test]
    fn an_alarm_that_is_raised_at_once_is_named_with_its_start_and_its_numbers() {
        const NOW: f64 = 1.8e9;
        let old = alarm("abc123", Some(Uuid::nil()), Kind::Outside, NOW, 90_000.0);
        assert_eq!(
            message(&old, Units::Metric, NOW),
            "alarm abc123, raised 2027-01-14T07:00:00Z: outside its watch circle: \
             240 m from the centre, limit 200 m"
        );
    }
}
