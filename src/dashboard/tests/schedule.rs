//! How often a deployment is asked for, counted over a span of time.

use super::*;
use crate::testing::at;
use crate::track::State;

const REFRESH_S: f64 = 60.0;

/// A track whose fixes are `interval_s` apart and end at `last` (UNIX seconds).
pub(super) fn reporting(interval_s: f64, last: f64, now: f64) -> LoadedTrack {
    let transmissions = (0..30)
        .map(|number| Transmission {
            time_stamp: last - interval_s * f64::from(29 - number),
            position: at(80.0 + 1e-5 * f64::from(number), 10.0),
        })
        .collect();
    let options = TrackOptions::new(Platform::Drifter, now);
    let records = Records {
        transmissions,
        ..Records::default()
    };
    let track = Track::new(&records, &options);
    LoadedTrack {
        track: Arc::new(PreparedTrack::new(Arc::new(track))),
        fetched_at: now,
        options: Box::new(options),
    }
}

/// The requests for each of `watched`, (interval, age of the last fix at the
/// start), in a span. Every fix is there when it is due; one of an age over a
/// day never comes.
fn requests(watched: &[(f64, f64)], span_s: u32) -> Vec<usize> {
    let mut model = model(watched.len().try_into().unwrap());
    assert_eq!(model.refresh_s(), REFRESH_S);
    let mut counts = vec![0; watched.len()];
    for second in 0..span_s {
        let now = NOW + f64::from(second);
        let mut asked = fetches(&send(&mut model, Event::Now(now)));
        while let Some(one) = asked.pop() {
            let place = (0..watched.len())
                .find(|&place| uuid(place as u128) == one.1)
                .unwrap();
            counts[place] += 1;
            let (interval_s, age_s) = watched[place];
            let first = NOW - age_s;
            let last = if age_s > 86_400.0 {
                first
            } else {
                first + ((now - first) / interval_s).floor() * interval_s
            };
            let outcome = Ok(reporting(interval_s, last, now));
            asked.extend(fetches(&fetch_ends(&mut model, one, outcome)));
        }
    }
    counts
}

#[test]
fn in_a_minute_what_is_on_time_or_lost_is_asked_for_once_and_what_reports_often_every_refresh() {
    let watched = [
        (4.0 * 3600.0, 3600.0),
        (3600.0, 3.0 * 365.0 * 86_400.0),
        (15.0, 5.0),
    ];
    // Lost for years: a request a day.
    assert_eq!(requests(&watched, 60), [1, 1, 1]);
    assert_eq!(requests(&watched, 61), [1, 1, 2]);
    // An hour: the buoy is due in three.
    assert_eq!(requests(&watched, 3600), [1, 1, 60]);
}

#[test]
fn a_day_of_two_buoys_costs_a_request_for_each_of_their_fixes() {
    let watched = [(4.0 * 3600.0, 3600.0), (4.0 * 3600.0, 7200.0)];
    assert_eq!(requests(&watched, 86_400), [7, 7]);
}

#[test]
fn r_asks_for_all_on_the_first_tab_and_for_the_one_shown_on_the_second() {
    let mut model = model(3);
    fetched_at_start(&mut model, |_| Ok(reporting(4.0 * 3600.0, NOW - 60.0, NOW)));
    let due = model.deployments.agenda.next(uuid(0)).unwrap().at;
    let expected = NOW - 60.0 + 4.0 * 3600.0;
    // Many do not come together.
    assert!((expected..=expected + 30.0).contains(&due), "{due}");
    send(&mut model, Event::Now(NOW + 10.0));
    press(&mut model, KeyCode::Char('2'));
    assert_eq!(fetches(&press(&mut model, KeyCode::Char('r'))).len(), 1);
    press(&mut model, KeyCode::Char('1'));
    // The one under way is not asked for twice.
    assert_eq!(fetches(&press(&mut model, KeyCode::Char('r'))).len(), 2);
}

#[test]
fn an_instrument_that_reports_more_often_than_it_is_asked_for_is_on_time_between() {
    let mut model = model(1);
    let states = |model: &Dashboard| {
        let one = &model.deployments.list[0];
        let reports = one.recent_reports(model.now);
        (
            one.health(model.now).state,
            reports.iter().all(|came| *came),
        )
    };
    let mut asked = fetches(&send(&mut model, Event::Now(NOW)));
    for second in 0..240 {
        let now = NOW + f64::from(second);
        asked.extend(fetches(&send(&mut model, Event::Now(now))));
        // A response takes two seconds; the last fix is up to 15 s old then.
        if second % 60 == 2 {
            let outcome = Ok(reporting(15.0, now - 12.0, now));
            fetch_ends(&mut model, asked.remove(0), outcome);
        }
        if second >= 2 {
            assert_eq!(states(&model), (State::OnTime, true), "{second}");
        }
    }
    // It falls silent, or nobody answers: the next response is waited for, and half as
    // long again.
    send(&mut model, Event::Now(NOW + 182.0 + 89.0));
    assert_eq!(states(&model).0, State::OnTime);
    send(&mut model, Event::Now(NOW + 182.0 + 90.01));
    assert_eq!(states(&model), (State::Overdue, false));
}

#[test]
fn an_age_limit_below_the_interval_is_asked_at() {
    let mut model = model(1);
    let mut entry = model.shell.shared.deployments.list[0].deployment.clone();
    entry.limits.max_age_s = Some(2700.0);
    model.shell.shared.deployments.list[0].deployment = entry;
    let [first] = fetches(&send(&mut model, Event::Now(NOW)))[..] else {
        panic!("it is due")
    };
    // 40 min old: the limit is exceeded in 5, the next fix is due in 20.
    let outcome = Ok(reporting(3600.0, NOW - 2400.0, NOW));
    assert_eq!(fetches(&fetch_ends(&mut model, first, outcome)), []);
    assert_eq!(fetches(&send(&mut model, Event::Now(NOW + 299.0))), []);
    assert_eq!(fetches(&send(&mut model, Event::Now(NOW + 331.0))).len(), 1);
}
