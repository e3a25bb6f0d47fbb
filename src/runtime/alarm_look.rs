//! Reads the alarms after fetches: however many end, once at a time and not more
//! often than a person could see.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use super::effects::read_alarms;
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
