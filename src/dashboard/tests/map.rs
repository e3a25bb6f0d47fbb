//! The maps under mouse and keys.

use super::*;
use crate::dashboard::key::{Mouse, MouseKind};
use crate::dashboard::theme::Capabilities;
use crate::track::field::{FieldRows, FieldTable, FieldValue};

/// A track whose fixes have these Argos classes, with the cursor on the first.
fn of_classes(classes: &[&str]) -> Dashboard {
    let mut table = FieldTable::default();
    let mut records = records(u32::try_from(classes.len()).unwrap());
    for (row, class) in (0..).zip(classes) {
        table.begin();
        let class = FieldValue::Text(class);
        table.add(row, "lc", class, |_| true).unwrap();
    }
    records.fields = FieldRows::new(table);
    let mut model = model(1);
    let loaded = crate::testing::dashboard::loaded(records, NOW);
    for asked in fetches(&send(&mut model, Event::Now(NOW))) {
        fetch_ends(&mut model, asked, Ok(loaded.clone()));
    }
    press(&mut model, KeyCode::Char('2'));
    press(&mut model, KeyCode::Char('g'));
    model
}

#[test]
fn the_error_of_an_argos_position_is_a_circle_around_it_and_in_its_facts() {
    let screen = |model: &Dashboard| {
        let shown = model.clone();
        super::screens::screen(&mut { shown }, 120, 40, Capabilities::default())
    };
    let mut model = of_classes(&["1", "Z", "3", "G"]);
    for (class, error) in [("1", "0.81 nm"), ("Z", ""), ("3", "250 m"), ("G", "100 m")] {
        // A circle that is no wider than a cell is none.
        let is_wide = error.ends_with("nm");
        let shown = screen(&model);
        assert_eq!(
            shown.contains(&format!("error {error}")),
            is_wide,
            "{shown}"
        );
        press(&mut model, KeyCode::Char('i'));
        let shown = screen(&model);
        let fact = format!("class {class}: may be {error} off");
        assert_eq!(shown.contains(&fact), !error.is_empty(), "{shown}");
        press(&mut model, KeyCode::Esc);
        press(&mut model, KeyCode::Char(']'));
    }
    for _ in 0..4 {
        press(&mut model, KeyCode::Char('+'));
    }
    let shown = screen(&model);
    assert!(shown.contains("error 100 m"), "{shown}");
}

/// The labels of latitudes and of longitudes on the map that is shown, at a size.
fn degrees(model: &mut Dashboard, (width, height): (u16, u16)) -> (usize, usize, String) {
    let shown = super::screens::screen(model, width, height, Capabilities::default());
    let layout = model.layout();
    // With its frame; the lines of the text begin with a quotation mark.
    let across = usize::from(layout.map.x)..usize::from(layout.map.x + layout.map.width + 1);
    let down = usize::from(layout.map.y)..usize::from(layout.map_axis.y + 1);
    let lines = shown.lines().take(down.end).skip(down.start);
    let map = lines.map(|line| {
        let cells = line.chars().take(across.end).skip(across.start);
        cells.collect::<String>()
    });
    let map = map.collect::<Vec<_>>().join(" ");
    let words =
        map.split(|letter: char| !letter.is_ascii_alphanumeric() && !"°′″.".contains(letter));
    let labels: Vec<&str> = words.filter(|word| word.contains('°')).collect();
    let ends = |sides: [char; 2]| labels.iter().filter(|word| word.ends_with(sides)).count();
    (ends(['N', 'S']), ends(['E', 'W']), shown)
}

#[test]
fn every_map_has_two_labelled_latitudes_and_two_longitudes_at_every_size_and_zoom() {
    for size in [(160, 48), (100, 30), (80, 24), (60, 16)] {
        for fixes in [3, 50, 300] {
            let mut model = with_track(fixes);
            press(&mut model, KeyCode::Char('w'));
            for zoom in 0..12 {
                let (latitudes, longitudes, shown) = degrees(&mut model, size);
                let has_map = !model.layout().map.is_empty();
                let are_two = latitudes >= 2 && longitudes >= 2;
                assert!(are_two || !has_map, "{size:?}, {fixes}, {zoom}: {shown}");
                press(&mut model, KeyCode::Char('+'));
            }
        }
    }
}

