//! The screens of a deployment that has data and whose last refresh failed.

use super::frames::{can, words};
use crate::dashboard::tests::screens::*;
use crate::failure::ServiceError;

/// The message of the service, more than a pane has room for.
const MESSAGE: &str = "the database of tracks is locked by the nightly maintenance of the storage, and the request was rolled back after 30 s; the operators know of it and expect an end at 06:00 UTC; quote incident 20260921-0417 if you write to them";

/// The watch list with the first deployment selected: its track came, and the refresh
/// 12 s ago failed with a long error.
fn failing() -> Dashboard {
    let mut model = model();
    let failure = Failure {
        service: Some(Box::new(ServiceError {
            status: 500,
            message: Some(MESSAGE.to_owned()),
            ..ServiceError::default()
        })),
        ..Failure::new(
            FailureKind::Service,
            format!("the service answered 500 Internal Server Error: {MESSAGE}"),
            "Try again later; if it stays, tell the service's operator.",
        )
    };
    screen(&mut model, 80, 24, can());
    keys(&mut model, "gjj");
    let uuid = model.selected().unwrap().deployment.id.uuid;
    let asked = update(&mut model, Event::Key(Key::plain(KeyCode::Char('r'))));
    let asked = asked.iter().find_map(|effect| match effect {
        Effect::Update(Fetch {
            request,
            of: crate::watch::FetchRequest { deployment, .. },
            ..
        }) if *deployment == uuid.into() => Some(*request),
        _ => None,
    });
    let event = updated((asked.unwrap(), uuid), Err(failure));
    update(&mut model, event);
    update(&mut model, Event::Now(NOW + 12.0));
    assert_eq!(model.selected().unwrap().name(), "ice 7");
    model
}

/// The lines of the pane right of the world map.
fn detail(shown: &str, model: &Dashboard) -> Vec<String> {
    let pane = model.layout().summary;
    let lines = shown.lines().skip(usize::from(pane.y));
    let lines = lines.take(usize::from(pane.height));
    let cells = |line: &str| -> String {
        let line = line.split('"').nth(1).unwrap_or_default();
        let right = line.trim_end_matches('│').rsplit('│').next();
        right.unwrap_or_default().trim().to_owned()
    };
    lines.map(cells).collect()
}

#[test]
fn a_long_error_leaves_the_rows_of_the_instrument_in_the_detail() {
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let mut model = failing();
        let shown = screen(&mut model, width, height, can());
        let pane = detail(&shown, &model);
        for label in ["failed", "fix time", "next"] {
            let has = pane.iter().any(|line| line.starts_with(label));
            assert!(has, "{label} at {width}x{height}: {shown}");
        }
        let all = words(&pane.join(" "));
        assert!(all.contains("due in"), "{shown}");
        if width == 160 {
            assert!(all.contains(MESSAGE) && all.contains("platform"), "{shown}");
        }
        if width == 80 {
            let from = pane.iter().position(|line| line.starts_with("failed"));
            let error = &pane[from.unwrap()..from.unwrap() + 2];
            assert!(error[0].contains("12 s ago, 500:"), "{shown}");
            assert!(error[1].ends_with('…'), "{shown}");
            assert!(pane[from.unwrap() + 2].starts_with("fix time"), "{shown}");
        }
        // The key that shows the rest is named.
        assert!(all.contains("i details"), "{shown}");
        keys(&mut model, "i");
        let mut pages = String::new();
        for _ in 0..4 {
            let shown = screen(&mut model, width, height, can());
            // The dialog alone, which is in the middle of the frames.
            let lines = shown.lines().filter_map(|line| {
                let parts: Vec<&str> = line.split('┃').collect();
                parts.get(parts.len() / 2).copied()
            });
            pages += &words(&lines.collect::<Vec<_>>().join(" "));
            press(&mut model, KeyCode::Down);
        }
        assert!(pages.contains(MESSAGE), "{width}x{height}: {pages}");
    }
}

