//! The map pane, drawn into a buffer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use uuid::Uuid;

use crate::dashboard::Dashboard;
use crate::dashboard::canvas::Memory;
use crate::dashboard::effect::{Effect, Fetch};
use crate::dashboard::event::Event;
use crate::dashboard::map::*;
use crate::dashboard::tab::TabId;
use crate::dashboard::theme::Theme;
use crate::dashboard::update::update;
use crate::map::View;
use crate::testing::dashboard::{opened, updated};
use crate::track::{Platform, Records, Transmission};
use crate::watch::{Deployment, FetchRequest};

const NOW: f64 = 1_790_000_000.0;
const DAY_S: f64 = 86_400.0;

/// A deployment's name, where it is, and how long ago it reported last, seconds.
type Report = (&'static str, (f64, f64), f64);

/// A dashboard of 120x40 with these deployments, each with the tracks of a
/// slow drift.
fn model(reports: &[Report]) -> Dashboard {
    let watched = (0u128..)
        .zip(reports)
        .map(|(number, (name, ..))| Deployment {
            label: Some((*name).to_owned()),
            platform: Platform::Drifter,
            ..Deployment::new(Uuid::from_u128(number))
        })
        .collect();
    let mut model = opened(watched, NOW);
    let (width, height, cell_aspect) = (120, 40, 2.0);
    update(
        &mut model,
        Event::Resized {
            width,
            height,
            cell_aspect,
        },
    );
    for effect in update(&mut model, Event::Now(NOW)) {
        let Effect::Update(Fetch {
            request,
            of: FetchRequest { deployment, .. },
            ..
        }) = effect
        else {
            continue;
        };
        let number = usize::try_from(deployment.uuid.as_u128()).unwrap();
        let (_, (latitude, longitude), ago_s) = reports[number];
        let transmissions = (0..240)
            .map(|n| {
                let time_stamp = NOW - ago_s - 3600.0 * f64::from(239 - n);
                let east = longitude - 0.02 * f64::from(239 - n);
                Transmission::new(time_stamp, latitude, east).unwrap()
            })
            .collect();
        let records = Records {
            transmissions,
            ..Records::default()
        };
        let loaded = crate::testing::dashboard::loaded(records, NOW);
        update(&mut model, updated((request, deployment.uuid), Ok(loaded)));
    }
    model
}

fn draw_map(dashboard: &Dashboard, theme: Theme) -> (Buffer, Area) {
    let model = &dashboard.shell;
    let mut buffer = Buffer::empty(Rect::new(
        0,
        0,
        model.shared.screen.width,
        model.shared.screen.height,
    ));
    let layout = model.layout();
    let mut canvas = Canvas {
        buffer: &mut buffer,
        layout: &layout,
        theme,
        memory: &mut Memory::default(),
    };
    let (list, track) = (&model.tabs.deployments, &model.tabs.track);
    let content = match model.shared.screen.tab {
        TabId::Track => track.content(&model.shared).unwrap(),
        _ => list.content(&model.shared, model.view().unwrap()),
    };
    draw(&mut canvas, &content);
    (buffer, layout.map)
}

/// The symbols of the rows of the map.
fn rows(buffer: &Buffer, area: Area) -> Vec<String> {
    (area.y..area.y + area.height)
        .map(|y| {
            (area.x..area.x + area.width)
                .map(|x| buffer[(x, y)].symbol())
                .collect()
        })
        .collect()
}

#[test]
fn two_names_that_begin_alike_have_each_its_own_state() {
    let model = model(&[
        ("Barents Sea drifter no. 12", (75.0, 40.0), 600.0),
        ("Barents Sea drifter no. 13", (40.0, -160.0), 40.0 * DAY_S),
        ("Cape", (-50.0, 100.0), 600.0),
    ]);
    let (buffer, area) = draw_map(&model, Theme::default());
    let (lost, _) = Theme::default().state(crate::track::State::Lost);
    let text = rows(&buffer, area).concat();
    assert_eq!(text.matches(lost).count(), 1, "{text}");
    // Of the one that is not selected the end shows, which differs.
    assert!(text.contains("no. 12") && text.contains("no. 13"), "{text}");
}

#[test]
fn the_selected_one_is_reversed_with_its_whole_name() {
    let name = "Drifter of the Institute for Ocean Research, no. 12";
    let mut model = model(&[
        (name, (40.0, -30.0), 600.0),
        ("other with a long name of its own", (-40.0, 100.0), 600.0),
    ]);
    for row in [name, "other with a long name of its own"] {
        let place = |model: &Dashboard| model.selected().unwrap().name();
        if place(&model) != row {
            let key = crate::dashboard::key::KeyCode::Char('j');
            update(
                &mut model,
                Event::Key(crate::dashboard::key::Key::plain(key)),
            );
            if place(&model) != row {
                let key = crate::dashboard::key::KeyCode::Char('k');
                update(
                    &mut model,
                    Event::Key(crate::dashboard::key::Key::plain(key)),
                );
            }
        }
        assert_eq!(place(&model), row);
        let (buffer, area) = draw_map(&model, Theme::default());
        let reversed: String = (area.y..area.y + area.height)
            .flat_map(|y| (area.x..area.x + area.width).map(move |x| (x, y)))
            .map(|at| &buffer[at])
            .filter(|cell| cell.modifier.contains(Modifier::REVERSED))
            .map(|cell| cell.symbol().to_owned())
            .collect();
        assert!(reversed.contains(row), "{reversed}");
        assert!(reversed.contains('●'), "its symbol too: {reversed}");
    }
}

#[test]
fn what_the_filter_hides_is_not_on_the_map() {
    let mut model = model(&[
        ("alpha", (40.0, -30.0), 600.0),
        ("beta", (-40.0, 100.0), 600.0),
    ]);
    let shown = |model: &Dashboard| {
        let (buffer, area) = draw_map(model, Theme::default());
        rows(&buffer, area).concat()
    };
    assert!(shown(&model).contains("alpha") && shown(&model).contains("beta"));
    model.tabs.deployments.filter = model.query("alp");
    update(
        &mut model,
        Event::Key(crate::dashboard::key::Key::plain(
            crate::dashboard::key::KeyCode::Char('S'),
        )),
    );
    assert!(shown(&model).contains("alpha") && !shown(&model).contains("beta"));
}

#[test]
fn a_week_of_the_way_is_in_the_colour_of_the_state() {
    let mut model = model(&[
        ("fine", (40.0, -30.0), 600.0),
        ("lost", (-40.0, 100.0), 40.0 * DAY_S),
    ]);
    model.tabs.deployments.view = Some(View {
        metres_a_column: 10_000.0,
        ..View::world(120, 20, 2.0).centred_on(crate::testing::at(40.0, -32.0))
    });
    let theme = Theme::default();
    let (buffer, area) = draw_map(&model, theme);
    let good = theme.good().fg;
    let cells = (area.y..area.y + area.height)
        .flat_map(|y| (area.x..area.x + area.width).map(move |x| (x, y)))
        .filter(|&at| {
            let cell = &buffer[at];
            let dots = cell.symbol().chars().next().unwrap_or(' ');
            ('\u{2801}'..='\u{28ff}').contains(&dots) && Some(cell.fg) == good
        })
        .count();
    let cells = u16::try_from(cells).unwrap();
    // Seven days at 0.02 degrees an hour.
    let column = |longitude| {
        let position = crate::testing::at(40.0, longitude);
        model.view().unwrap().cell(position).unwrap().0
    };
    let expected = column(-30.0) - column(-30.0 - 0.02 * 24.0 * 7.0);
    assert!(
        expected > 15.0 && (f64::from(cells) - expected).abs() < 2.5,
        "{cells} cells, not {expected}"
    );
}
