use super::*;
use crate::dashboard::tab::{self, Pane};
use crate::dashboard::update::update;
use crate::map::FieldCharts;
use crate::testing::dashboard::loaded;
use crate::testing::fields::{ice_buoy, with_fields};
use crate::track::TrackSort;

const BUOY: Uuid = Uuid::from_u128(4);

/// The Track tab of an ice buoy whose fields are asked for, and the effect.
fn asked() -> (Dashboard, Effect) {
    let deployment = Deployment {
        platform: Platform::Drifter,
        ..Deployment::new(BUOY)
    };
    let mut model = crate::testing::dashboard::opened(vec![deployment], NOW);
    resize(&mut model, 160, 48);
    let effects = update(&mut model, Event::Now(NOW));
    let effects = arrive(&mut model, &effects, ice_buoy(NOW - 216_000.0, 60, 4));
    // Not before the track is shown.
    assert!(!effects.iter().any(is_reading));
    let mut effects = press(&mut model, KeyCode::Char('2'));
    // As if somebody had chosen speed before.
    model.tabs.track.is_field_chosen = true;
    let place = effects.iter().position(is_reading).unwrap();
    (model, effects.remove(place))
}

/// Answers the fetch among `effects`.
fn arrive(model: &mut Dashboard, effects: &[Effect], records: Records) -> Vec<Effect> {
    let request = effects.iter().find_map(|effect| match effect {
        Effect::Update(Fetch { request, .. }) => Some(*request),
        _ => None,
    });
    let event = updated((request.unwrap(), BUOY), Ok(loaded(records, NOW)));
    update(model, event)
}

fn is_reading(effect: &Effect) -> bool {
    matches!(effect, Effect::ReadFields { .. })
}

/// Reads what was asked for.
fn read(model: &mut Dashboard, effect: &Effect) -> Vec<Effect> {
    let Effect::ReadFields { track, .. } = effect else {
        panic!("{effect:?}");
    };
    let whole = Arc::clone(track.track());
    let rows = whole.fields().clone();
    let outcome = Ok(Arc::new(FieldCharts::new(whole, rows)));
    let track = Arc::clone(track);
    update(model, Event::FieldsRead { track, outcome })
}

fn buoy() -> Dashboard {
    let (mut model, effect) = asked();
    read(&mut model, &effect);
    model
}

fn shown(model: &Dashboard) -> Option<String> {
    let shown = model.tabs.track.shown_field(&model.shared)?;
    Some(shown.field().name().to_owned())
}

#[test]
fn a_profile_stands_on_the_timeline_at_once_until_something_else_is_chosen() {
    let (mut model, effect) = asked();
    model.tabs.track.is_field_chosen = false;
    read(&mut model, &effect);
    assert_eq!(shown(&model).as_deref(), Some("dtc_values"));
    press(&mut model, KeyCode::Char('v'));
    assert_eq!(shown(&model), None);
    // A later answer leaves the choice.
    read(&mut model, &effect);
    assert_eq!(shown(&model), None);
}

#[test]
fn v_goes_from_speed_through_what_varies_and_back() {
    let mut model = buoy();
    let mut seen = vec![shown(&model)];
    for _ in 0..4 {
        press(&mut model, KeyCode::Char('v'));
        seen.push(shown(&model));
    }
    let seen: Vec<_> = seen.iter().map(Option::as_deref).collect();
    let expected = [
        None,
        Some("air_temp"),
        Some("battery_voltage"),
        Some("dtc_values"),
        None,
    ];
    assert_eq!(seen, expected);
}

#[test]
fn fields_are_read_once_for_the_shown_track_and_keys_do_not_wait_for_them() {
    let (mut model, effect) = asked();
    assert!(!press(&mut model, KeyCode::Char('j')).iter().any(is_reading));
    press(&mut model, KeyCode::Char('v'));
    assert_eq!(shown(&model), None);
    assert_eq!(said(&model), "the fields are being read");
    read(&mut model, &effect);
    press(&mut model, KeyCode::Char('v'));
    assert_eq!(shown(&model).as_deref(), Some("air_temp"));
    // A newer response is read again; until then what was read is shown.
    let effects = press(&mut model, KeyCode::Char('r'));
    let mut newer = ice_buoy(NOW - 216_000.0, 61, 4);
    newer.transmissions.truncate(61);
    let effects = arrive(&mut model, &effects, newer);
    assert_eq!(shown(&model).as_deref(), Some("air_temp"));
    let effect = effects.into_iter().find(is_reading).unwrap();
    assert_eq!(
        model
            .tabs
            .track
            .shown_field(&model.shared)
            .unwrap()
            .value(60),
        None
    );
    read(&mut model, &effect);
    assert!(
        model
            .tabs
            .track
            .shown_field(&model.shared)
            .unwrap()
            .value(60)
            .is_some()
    );
}

