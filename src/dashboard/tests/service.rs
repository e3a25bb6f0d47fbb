//! The state of the service, by the answers for all deployments.

use super::*;
use crate::failure::ServiceError;

/// A failure with a status of the service; 0: a body that cannot be used.
fn answered(status: u16) -> Failure {
    let kind = match status {
        0 => FailureKind::NotUnderstood,
        _ => FailureKind::Service,
    };
    Failure {
        service: Some(Box::new(ServiceError {
            status,
            ..ServiceError::default()
        })),
        ..failure(kind)
    }
}

#[test]
fn a_service_that_fails_for_all_deployments_is_not_called_connected() {
    let end = |model: &mut Dashboard, (request, deployment), outcome| {
        let ended = updated((request, deployment), outcome);
        send(model, ended)
    };
    for status in [500, 503, 0] {
        let mut model = model(2);
        let asked = fetches(&send(&mut model, Event::Now(NOW)));
        for one in &asked {
            end(&mut model, *one, Err(answered(status)));
            assert!(
                matches!(&model.service.connection, Connection::Failing(failure, _) if *failure == answered(status))
            );
        }
        // The first usable answer connects again, and one deployment that fails next to
        // it changes nothing.
        let asked = fetches(&send(&mut model, Event::Now(NOW + 600.0)));
        assert_eq!(asked.len(), 1, "one tries for both");
        let asked = fetches(&end(&mut model, asked[0], Ok(arrival(3))));
        assert!(matches!(model.service.connection, Connection::Good(_)));
        end(&mut model, asked[0], Err(answered(status)));
        assert!(matches!(model.service.connection, Connection::Good(_)));
        // Until that one fails too.
        let asked = fetches(&press(&mut model, KeyCode::Char('r')));
        for one in asked {
            end(&mut model, one, Err(answered(status)));
        }
        assert!(matches!(model.service.connection, Connection::Failing(..)));
    }
    // A status about one deployment is the answer of a service that works, until all
    // deployments fail.
    for status in [400, 404, 422] {
        let mut model = model(2);
        let asked = fetches(&send(&mut model, Event::Now(NOW)));
        end(&mut model, asked[0], Err(answered(status)));
        assert!(matches!(model.service.connection, Connection::Good(_)));
        end(&mut model, asked[1], Err(answered(500)));
        assert!(matches!(model.service.connection, Connection::Failing(..)));
        assert_eq!(model.deployments.agenda.service().mixed(), Some((2, 2)));
    }
}

#[test]
fn what_comes_due_is_not_known_from_the_first_request_that_fails() {
    let mut model = model(1);
    fetched_at_start(&mut model, |_| {
        Ok(super::schedule::reporting(15.0, NOW, NOW))
    });
    let shown = |model: &mut Dashboard| {
        model.before_frame();
        crate::dashboard::tests::screens::screen(model, 100, 30, Default::default())
    };
    // A refresh that may not come sooner is no silence.
    let asked = fetches(&send(&mut model, Event::Now(NOW + 60.0)));
    assert!(shown(&mut model).contains("1 of 1 on time"));
    send(
        &mut model,
        updated(asked[0], Err(failure(FailureKind::Unreachable))),
    );
    let failed = shown(&mut model);
    assert!(!failed.contains("1 of 1 on time"), "{failed}");
    assert_eq!(failed.matches("not known").count(), 2, "{failed}");
    assert!(
        !model.deployments.list[0]
            .recent_reports(NOW + 60.0)
            .contains(&false)
    );
}

