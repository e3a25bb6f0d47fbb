//! The meaning of a failed request for the state of the service, and when a service counts as
//! failing: the alarm and the dashboard have the same rule.

use strum::FromRepr;

use super::{Failure, FailureKind};

/// A service counts as failing when it failed in one way for this many deployments since
/// its last usable answer. Failures of several ways at once are more likely those of
/// single deployments, while others are about to be answered.
const UNANSWERED: usize = 2;
/// For so long after a usable answer the service counts as answering, seconds.
const ANSWERS_S: f64 = 60.0;

/// The meaning of a failed request for the state of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No connection to it could be made, which says so of every deployment.
    Unconnected,
    /// It could not be reached.
    Unreached,
    /// It responded with an error, or without records.
    Useless,
    /// Its response broke off.
    BrokeOff,
    /// The program that requests it failed for this deployment: it runs for each by itself.
    OfProgram,
    /// It responded that this deployment is not available.
    OfDeployment,
    /// The same of a deployment that was readable: it, the token, or the service.
    Withdrawn,
    /// It failed for this deployment in any way while it answered for others.
    AmongAnswers,
}

impl Refusal {
    /// The meaning of a failure for the service; `None` if no request was sent.
    pub(crate) fn from_failure(failure: &Failure) -> Option<Self> {
        let status = failure.service.as_ref().map(|said| said.status);
        Some(match (failure.kind, status) {
            (FailureKind::Service | FailureKind::NotUnderstood, None)
                if failure.is_of_deployment =>
            {
                Self::OfProgram
            }
            (FailureKind::Unreachable, _) if failure.is_of_deployment => Self::BrokeOff,
            _ if failure.is_of_deployment => Self::OfDeployment,
            (FailureKind::Unreachable, _) if failure.is_unconnected => Self::Unconnected,
            (FailureKind::Unreachable, _) => Self::Unreached,
            // 400 is what the interface names for a deployment that it does not have.
            (FailureKind::Forbidden, _)
            | (FailureKind::Service, Some(400 | 422))
            | (_, Some(404 | 410)) => Self::OfDeployment,
            (FailureKind::NotAuthenticated, Some(_))
            | (FailureKind::Service | FailureKind::NotUnderstood, _) => Self::Useless,
            _ => return None,
        })
    }

    /// The meaning of this refusal of a request that began at a time, where the service had its
    /// last usable answer at another (both UNIX seconds): within a minute of it, or while the
    /// request waited, the service answers, and what fails is the deployment. Only what
    /// could not connect after that answer says that the service has gone.
    pub(crate) fn beside_answer(self, began: f64, answered_at: f64) -> Self {
        let answers_s = match self {
            Self::Unconnected => 0.0,
            _ => ANSWERS_S,
        };
        if began < answered_at + answers_s {
            Self::AmongAnswers
        } else {
            self
        }
    }

    /// The meaning of a failure for the service where the deployment was readable before.
    pub(crate) fn of_readable(failure: &Failure) -> Option<Self> {
        if failure.is_refusal() {
            Some(Self::Withdrawn)
        } else {
            Self::from_failure(failure)
        }
    }
}

/// The state of a deployment for which a service gave no usable answer, with its number in
/// the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRepr)]
#[repr(i64)]
pub(crate) enum Unanswered {
    /// The service was not reached.
    NotReached = 0,
    /// It had no usable response, and no other had since.
    NoUse = 1,
    /// It had no usable response, or none at all, while others had: this says nothing about the
    /// service, until it has one.
    Alone = 2,
    /// It is not available, and there was no usable response for another since.
    Refused = 3,
    /// The same of a deployment that was readable.
    Withdrawn = 4,
    /// Its response broke off.
    BrokeOff = 5,
    /// It broke off again, and no other was usable since.
    BrokeOffAgain = 6,
    /// No connection could be made, twice in a row.
    NotReachedAgain = 7,
}

impl Unanswered {
    /// `true` if it says nothing of the service while others fail in other ways.
    pub(crate) fn is_of_deployment(self) -> bool {
        matches!(self, Self::Alone | Self::Refused)
    }

