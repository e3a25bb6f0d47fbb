//! Follows the alarms: reads them for the screen and notifies the program of `on_alarm`,
//! whenever they may have changed.

use std::time::Duration;

use crate::app::alarms::notify::{Notified, Notifier};
use crate::app::store::Store;
use crate::dashboard::event::Event;

/// The least time between two readings, however many fetches end: no user sees more.
const REST: Duration = Duration::from_millis(500);
/// Some notifications are due some time after their event, also if nothing is fetched:
/// pending ones are looked for this often.
const NOTIFY_EVERY: Duration = Duration::from_secs(30);

/// Reads the alarms whenever they may have changed. It ends with the runtime.
pub(super) fn follow(
    store: Store,
    send: impl Fn(Event) + Send + Sync,
) -> impl Future<Output = ()> + Send {
    let mut changes = store.alarm_changes();
    async move {
        while changes.changed().await.is_ok() {
            read_alarms(&store, &send).await;
            tokio::time::sleep(REST).await;
        }
    }
}

/// Notifies the program of `on_alarm` whenever alarms may have changed. Each run is shown on
/// Activity, and its failure as a message, too. It ends with the runtime.
pub(super) async fn notify(notifier: Notifier, store: Store, send: impl Fn(Event) + Send + Sync) {
    let mut changes = store.alarm_changes();
    loop {
        let _ = tokio::time::timeout(NOTIFY_EVERY, changes.changed()).await;
        let Notified { runs, failures } = notifier.notify_together().await;
        for run in runs {
            send(Event::Exchange(run));
        }
        for failure in failures {
            send(Event::Warning(failure));
        }
    }
}

/// Sends the alarms. If they cannot be read, the shown ones stay; the next read of the
/// archive reports the fault.
pub(super) async fn read_alarms<S: Fn(Event) + Sync>(store: &Store, send: &S) {
    if let Ok(alarms) = store.recent_alarms().await {
        send(Event::Alarms(alarms));
        let unjudged = store.read(|archive| archive.unjudged()).await;
        send(Event::Unjudged(unjudged.unwrap_or_default()));
    }
}