#[test]
fn a_service_that_refuses_every_deployment_is_not_called_connected() {
    let ends = |model: &mut Dashboard, (request, deployment), outcome| {
        let ended = updated((request, deployment), outcome);
        send(model, ended);
    };
    let is_failing =
        |model: &Dashboard| matches!(model.service.connection, Connection::Failing(..));
    let forbidden = || Failure {
        service: Some(Box::new(ServiceError {
            status: 403,
            ..ServiceError::default()
        })),
        ..failure(FailureKind::Forbidden)
    };
    for status in [400, 403, 404, 410] {
        let failed = || match status {
            403 => forbidden(),
            _ => answered(status),
        };
        let mut model = model(3);
        let asked = fetches(&send(&mut model, Event::Now(NOW)));
        // A token that reads one of them is a good one.
        ends(&mut model, asked[0], Ok(arrival(3)));
        ends(&mut model, asked[1], Err(failed()));
        ends(&mut model, asked[2], Err(failed()));
        assert!(!is_failing(&model), "{status}");
        let asked = fetches(&press(&mut model, KeyCode::Char('r')));
        for (place, one) in asked.iter().enumerate() {
            assert!(!is_failing(&model), "{status} {place}");
            ends(&mut model, *one, Err(failed()));
            if place == 0 {
                break;
            }
        }
        // With the last one that had an answer, all fail.
        assert!(is_failing(&model), "{status}");
        assert_eq!(model.deployments.agenda.service().mixed(), None);
        // It stays so until a usable answer, as the alarm does.
        ends(&mut model, asked[1], Err(failed()));
        assert!(is_failing(&model), "{status}");
        ends(&mut model, asked[2], Ok(arrival(3)));
        assert!(!is_failing(&model), "{status}");
    }
}

#[test]
fn a_deployment_that_no_alarm_is_raised_for_says_nothing_of_the_service() {
    let mut model = model(2);
    model.deployments.list[1].deployment.state = crate::track::DeclaredState::Recovered;
    let asked = fetches(&send(&mut model, Event::Now(NOW)));
    for (request, deployment) in asked {
        let is_first = deployment == model.deployments.list[0].deployment.id.uuid;
        let status = if is_first { 404 } else { 400 };
        let outcome = Err(answered(status));
        send(&mut model, updated((request, deployment), outcome));
    }
    assert!(matches!(model.service.connection, Connection::Failing(..)));
    assert_eq!(model.deployments.agenda.service().mixed(), None);
}

#[test]
fn tracks_of_files_have_neither_the_hints_of_the_demo_nor_a_connection() {
    let mut model = model(1);
    model.service.source = TrackSource::Files;
    send(&mut model, Event::Started);
    assert!(
        model.messages.notice.is_none(),
        "{:?}",
        model.messages.notice
    );
    model.service.connection = Connection::Good(NOW);
    let shown = crate::dashboard::tests::screens::screen(&mut model, 100, 30, Default::default());
    assert!(!shown.contains("connected"), "{shown}");
    assert!(!shown.contains("service.example"), "{shown}");
    // A file is read, not asked.
    for request in fetches(&send(&mut model, Event::Now(NOW))) {
        send(&mut model, updated(request, Ok(arrival(3))));
    }
    let shown = crate::dashboard::tests::screens::screen(&mut model, 100, 30, Default::default());
    assert!(shown.contains("reading in"), "{shown}");
    assert!(!shown.contains("asks"), "{shown}");
    assert!(!shown.contains("reports"), "{shown}");
    // One that has ended is not read for what follows.
    model.deployments.list[0].deployment.state = crate::track::DeclaredState::Read;
    send(&mut model, Event::Now(NOW + 1e7));
    let shown = crate::dashboard::tests::screens::screen(&mut model, 100, 30, Default::default());
    assert!(shown.contains("ended"), "{shown}");
    assert!(!shown.contains("reading in"), "{shown}");
}

#[test]
fn none_on_time_is_not_in_the_colour_of_good() {
    for (records, sign) in [(0, "○ 0 of 1 on time"), (30, "● 1 of 1 on time")] {
        let mut model = model(1);
        for request in fetches(&send(&mut model, Event::Now(NOW))) {
            send(&mut model, updated(request, Ok(arrival(records))));
        }
        let shown =
            crate::dashboard::tests::screens::screen(&mut model, 100, 30, Default::default());
        assert!(shown.contains(sign), "{shown}");
    }
}
