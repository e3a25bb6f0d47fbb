//! What a changed entry raises at once, by the fixes that are stored.

use std::collections::HashSet;

use uuid::Uuid;

use crate::alarm::{self, Alarm};
use crate::cli::alarms;
use crate::cli::output::note;
use crate::failure::Failure;
use crate::ops::store::Store;
use crate::settings::Settings;
use crate::text;
use crate::track::time;

/// Holds the stored fixes of a deployment to its changed entry, says what that raises,
/// and tells it to the program of `on_alarm`. What goes wrong is said: the entry is
/// changed, and the next response is judged by it.
pub(super) async fn say_what_it_raises(uuid: Uuid, settings: &Settings, store: &Store) {
    match raised(uuid, store).await {
        Ok(raised) => {
            for one in &raised {
                note(&words(one, !settings.on_alarm.is_empty()));
            }
        }
        Err(failure) => note(&format!(
            "driftline: the stored fixes could not be judged by it: {failure}"
        )),
    }
    alarms::tell(settings, store).await;
}

/// The alarms of a deployment that its stored fixes raise now and that did not stand
/// before.
async fn raised(uuid: Uuid, store: &Store) -> Result<Vec<Alarm>, Failure> {
    let standing = async || -> Result<Vec<Alarm>, Failure> {
        let mut alarms = store.alarms(false).await?;
        alarms.retain(|one| one.deployment == Some(uuid));
        Ok(alarms)
    };
    let before = standing().await?.into_iter().map(|one| one.id);
    let before: HashSet<String> = before.collect();
    store.judge_again(uuid).await?;
    let mut raised = standing().await?;
    raised.retain(|one| !before.contains(&one.id));
    Ok(raised)
}

/// What is said of an alarm that is raised at once: what is older than a day is not told,
/// and no reminder follows.
fn words(alarm: &Alarm, has_program: bool) -> String {
    let told = match (alarm::is_told(alarm.raised_at, alarm.seen_at), has_program) {
        (false, _) => {
            "; it began more than a day ago: it is recorded, and not told to anybody, now or as a reminder"
        }
        (true, true) => "; on_alarm is told",
        (true, false) => "",
    };
    format!(
        "alarm {} is raised, since {}: {}{told}",
        alarm.id,
        time::rfc3339(alarm.raised_at.floor()),
        text::excerpt(&alarm.text, 300),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alarm::Kind;
    use crate::testing::dashboard::alarm;

    #[test]
    fn what_began_more_than_a_day_ago_is_said_not_to_be_told() {
        const NOW: f64 = 1.8e9;
        let old = Alarm {
            seen_at: NOW,
            ..alarm("abc123", Some(Uuid::nil()), Kind::Outside, NOW, 90_000.0)
        };
        let said = words(&old, true);
        assert!(said.starts_with("alarm abc123 is raised, since 2027-01-14T07:00:00Z: outside"));
        assert!(
            said.contains("more than a day ago") && said.contains("not told"),
            "{said}"
        );
        let recent = alarm("abc123", Some(Uuid::nil()), Kind::Outside, NOW, 60.0);
        assert!(words(&recent, true).ends_with("; on_alarm is told"));
        assert!(!words(&recent, false).contains("told"));
    }
}