#[test]
fn a_row_whose_last_refresh_failed_has_a_sign_at_every_size_and_its_name_stays() {
    let plain = Capabilities {
        unicode: false,
        ..can()
    };
    for (width, height) in [(160, 48), (111, 30), (100, 30), (80, 24), (60, 16)] {
        let name = "Ice drifter, Arctic Ocean, of 2026 A";
        let (mut well, mut model) = (super::model(), failing());
        let mut shown = Vec::new();
        for model in [&mut well, &mut model] {
            let mut list = model.deployments.list.iter_mut();
            let one = list.find(|one| one.name() == "ice 7").unwrap();
            one.deployment.label = Some(name.to_owned());
            model.arrange_deployments();
            shown.push(screen(model, width, height, can()));
        }
        for (shown, sign) in shown.iter().zip(["● ", "●✗ "]) {
            let row = shown.lines().find(|line| line.contains(name));
            let row = row.unwrap_or_else(|| panic!("no row at {width}: {shown}"));
            let row = row.trim_start_matches(['"', '┃', ' ']);
            assert!(row.starts_with(sign), "{width}: {shown}");
        }
        let shown = screen(&mut model, width, height, plain);
        let row = shown.lines().find(|line| line.contains(name)).unwrap();
        assert!(row.contains("+x "), "{width}: {shown}");
    }
    // The help says what it means.
    let mut model = failing();
    keys(&mut model, "?");
    let shown = words(&screen(&mut model, 160, 48, can()));
    assert!(shown.contains("✗ refresh failed"), "{shown}");
}

#[test]
fn no_number_of_the_summary_is_cut_and_its_counts_have_forms_that_fit() {
    for (width, height) in [(160, 48), (100, 30), (80, 24), (72, 20), (60, 16)] {
        let mut model = failing();
        press(&mut model, KeyCode::Enter);
        let shown = words(&screen(&mut model, width, height, can()));
        let (_, failed) = shown.split_once("refresh failed ").unwrap();
        assert!(failed.starts_with("12 s ago"), "{width}x{height}: {shown}");
        if width >= 80 {
            assert!(
                failed.starts_with("12 s ago, ") && failed.contains("500: t"),
                "{shown}"
            );
        }
        // Without the error there is room for the counts of a part of the track.
        model.deployments.list[0].track.failure = None;
        keys(&mut model, "[[[[[[{");
        let shown = words(&screen(&mut model, width, height, can()));
        let has_either = |forms: [&str; 2]| forms.iter().any(|form| shown.contains(form));
        let whole = ["of 61 in range", "of 61 in the time range"];
        assert!(has_either(whole), "{width}x{height}: {shown}");
        let invalid = ["1 invalid in whole track", "1 invalid in the whole track"];
        let cut = shown.contains("1 invalid in") && !has_either(invalid);
        assert!(!cut, "{width}x{height}: {shown}");
    }
}

#[test]
fn an_error_in_the_list_has_the_cells_of_the_limits_of_other_rows() {
    let mut model = failing();
    let mut list = model.deployments.list.iter_mut();
    let other = list.find(|one| one.name() != "ice 7").unwrap();
    let limits = &mut other.deployment.limits;
    limits.max_age_s = Some(21_600.0);
    limits.max_speed_m_s = Some(2.0);
    limits.fields = vec![crate::track::FieldLimit {
        field: "battery_voltage".to_owned(),
        side: crate::track::Side::Below,
        value: 11.4,
        unit: "V".to_owned(),
    }];
    model.arrange_deployments();
    let shown = screen(&mut model, 160, 48, can());
    let row = shown.lines().find(|line| line.contains("●✗"));
    let row = row.unwrap_or_else(|| panic!("no row: {shown}"));
    // The status and the words of the service, and none about the answer.
    let (_, error) = row.split_once("500: ").unwrap();
    let error = error.trim_end_matches(['"', '┃', ' ']);
    assert!(error.chars().count() > 30, "{shown}");
    assert!(shown.contains(" 6 h +2 "), "{shown}");
}