    /// The state of a deployment after a refusal, with its state before it.
    pub(crate) fn after(refusal: Refusal, before: Option<Self>) -> Self {
        match (refusal, before) {
            (Refusal::Unconnected, Some(Self::NotReached | Self::NotReachedAgain)) => {
                Self::NotReachedAgain
            }
            (Refusal::Unconnected, _) => Self::NotReached,
            (_, Some(Self::Alone)) | (Refusal::AmongAnswers, _) => Self::Alone,
            (Refusal::BrokeOff, Some(Self::BrokeOff | Self::BrokeOffAgain)) => Self::BrokeOffAgain,
            (Refusal::BrokeOff, _) => Self::BrokeOff,
            (Refusal::Unreached, _) => Self::NotReached,
            (Refusal::Useless | Refusal::OfProgram, _) => Self::NoUse,
            (Refusal::OfDeployment, _) => Self::Refused,
            (Refusal::Withdrawn, _) => Self::Withdrawn,
        }
    }
}

/// `true` if a service counts as failing after this refusal: it failed in the same way for
/// two deployments since its last usable answer, or in any way for all of them, or no connection
/// could be made, twice in a row for a deployment. Answers that break
/// off may be those of single deployments, and say so of the service when they break off again for
/// more than half. `known`
/// has one entry for each deployment without a usable answer, `active` is how many
/// deployments are asked for.
pub(crate) fn service_fails(refusal: Refusal, known: &[Unanswered], active: usize) -> bool {
    let count = |state: Unanswered| known.iter().filter(|known| **known == state).count();
    let alone = count(Unanswered::Alone);
    // Those that fail while others do not say nothing, unless there are no others.
    let (failed, asked) = if alone < active {
        (known.len() - alone, active - alone)
    } else {
        (known.len(), active)
    };
    let in_the_same_way = match refusal {
        Refusal::OfDeployment | Refusal::OfProgram | Refusal::AmongAnswers => 0,
        Refusal::Unconnected if count(Unanswered::NotReachedAgain) > 0 => UNANSWERED,
        Refusal::Unconnected | Refusal::Unreached => {
            count(Unanswered::NotReached) + count(Unanswered::NotReachedAgain)
        }
        Refusal::Useless => count(Unanswered::NoUse),
        Refusal::BrokeOff if 2 * count(Unanswered::BrokeOffAgain) > asked => UNANSWERED,
        Refusal::BrokeOff => 0,
        Refusal::Withdrawn => count(Unanswered::Withdrawn),
    };
    in_the_same_way >= UNANSWERED || failed >= asked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::ServiceError;

    /// A failure of a kind with a status of the service; 0: without one.
    fn failure(kind: FailureKind, status: u16) -> Failure {
        let service = (status > 0).then(|| {
            Box::new(ServiceError {
                status,
                ..ServiceError::default()
            })
        });
        Failure {
            service,
            ..Failure::new(kind, "why", "")
        }
    }

    #[test]
    fn a_failure_is_about_the_deployment_or_the_service_or_about_neither() {
        use FailureKind as Kind;
        for (kind, status, expected) in [
            (Kind::Unreachable, 0, Some(Refusal::Unreached)),
            (Kind::Service, 500, Some(Refusal::Useless)),
            (Kind::Service, 429, Some(Refusal::Useless)),
            (Kind::NotUnderstood, 200, Some(Refusal::Useless)),
            (Kind::NotAuthenticated, 401, Some(Refusal::Useless)),
            (Kind::Service, 404, Some(Refusal::OfDeployment)),
            (Kind::Service, 400, Some(Refusal::OfDeployment)),
            (Kind::Forbidden, 403, Some(Refusal::OfDeployment)),
            (Kind::NotAuthenticated, 0, None),
            (Kind::Other, 0, None),
            (Kind::Interrupted, 0, None),
        ] {
            assert_eq!(
                Refusal::from_failure(&failure(kind, status)),
                expected,
                "{kind:?} {status}"
            );
        }
        let broken = Failure {
            is_of_deployment: true,
            ..failure(Kind::Unreachable, 0)
        };
        assert_eq!(Refusal::from_failure(&broken), Some(Refusal::BrokeOff));
        let program = Failure {
            is_of_deployment: true,
            ..failure(Kind::Service, 0)
        };
        assert_eq!(Refusal::from_failure(&program), Some(Refusal::OfProgram));
    }

    #[test]
    fn a_service_fails_with_two_deployments_and_with_all_that_it_refuses_one_by_one() {
        use Unanswered::{Alone, NoUse, NotReached, Refused, Withdrawn};
        // What was readable a moment ago is refused for two: the service or the token.
        assert!(!service_fails(Refusal::Withdrawn, &[Withdrawn], 5));
        assert!(service_fails(
            Refusal::Withdrawn,
            &[Withdrawn, Withdrawn],
            5
        ));
        assert!(!service_fails(Refusal::Withdrawn, &[Withdrawn, Alone], 5));
        assert!(service_fails(Refusal::Withdrawn, &[Withdrawn], 1));
        assert!(!service_fails(Refusal::Useless, &[NoUse], 5));
        assert!(service_fails(Refusal::Useless, &[NoUse, NoUse], 5));
        assert!(service_fails(Refusal::Useless, &[NoUse], 1));
        // A program may fail for two while it is still running for the third.
        assert!(!service_fails(Refusal::OfProgram, &[NoUse, NoUse], 3));
        assert!(service_fails(Refusal::OfProgram, &[NoUse; 3], 3));
        assert!(!service_fails(Refusal::OfDeployment, &[Refused; 4], 5));
        assert!(service_fails(Refusal::OfDeployment, &[Refused; 5], 5));
        // Answers that break off, for the second time each, and of a deployment in two.
        let first = Unanswered::after(Refusal::BrokeOff, None);
        let again = Unanswered::after(Refusal::BrokeOff, Some(first));
        assert_eq!(Unanswered::after(Refusal::BrokeOff, Some(again)), again);
        assert!(!service_fails(Refusal::BrokeOff, &[first; 5], 6));
        assert!(!service_fails(Refusal::BrokeOff, &[again; 3], 6));
        assert!(service_fails(Refusal::BrokeOff, &[again; 4], 6));
        // No connection: the minute after an answer does not matter, nor that the deployment had
        // failed alone before; twice in a row is enough.
        let unconnected = Refusal::Unconnected.beside_answer(1.0, 0.0);
        assert_eq!(unconnected, Refusal::Unconnected);
        assert_eq!(unconnected.beside_answer(1.0, 2.0), Refusal::AmongAnswers);
        let first = Unanswered::after(unconnected, Some(Alone));
        assert_eq!(first, NotReached);
        assert!(!service_fails(unconnected, &[first], 3));
        assert!(service_fails(unconnected, &[first, first], 7));
        let again = Unanswered::after(unconnected, Some(first));
        assert!(service_fails(unconnected, &[again], 3));
        // One of each way, while three others are not answered yet; then all of them.
        let ways = [NoUse, NotReached, Refused];
        assert!(!service_fails(Refusal::Unreached, &ways, 6));
        assert!(!service_fails(Refusal::Useless, &ways, 6));
        assert!(service_fails(Refusal::Useless, &ways, 3));
        // One that failed while others did not counts when there is no other left: two that never
        // answer do not stop the others.
        let alone = Unanswered::after(Refusal::Unreached, Some(Alone));
        assert!(!service_fails(Refusal::Unreached, &[alone, alone], 3));
        assert!(service_fails(
            Refusal::Unreached,
            &[alone, alone, NotReached],
            3
        ));
        assert!(!service_fails(Refusal::OfDeployment, &[Alone], 5));
        assert!(service_fails(
            Refusal::OfDeployment,
            &[Alone, NoUse, NoUse],
            3
        ));
        assert!(service_fails(Refusal::OfDeployment, &[Alone; 3], 3));
    }
}
