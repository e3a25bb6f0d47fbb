//! Many deployments on the list and on the world map, and groups.

use std::cell::RefCell;

use super::frames::can;
use crate::dashboard::tests::screens::*;
use crate::testing::cpu_time;
use crate::track::FlagOverrides;
use crate::watch::Overview;
use crate::watch::overview::ReadOverview;

/// A dashboard with so many deployments around the world in three groups, of which
/// one in a hundred is lost.
fn fleet(count: u32) -> Dashboard {
    let watched = (0..count).map(|number| Deployment {
        label: Some(format!("buoy {number:05}")),
        platform: Platform::Drifter,
        group: match number % 4 {
            0 => Some("Fram Strait".to_owned()),
            1 => Some("Weddell Sea".to_owned()),
            2 => Some("Gulf Stream".to_owned()),
            _ => None,
        },
        ..Deployment::new(Uuid::from_u128(u128::from(number)))
    });
    let mut model = opened(watched.collect(), NOW);
    let read = (0..count).map(|number| {
        let options = TrackOptions::new(Platform::Drifter, NOW);
        let turn = f64::from(number);
        let ago = if number % 100 == 99 {
            30.0 * 86_400.0
        } else {
            600.0 + turn % 3000.0
        };
        let (latitude, longitude) = ((turn * 0.61) % 120.0 - 60.0, (turn * 7.77) % 360.0 - 180.0);
        let fixes = (0..30).map(|n| {
            let back = f64::from(29 - n);
            let time = NOW - ago - 3600.0 * back;
            (time, latitude + 0.01 * f64::from(n), longitude)
        });
        let track = Track::new(&crate::testing::track::records(fixes), &options);
        ReadOverview {
            uuid: Uuid::from_u128(u128::from(number)),
            overrides: FlagOverrides::default(),
            options: Box::new(options),
            overview: Some(Arc::new(Overview::new(&track))),
            fetched_at: NOW - 60.0,
        }
    });
    let read = read.collect();
    update(&mut model, Event::Overviews(read));
    model
}

#[test]
fn a_fleet_with_its_groups_and_its_clusters_at_two_sizes() {
    for (width, height) in [(160, 48), (80, 24)] {
        let mut model = fleet(2000);
        let shown = screen(&mut model, width, height, can());
        insta::assert_snapshot!(format!("many_{width}x{height}"), shown);
        keys(&mut model, "s");
        let shown = screen(&mut model, width, height, can());
        insta::assert_snapshot!(format!("many_by_group_{width}x{height}"), shown);
    }
}

#[test]
fn a_frame_of_ten_thousand_writes_the_visible_rows_alone() {
    let frame = |count| {
        let model = RefCell::new(fleet(count));
        cpu_time::spent_on(|| {
            let mut model = model.borrow_mut();
            press(&mut model, KeyCode::Char('j'));
            screen(&mut model, 160, 48, can())
        })
    };
    // With the rows of all it takes more than thirty times as long.
    let (few, many) = (frame(200), frame(10_000));
    assert!(many < 20.0 * few, "{few} s and {many} s");
}