/// Deployments that have reported from these positions (latitude, longitude).
fn at_positions(positions: &[(f64, f64)]) -> Dashboard {
    let mut model = model(positions.len() as u128);
    let effects = send(&mut model, Event::Now(NOW));
    for effect in effects {
        let Effect::Update(Fetch {
            request,
            of: crate::watch::FetchRequest { deployment, .. },
            ..
        }) = effect
        else {
            continue;
        };
        let row = model
            .deployments
            .list
            .iter()
            .position(|one| one.deployment.id == deployment)
            .unwrap();
        let (latitude, longitude) = positions[row];
        let transmissions = (0..20)
            .map(|n| {
                let time_stamp = NOW - 3600.0 * f64::from(20 - n);
                Transmission::new(time_stamp, latitude + 0.01 * f64::from(n), longitude).unwrap()
            })
            .collect();
        let records = Records {
            transmissions,
            ..Records::default()
        };
        let loaded = crate::testing::dashboard::loaded(records, NOW);
        send(&mut model, updated((request, deployment.uuid), Ok(loaded)));
    }
    model
}

fn mouse(model: &mut Dashboard, kind: MouseKind, (column, row): (u16, u16)) {
    send(model, Event::Mouse(Mouse { kind, column, row }));
}

fn selected(model: &Dashboard) -> Uuid {
    model.selected().unwrap().deployment.id.uuid
}

/// The cell of the screen that a position of the shown map is in.
fn cell(model: &Dashboard, latitude: f64, longitude: f64) -> (u16, u16) {
    let position = crate::testing::at(latitude, longitude);
    let (x, y) = model.view().unwrap().cell(position).unwrap();
    let map = model.layout().map;
    (map.x + x as u16, map.y + y as u16)
}

#[test]
fn a_drag_moves_the_world_map_and_a_click_selects_the_nearest_deployment() {
    let mut model = at_positions(&[(50.0, -30.0), (60.0, 170.0), (-50.0, 80.0)]);
    press(&mut model, KeyCode::Char('g'));
    let (before, view) = (selected(&model), model.view().unwrap());
    let other = model
        .deployments
        .list
        .iter()
        .position(|one| one.deployment.id.uuid != before)
        .unwrap();
    let (latitude, longitude) = [(50.0, -30.0), (60.0, 170.0), (-50.0, 80.0)][other];
    let there = cell(&model, latitude, longitude);
    mouse(&mut model, MouseKind::Press, there);
    mouse(&mut model, MouseKind::Drag, (there.0 + 1, there.1 + 1));
    mouse(&mut model, MouseKind::Release, (there.0 + 1, there.1 + 1));
    assert_eq!(selected(&model), before, "a drag is no click");
    assert_ne!(model.view().unwrap().centre, view.centre);
    let there = cell(&model, latitude, longitude);
    mouse(&mut model, MouseKind::Press, there);
    mouse(&mut model, MouseKind::Release, there);
    assert_ne!(selected(&model), before);
}

#[test]
fn a_click_selects_among_the_deployments_that_the_filter_leaves_on_the_map() {
    // Near to each other; the filter hides the first one.
    let mut model = at_positions(&[(50.0, -30.0), (52.0, -30.0), (-50.0, 80.0)]);
    press(&mut model, KeyCode::Char('&'));
    type_text(&mut model, "buoy");
    press(&mut model, KeyCode::Enter);
    let hidden = &mut model.deployments.list[0];
    hidden.deployment.label = Some("hidden".to_owned());
    model.arrange_deployments();
    assert_eq!(model.tabs.deployments.order.len(), 2);
    model.tabs.deployments.select(uuid(2));
    let there = cell(&model, 50.1, -30.0);
    mouse(&mut model, MouseKind::Press, there);
    mouse(&mut model, MouseKind::Release, there);
    assert_eq!(selected(&model), uuid(1));
    // The cursor was moved: it stays there without the filter.
    press(&mut model, KeyCode::Esc);
    assert!(model.tabs.deployments.filter.is_empty());
    assert_eq!(selected(&model), uuid(1));
}

