//! Slow requests under way hold up no other.

use super::*;
use crate::alarm::{Alarm, Kind};
use crate::exchange::Progress;
use crate::testing::dashboard::alarm;

/// Sends the client's report that a request is slow, or is so no longer.
fn pace(model: &mut Dashboard, request: RequestId, is_slow: bool) -> Vec<Effect> {
    let progress = Progress {
        is_slow,
        ..Progress::default()
    };
    send(model, Event::Progress { request, progress })
}

#[test]
fn no_number_of_slow_answers_stops_the_rest() {
    let mut model = model(20);
    let mut asked = fetches(&send(&mut model, Event::Now(NOW)));
    assert_eq!(asked.len(), 4);
    let mut slow = 0;
    while let Some(&(request, _)) = asked.get(slow) {
        slow += 1;
        asked.extend(fetches(&pace(&mut model, request, true)));
        // Told again, it makes no further place.
        assert_eq!(fetches(&pace(&mut model, request, true)), []);
        // Each makes a place, and each second one another: a list that hangs is asked to its end.
        assert_eq!(asked.len(), (4 + slow + slow / 2).min(20));
    }
    assert_eq!(slow, 20);
}

#[test]
fn four_answers_that_bring_enough_keep_their_places() {
    let mut model = model(8);
    let asked = fetches(&send(&mut model, Event::Now(NOW)));
    for second in 1..=40u32 {
        for (request, _) in &asked {
            assert_eq!(fetches(&pace(&mut model, *request, false)), []);
        }
        let now = NOW + f64::from(second);
        assert!(fetches(&send(&mut model, Event::Now(now))).is_empty());
    }
    // One stalls: the next goes on meanwhile.
    assert_eq!(fetches(&pace(&mut model, asked[0].0, true)).len(), 1);
    // One that is fast again has its place: no more begins.
    pace(&mut model, asked[0].0, false);
    assert_eq!(fetches(&pace(&mut model, asked[1].0, true)), []);
}

#[test]
fn the_message_of_a_refresh_ends_with_it_and_holds_back_no_alarm() {
    let said = |model: &Dashboard| {
        model
            .messages
            .notice
            .as_ref()
            .map(|notice| notice.text.clone())
    };
    let mut model = model(2);
    let asked = fetches(&press(&mut model, KeyCode::Char('r')));
    let all = Some("loading all 2 deployments".to_owned());
    assert_eq!(said(&model), all);
    let end = |model: &mut Dashboard, (request, deployment)| {
        let outcome = Ok(arrival(3));
        send(model, updated((request, deployment), outcome));
    };
    // It stays as long as the refresh takes.
    send(&mut model, Event::Now(NOW + 9.0));
    assert_eq!(said(&model), all);
    end(&mut model, asked[0]);
    assert_eq!(said(&model), all);
    end(&mut model, asked[1]);
    assert_eq!(said(&model), Some("asked 2: none new".to_owned()));
    // An alarm that the refresh has raised is told at its end.
    press(&mut model, KeyCode::Enter);
    let asked = fetches(&press(&mut model, KeyCode::Char('r')));
    let open = model.deployments.get(asked[0].1).unwrap().name();
    assert_eq!(said(&model), Some(format!("loading {open}")));
    let alarm = Alarm {
        seen_at: NOW + 9.0,
        raised_at: NOW + 8.0,
        ..alarm("outside", Some(uuid(0)), Kind::Outside, NOW, -1.0)
    };
    send(&mut model, Event::Alarms(vec![alarm]));
    assert_eq!(said(&model), Some(format!("loading {open}")));
    end(&mut model, asked[0]);
    assert!(said(&model).unwrap().starts_with("asked 1: "));
    send(&mut model, Event::Now(NOW + 13.0));
    assert!(
        said(&model)
            .unwrap()
            .starts_with("A alarms  buoy 0: outside")
    );
}