#[test]
fn failures_of_several_kinds_are_counted_in_the_header() {
    let mut model = failing();
    let of = model.deployments.list.len();
    keys(&mut model, "r");
    let first = |model: &Dashboard| {
        let mut asked = model.deployments.loading();
        asked
            .next()
            .map(|(one, loading)| (loading.request, one.deployment.id.uuid))
    };
    let mut status = 404;
    while let Some((request, deployment)) = first(&model) {
        let failure = Failure {
            service: Some(Box::new(ServiceError {
                status,
                ..ServiceError::default()
            })),
            ..Failure::new(FailureKind::Service, "no", "")
        };
        status = 500;
        let event = updated((request, deployment), Err(failure));
        update(&mut model, event);
    }
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let shown = screen(&mut model, width, height, can());
        let header = shown.lines().next().unwrap_or_default();
        let count = format!("✖ {of} of {of} failed");
        assert!(header.contains(&count), "{header}");
    }
}

#[test]
fn a_failure_in_few_words_keeps_its_reason() {
    use crate::dashboard::format::failed_shortly;
    let refused = Failure {
        short: "refused 127.0.0.1:80".to_owned(),
        ..Failure::new(
            FailureKind::Unreachable,
            "127.0.0.1 refused the connection on port 80",
            "",
        )
    };
    assert_eq!(failed_shortly(&refused), "refused 127.0.0.1:80");
    let no_token = Failure {
        service: Some(Box::new(ServiceError {
            status: 401,
            message: Some("the token has expired".to_owned()),
            ..ServiceError::default()
        })),
        ..Failure::new(
            FailureKind::NotAuthenticated,
            "https://service.example refused the token (401 Unauthorized)",
            "",
        )
    };
    assert_eq!(failed_shortly(&no_token), "not readable");
}

#[test]
fn the_header_says_how_the_service_fails_until_a_retry_brings_something() {
    use crate::exchange::Progress;
    let uuid = Uuid::from_u128(1);
    let mut model = opened(vec![Deployment::new(uuid)], NOW);
    let request = |effects: Vec<Effect>| {
        let asked = effects.iter().find_map(|effect| match effect {
            Effect::Update(Fetch { request, .. }) => Some(*request),
            _ => None,
        });
        asked.unwrap()
    };
    let first = request(update(&mut model, Event::Now(NOW)));
    let refused = "127.0.0.1 refused the connection on port 80";
    let event = updated(
        (first, uuid),
        Err(Failure::new(FailureKind::Unreachable, refused, "")),
    );
    update(&mut model, event);
    let again = update(&mut model, Event::Key(Key::plain(KeyCode::Char('r'))));
    let again = request(again);
    let header = |model: &mut Dashboard| {
        let shown = screen(model, 120, 30, can());
        shown.lines().next().unwrap_or_default().to_owned()
    };
    assert!(header(&mut model).contains(refused));
    let progress = Progress {
        bytes: 4096,
        ..Progress::default()
    };
    let event = Event::Progress {
        request: again,
        progress,
    };
    update(&mut model, event);
    assert!(header(&mut model).contains("loading"));
}

#[test]
fn the_header_says_that_the_service_refuses_and_the_key_that_helps() {
    use crate::dashboard::connection::Connection;
    use crate::dashboard::keymap::Action;
    for (kind, status) in [
        (FailureKind::NotAuthenticated, 401),
        (FailureKind::Forbidden, 403),
        (FailureKind::Service, 404),
    ] {
        let mut model = model();
        let refusal = Failure {
            service: Some(Box::new(ServiceError {
                status,
                ..ServiceError::default()
            })),
            ..Failure::new(kind, "127.0.0.1 does not allow this with this token", "")
        };
        model.service.connection = Connection::Failing(refusal, NOW);
        for (width, words) in [(120, "service refuses"), (80, "refuses")] {
            let shown = screen(&mut model, width, 30, can());
            let header = shown.lines().next().unwrap_or_default();
            let all = format!("{words} ({status}); {}", model.key_of(Action::Login));
            assert!(header.contains(&all), "{width}: {header}");
        }
    }
}

#[test]
fn each_row_names_the_key_that_enters_a_token_where_there_is_none() {
    let mut model = model();
    let failure = Failure::new(FailureKind::NotAuthenticated, "no token", "");
    for row in &mut model.deployments.list {
        row.track = Default::default();
        row.track.failure = Some((failure.clone(), NOW));
    }
    for (width, height) in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        let shown = screen(&mut model, width, height, can());
        let rows = shown
            .lines()
            .filter(|line| line.contains("F3 enters a token"));
        assert!(rows.count() >= 3, "{width}: {shown}");
    }
}