#[test]
fn the_projection_key_offers_what_can_show_all_and_fits_again() {
    let mut model = at_positions(&[(88.5, 10.0), (50.0, -30.0)]);
    let places: Vec<Position> = model.tabs.deployments.latest_positions(&model.shared);
    let start = model.view().unwrap().projection;
    let mut seen = vec![start];
    loop {
        press(&mut model, KeyCode::Char('m'));
        let view = model.view().unwrap();
        assert!(
            places.iter().all(|place| view.shows(*place)),
            "an instrument is beside the map: {view:?}"
        );
        let words = said(&model).to_owned();
        assert!(words.contains(view.projection.name()), "{words}");
        assert!(!words.contains("Mercator"), "{words}");
        if view.projection == start {
            break;
        }
        seen.push(view.projection);
    }
    assert_eq!(seen.len(), 3, "{seen:?}");
    // A person's own view is fitted again in the next projection.
    press(&mut model, KeyCode::Char('+'));
    press(&mut model, KeyCode::Char('+'));
    press(&mut model, KeyCode::Char('m'));
    let view = model.view().unwrap();
    assert!(places.iter().all(|place| view.shows(*place)));
}

#[test]
fn the_name_of_another_deployment_keeps_away_from_the_sign_of_a_bad_fix() {
    let mut model = model(2);
    let track = |fixes: u32, at: &dyn Fn(u32) -> (f64, f64)| {
        let fixes = (0..fixes).map(|n| {
            let time = NOW - 3600.0 * f64::from(fixes - n);
            let (latitude, longitude) = at(n);
            Transmission::new(time, latitude, longitude).unwrap()
        });
        let records = Records {
            transmissions: fixes.collect(),
            ..Records::default()
        };
        crate::testing::dashboard::loaded(records, NOW)
    };
    // A spike to the west of where the other is, which has no room for its name to the east.
    let open = track(60, &|n| match n {
        52 => (60.17, 7.6),
        _ => (60.0, 5.0 + 0.05 * f64::from(n)),
    });
    let other = track(9, &|_| (60.17, 8.14));
    let mut asked = fetches(&send(&mut model, Event::Now(NOW)));
    while let Some((request, deployment)) = asked.pop() {
        let loaded = if deployment == uuid(0) { &open } else { &other };
        asked.extend(
            fetch_ends(&mut model, (request, deployment), Ok(loaded.clone()))
                .iter()
                .flat_map(|effect| fetches(std::slice::from_ref(effect))),
        );
    }
    press(&mut model, KeyCode::Char('1'));
    press(&mut model, KeyCode::Char('g'));
    press(&mut model, KeyCode::Enter);
    let shown = super::screens::screen(&mut model, 100, 30, Capabilities::default());
    let row = shown
        .lines()
        .find(|line| line.contains('▪') && line.contains('✗'));
    let row = row.unwrap_or_else(|| panic!("{shown}"));
    assert!(!row.contains("buoy 1"), "{row}");
}

#[test]
fn failed_fixes_beyond_the_view_are_counted_with_the_key_that_shows_them() {
    use super::screens::screen;
    use crate::dashboard::theme::Capabilities;
    let mut model = at_positions(&[(50.0, 7.0)]);
    let transmissions = (0..20)
        .map(|n| {
            // One is at 0, 0, which is a fault of the receiver.
            let (latitude, longitude) = match n {
                9 => (0.0, 0.0),
                _ => (50.0 + 0.01 * f64::from(n), 7.0),
            };
            let time_stamp = NOW - 3600.0 * f64::from(20 - n);
            Transmission::new(time_stamp, latitude, longitude).unwrap()
        })
        .collect();
    let records = Records {
        transmissions,
        ..Records::default()
    };
    model.deployments.list[0]
        .track
        .show(crate::testing::dashboard::loaded(records, NOW));
    press(&mut model, KeyCode::Enter);
    let can = Capabilities {
        unicode: true,
        ..Capabilities::default()
    };
    for (width, height) in [(160, 48), (100, 30), (80, 24)] {
        let shown = screen(&mut model, width, height, can);
        assert!(shown.contains("✗ 1 beyond the view: X"), "{shown}");
    }
    let effects = press(&mut model, KeyCode::Char('X'));
    carry_out(&mut model, effects);
    let shown = screen(&mut model, 100, 30, can);
    assert!(!shown.contains("beyond the view"), "{shown}");
    for _ in 0..4 {
        press(&mut model, KeyCode::Char('+'));
    }
    let shown = screen(&mut model, 100, 30, can);
    assert!(shown.contains("✗ 1 beyond the view: 0"), "{shown}");
}