#[test]
fn what_was_read_for_another_track_is_not_shown_and_a_failure_is_told() {
    let (mut model, effect) = asked();
    let other = loaded(ice_buoy(0.0, 5, 2), NOW).track;
    let stale = Effect::ReadFields {
        deployment: BUOY,
        track: other,
        others: Vec::new(),
    };
    read(&mut model, &stale);
    assert!(model.tabs.track.fields.charts.is_none() && model.tabs.track.fields.is_reading);
    let Effect::ReadFields { track, .. } = effect else {
        panic!();
    };
    let failure = Failure::new(FailureKind::Other, "the archive is damaged", "");
    let outcome = Err(failure);
    update(&mut model, Event::FieldsRead { track, outcome });
    let notice = model.messages.notice.as_ref().unwrap();
    assert!(notice.is_warning && notice.text.contains("damaged"));
    press(&mut model, KeyCode::Char('v'));
    assert!(!model.tabs.track.fields.is_reading);
}

#[test]
fn the_other_key_goes_back_and_either_gives_the_timeline_the_focus() {
    let mut model = buoy();
    press(&mut model, KeyCode::Char('v'));
    let first = shown(&model);
    press(&mut model, KeyCode::Char('v'));
    press(&mut model, KeyCode::Char('V'));
    assert_eq!(shown(&model), first);
    press(&mut model, KeyCode::Char('V'));
    assert_eq!(shown(&model), None);
    // Before speed is the last field.
    press(&mut model, KeyCode::Char('V'));
    assert_eq!(shown(&model).as_deref(), Some("dtc_values"));
    // Full size is that of the profile.
    press(&mut model, KeyCode::Char('z'));
    assert!(model.screen.full && model.screen.pane == tab::Pane::Timeline);
    assert!(model.layout().table.is_empty() && !model.layout().timeline.is_empty());
}

#[test]
fn a_small_screen_shows_the_timeline_alone() {
    let mut model = buoy();
    resize(&mut model, 60, 16);
    press(&mut model, KeyCode::Char('v'));
    assert_eq!(said(&model), "timeline: air_temp");
    let layout = model.layout();
    assert!(!layout.timeline.is_empty() && layout.table.is_empty() && layout.map.is_empty());
}

#[test]
fn the_list_is_filtered_by_typing_and_enter_shows_what_is_chosen() {
    let mut model = buoy();
    press(&mut model, KeyCode::Char('l'));
    type_text(&mut model, "DTC");
    press(&mut model, KeyCode::Enter);
    assert!(model.dialogs.is_empty());
    assert_eq!(shown(&model).as_deref(), Some("dtc_values"));
    // The cursor is on what is shown; Esc changes nothing.
    press(&mut model, KeyCode::Char('l'));
    press(&mut model, KeyCode::Up);
    press(&mut model, KeyCode::Esc);
    assert_eq!(shown(&model).as_deref(), Some("dtc_values"));
    press(&mut model, KeyCode::Char('l'));
    press(&mut model, KeyCode::Up);
    press(&mut model, KeyCode::Enter);
    assert_eq!(shown(&model).as_deref(), Some("battery_voltage"));
    // Nothing matches: Enter does nothing.
    press(&mut model, KeyCode::Char('l'));
    type_text(&mut model, "speedy");
    press(&mut model, KeyCode::Enter);
    assert_eq!(model.dialogs.len(), 1);
    update(&mut model, Event::Paste("x".to_owned()));
    press(&mut model, KeyCode::Esc);
    assert_eq!(shown(&model).as_deref(), Some("battery_voltage"));
}

#[test]
fn the_rows_are_sorted_by_the_shown_field_and_by_time_where_it_is_gone() {
    let mut model = buoy();
    press(&mut model, KeyCode::Char('v'));
    press(&mut model, KeyCode::Char('v'));
    for _ in 0..8 {
        let effects = press(&mut model, KeyCode::Char('s'));
        carry_out(&mut model, effects);
    }
    assert_eq!(model.tabs.track.arrangement.sort, TrackSort::Field);
    // The battery's voltage only falls.
    let order = model.tabs.track.order.clone().unwrap();
    assert!(order.windows(2).all(|pair| pair[0] >= pair[1]), "{order:?}");
    // Another field sorts the rows again, a profile sorts none.
    let effects = press(&mut model, KeyCode::Char('v'));
    carry_out(&mut model, effects);
    assert_eq!(model.tabs.track.arrangement.sort, TrackSort::Time);
    assert_eq!(model.tabs.track.order, None);
    for _ in 0..8 {
        let effects = press(&mut model, KeyCode::Char('s'));
        carry_out(&mut model, effects);
    }
    assert_eq!(model.tabs.track.arrangement.sort, TrackSort::Time);
}

