//! Tells the program of `on_alarm` from the dashboard.

use std::time::Duration;

use crate::app::Event;
use crate::ops::tell::{Teller, Told};

/// Tells the program of `on_alarm` what has happened. Each run is shown on
/// Activity, and its failure as a message, too.
pub(super) async fn tell(teller: Teller, send: impl Fn(Event) + Send + Sync) {
    let Told { runs, failures } = teller.tell_together().await;
    for run in runs {
        send(Event::Exchange(run));
    }
    for failure in failures {
        send(Event::Warning(failure));
    }
}

/// Tells what is told some time after it happened, also where nothing is fetched: it
/// ends with the runtime.
pub(super) async fn tell_later(teller: Teller, send: impl Fn(Event) + Clone + Send + Sync) {
    /// How often it is looked for.
    const EVERY: Duration = Duration::from_secs(30);
    loop {
        tokio::time::sleep(EVERY).await;
        tell(teller.clone(), send.clone()).await;
    }
}
