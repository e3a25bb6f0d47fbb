//! Consequences for the archive where a deployment could not be fetched.

use uuid::Uuid;

use crate::app::alarms::judge::{AtHand, judge};
use crate::app::store::Store;
use crate::failure::refusal::Refusal;
use crate::failure::{Failure, FailureKind};
use crate::os::clock::unix_now;
use crate::watch::agenda::retry_after_s;

/// Records that a request for a watched deployment failed, and what that means for the alarm
/// that its service gives no usable response. The deployment itself may be silent all the
/// same.
///
/// The request `began` at this time, UNIX seconds.
pub(crate) async fn note_refusal(
    store: &Store,
    service: String,
    uuid: Uuid,
    began: f64,
    failure: &Failure,
) {
    if failure.kind == FailureKind::Interrupted {
        return;
    }
    store.remember_failure(uuid, failure.reason.clone());
    let failure = failure.clone();
    let last = store.last_requests().remove(&uuid).unwrap_or_default();
    let is_about_service = failure.kind == FailureKind::Unreachable;
    // That the archive cannot be written is reported with the next response.
    let noted = store.write(move |archive| {
        let was_readable =
            failure.is_refusal() && archive.reading(|archive| archive.has_answer(uuid))?;
        let now = unix_now();
        if was_readable && failure.means_no_fix() {
            archive.reached_without_fix(&service, uuid, now)?;
        } else if let Some((refusal, text)) = against(&service, &failure, was_readable) {
            let answered_at = archive.answered_at(&service, now)?;
            let refusal = refusal.beside_answer(began, answered_at);
            archive.unreached(&service, &text, uuid, began, refusal, now)?;
            let wait_s = retry_after_s(&failure);
            if wait_s > 0.0 {
                archive.asked_to_wait(&service, uuid, now + wait_s)?;
            }
        }
        Ok(())
    });
    if noted.await.is_ok() && !is_about_service {
        let at_hand = AtHand {
            last,
            ..AtHand::default()
        };
        let _ = judge(store, uuid, at_hand, unix_now()).await;
    }
}

/// The meaning of a failure for the service, and the text of its alarm; `None` if no request
/// was sent.
fn against(service: &str, failure: &Failure, was_readable: bool) -> Option<(Refusal, String)> {
    let refusal = if was_readable {
        Refusal::of_readable(failure)?
    } else {
        Refusal::from_failure(failure)?
    };
    let status = failure.service.as_ref().map(|error| error.status);
    let why = &failure.reason;
    let text = match (refusal, status) {
        (Refusal::Unconnected | Refusal::Unreached, _) => {
            format!("{service} cannot be reached: {why}")
        }
        (Refusal::BrokeOff, _) => format!("{service} gives no whole answer: {why}"),
        (Refusal::OfProgram, _) => format!("{service} gives no records: {why}"),
        (_, Some(401)) => format!("{service} refuses the token (401)"),
        (Refusal::Useless, Some(400..)) => format!("{service} answers with errors: {why}"),
        (Refusal::Useless, _) => format!("{service} answers without records: {why}"),
        (_, Some(_)) => format!("{service} refuses what was asked for: {why}"),
        (_, None) => format!("{service} gives no records: {why}"),
    };
    Some((refusal, text))
}
