//! Reads the alarms after fetches: however many end, once at a time and not more
//! often than a person could see.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::app::Event;
use crate::ops::store::Store;

/// The least time from one reading to the next.
const REST: Duration = Duration::from_millis(500);

/// Asks for the alarms to be read.
#[derive(Debug, Clone)]
pub(super) struct AlarmLook {
    wanted: Arc<Notify>,
}

impl AlarmLook {
    /// One whose readings are sent as events.
    pub(super) fn new(store: Store, send: impl Fn(Event) + Send + Sync + 'static) -> Self {
        let wanted = Arc::new(Notify::new());
        let asked = Arc::clone(&wanted);
        // It ends with the runtime.
        tokio::spawn(async move {
            loop {
                asked.notified().await;
                read_alarms(&store, true, &send).await;
                tokio::time::sleep(REST).await;
            }
        });
        Self { wanted }
    }

    /// Reads the alarms soon.
    pub(super) fn look(&self) {
        self.wanted.notify_one();
    }
}

/// Sends the alarms, where they may have changed, or in any case (`again`). If
/// they cannot be read, those shown stay: whatever reads the archive next says why.
pub(super) async fn read_alarms(store: &Store, again: bool, send: &(impl Fn(Event) + Sync)) {
    if let Ok(Some(alarms)) = store.recent_alarms(again).await {
        send(Event::Alarms(alarms));
    }
}