#[test]
fn the_fixes_of_a_time_range_have_their_own_values() {
    let mut model = buoy();
    press(&mut model, KeyCode::Char('v'));
    press(&mut model, KeyCode::Char('v'));
    let whole = model.tabs.track.shown_field(&model.shared).unwrap();
    let values: Vec<_> = (0..60).map(|fix| whole.value(fix)).collect();
    press(&mut model, KeyCode::Char('g'));
    for _ in 0..40 {
        press(&mut model, KeyCode::Char('j'));
    }
    let effects = press(&mut model, KeyCode::Char('{'));
    carry_out(&mut model, effects);
    assert_eq!(shown_track(&model).len(), 20);
    let part = model.tabs.track.shown_field(&model.shared).unwrap();
    let of_part: Vec<_> = (0..20).map(|fix| part.value(fix)).collect();
    assert_eq!(of_part, values[40..]);
}

#[test]
fn another_track_has_its_own_fields_and_the_choice_stays() {
    let mut model = buoy();
    press(&mut model, KeyCode::Char('v'));
    assert_eq!(shown(&model).as_deref(), Some("air_temp"));
    update(&mut model, Event::Now(NOW + 1.0));
    model.shell.tabs.track.forget(&mut model.shell.shared);
    assert!(model.tabs.track.fields.charts.is_none());
    assert_eq!(model.tabs.track.field.as_deref(), Some("air_temp"));
    assert_eq!(shown(&model), None);
    let effects = update(&mut model, Event::Now(NOW + 2.0));
    let effect = effects.into_iter().find(is_reading).unwrap();
    read(&mut model, &effect);
    assert_eq!(shown(&model).as_deref(), Some("air_temp"));
}

#[test]
fn a_track_whose_fields_do_not_vary_says_so() {
    let (mut model, _) = asked();
    let fixes = (0u32..9).map(|n| (NOW - 3600.0 * f64::from(9 - n), 80.0, 5.0));
    let records = with_fields(fixes, &["x".to_owned()], |_, _| Some(1.0));
    let effects = press(&mut model, KeyCode::Char('r'));
    let effects = arrive(&mut model, &effects, records);
    let effect = effects.into_iter().find(is_reading).unwrap();
    let footer = |model: &mut Dashboard| {
        let shown = super::screens::screen(
            model,
            160,
            30,
            crate::dashboard::theme::Capabilities::default(),
        );
        shown.lines().last().unwrap_or_default().to_owned()
    };
    assert!(footer(&mut model).contains("v field"));
    read(&mut model, &effect);
    assert!(!footer(&mut model).contains("v field"));
    press(&mut model, KeyCode::Char('v'));
    let notice = said(&model);
    assert_eq!(notice, "no field varies: x; Enter: values");
}

#[test]
fn at_full_size_the_table_has_the_fields_after_speed_and_course() {
    let mut model = buoy();
    model.screen.pane = tab::Pane::Table;
    press(&mut model, KeyCode::Char('z'));
    let shown = screens::screen(&mut model, 160, 48, Default::default());
    let heading = shown.lines().find(|line| line.contains("time UTC"));
    let heading = heading.unwrap_or_else(|| panic!("{shown}"));
    let order = [
        "latitude",
        "longitude",
        "SOG",
        "COG",
        "air_temp",
        "leg",
        "interval",
    ];
    let places: Vec<_> = order.iter().map(|word| heading.find(word)).collect();
    assert!(places.iter().all(Option::is_some), "{heading}");
    assert!(places.is_sorted(), "{heading}");
}

#[test]
fn the_panes_keep_their_sizes_whatever_the_timeline_shows() {
    for width in [80, 100, 130, 160] {
        for pane in [Pane::Map, Pane::Table] {
            let mut model = buoy();
            let resized = Event::Resized {
                width,
                height: 40,
                cell_aspect: 2.0,
            };
            update(&mut model, resized);
            while model.screen.pane != pane {
                press(&mut model, KeyCode::Char('w'));
            }
            let frames = |model: &Dashboard| {
                [Pane::Table, Pane::Map, Pane::Timeline, Pane::Summary]
                    .map(|pane| model.layout().frame(pane))
            };
            let before = frames(&model);
            for key in ['v', 'v', 'v', 'V'] {
                press(&mut model, KeyCode::Char(key));
                assert_eq!(frames(&model), before, "{width} {pane:?} {key}");
            }
        }
    }
}
