//! The dialog that writes a track to a file.

use super::*;
use crate::dashboard::dialogs::export::ExportForm;
use crate::formats::Format;

fn form(model: &Dashboard) -> &ExportForm {
    match model.dialogs.last() {
        Some(Dialog::Export(form)) => form,
        other => panic!("{other:?}"),
    }
}

/// The scopes offered, each with its count.
fn scopes(model: &Dashboard) -> Vec<(&'static str, usize)> {
    form(model)
        .scopes(model)
        .iter()
        .map(|scope| (scope.name, scope.fixes))
        .collect()
}

#[test]
fn a_time_range_that_is_shown_is_what_is_written_unless_the_whole_is_chosen() {
    let mut model = with_track(30);
    press(&mut model, KeyCode::Char('E'));
    assert_eq!(scopes(&model), [("whole track", 30)]);
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Char('g'));
    type_text(&mut model, "jjjjj");
    let effects = press(&mut model, KeyCode::Char('}'));
    carry_out(&mut model, effects);
    // From the fix of the mark to that of the cursor.
    type_text(&mut model, "gj jj");
    press(&mut model, KeyCode::Char('E'));
    assert_eq!(
        scopes(&model),
        [("time range", 6), ("marked", 3), ("whole track", 30)]
    );
    let whole = model.full_track().unwrap();
    let time = |fix: usize| whole.fix(fix).unwrap().time_stamp;
    let expected = [Some((time(0), time(5))), Some((time(1), time(3))), None];
    for range in expected {
        let mut model = model.clone();
        while form(&model).scopes(&model)[form(&model).scope].range != range {
            press(&mut model, KeyCode::Down);
        }
        let effects = press(&mut model, KeyCode::Enter);
        let [Effect::Export { job, .. }] = effects.as_slice() else {
            panic!("{effects:?}");
        };
        assert_eq!((job.range, job.track.len()), (range, 30));
    }
}

#[test]
fn only_formats_that_can_be_written_are_offered() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char('E'));
    let (first, offered) = (form(&model).format, FileFormat::all().count());
    for _ in 0..2 * offered {
        if let FileFormat::Track(format) = form(&model).format {
            assert!(format.is_built());
        }
        press(&mut model, KeyCode::BackTab);
    }
    assert_eq!(form(&model).format, first);
}

#[test]
fn the_extension_that_is_typed_chooses_the_format() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char('E'));
    for _ in 0..".csv".len() {
        press(&mut model, KeyCode::Backspace);
    }
    for (typed, name) in [("t", "csv"), ("xt", "csv"), (".gp", "csv"), ("x", "gpx")] {
        type_text(&mut model, typed);
        assert_eq!(form(&model).format.name(), name, "{typed}");
    }
    send(&mut model, Event::Key(Key::ctrl('u')));
    send(&mut model, Event::Paste("map.SVG".to_owned()));
    assert_eq!(form(&model).format.name(), "svg");
}

#[test]
fn a_pasted_path_replaces_no_file_before_it_is_asked_about() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char('E'));
    let effects = press(&mut model, KeyCode::Enter);
    let [Effect::Export { request, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    let exists = Event::Exported {
        request: *request,
        outcome: Err(WriteError::Exists(failure(FailureKind::Usage))),
    };
    send(&mut model, exists);
    send(&mut model, Event::Paste("2".to_owned()));
    let effects = press(&mut model, KeyCode::Enter);
    assert!(
        matches!(&effects[..], [Effect::Export { job, .. }] if !job.replace),
        "{effects:?}"
    );
}

#[test]
fn the_name_of_the_file_has_single_underscores_and_its_folder_is_told() {
    let mut model = with_track(3);
    model.deployments.list[0].deployment.label = Some(" Survey launch, Plymouth (2) ".to_owned());
    press(&mut model, KeyCode::Char('E'));
    assert_eq!(form(&model).path.text(), "Survey_launch_Plymouth_2.csv");
    assert_eq!(form(&model).folder(), Some("/home/user"));
    press(&mut model, KeyCode::Home);
    type_text(&mut model, "/tmp/");
    assert_eq!(form(&model).folder(), None);
}

#[test]
fn what_was_written_is_told_in_words_that_agree_with_their_number() {
    for (fixes, said) in [
        (1, "a.csv: 1 fix in /home/user (84.3 kB)"),
        (239, "a.csv: 239 fixes in /home/user (84.3 kB)"),
    ] {
        let mut model = with_track(3);
        press(&mut model, KeyCode::Char('E'));
        let effects = press(&mut model, KeyCode::Enter);
        let [Effect::Export { request, .. }] = effects.as_slice() else {
            panic!("{effects:?}");
        };
        let outcome = Ok(WrittenFile {
            path: "/home/user/a.csv".to_owned(),
            fixes,
            bytes: 84_321,
        });
        let request = *request;
        send(&mut model, Event::Exported { request, outcome });
        assert_eq!(super::said(&model), said);
        assert!(model.dialogs.is_empty());
    }
}

/// A list whose tracks are read where they are opened, with the export of the first
/// asked for: what loads its track.
fn loading() -> (Dashboard, Event) {
    let mut model = model(1);
    let options = TrackOptions::new(Platform::Drifter, NOW);
    let overview = Arc::clone(arrival(9).track.overview());
    let one = &mut model.deployments.list[0].track;
    one.show_overview(overview, Box::new(options), NOW);
    let effects = press(&mut model, KeyCode::Char('E'));
    assert!(
        matches!(effects[..], [Effect::LoadStored { .. }, ..]),
        "{effects:?}"
    );
    assert_eq!(scopes(&model), []);
    let arrives = Event::Stored {
        deployment: uuid(0),
        overrides: Default::default(),
        loaded: Some(arrival(9)),
    };
    (model, arrives)
}

#[test]
fn a_form_is_filled_in_while_its_track_is_read_and_esc_ends_that() {
    let (mut model, arrives) = loading();
    press(&mut model, KeyCode::Tab);
    let format = form(&model).format;
    assert_ne!(format, FileFormat::Track(Format::Csv));
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    assert!(form(&model).path.error.contains("no track to export yet"));
    send(&mut model, arrives);
    assert_eq!(scopes(&model), [("whole track", 9)]);
    let effects = press(&mut model, KeyCode::Enter);
    assert!(
        matches!(&effects[..], [Effect::Export { job, .. }] if job.format == format),
        "{effects:?}"
    );
    let (mut model, arrives) = loading();
    press(&mut model, KeyCode::Esc);
    send(&mut model, arrives);
    assert!(model.dialogs.is_empty());
}

#[test]
fn a_form_whose_track_cannot_be_read_says_so() {
    let gone = Event::Stored {
        deployment: uuid(0),
        overrides: Default::default(),
        loaded: None,
    };
    for failed in [gone, Event::Warning(failure(FailureKind::Other))] {
        let (mut model, _) = loading();
        model.deployments.open = None;
        send(&mut model, failed);
        assert!(!form(&model).path.error.is_empty());
        assert!(press(&mut model, KeyCode::Enter).is_empty());
    }
}

#[test]
fn a_picture_of_the_map_is_written_of_the_chosen_fixes_as_the_map_is_drawn() {
    use crate::formats::image::ImageFormat;
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char('E'));
    // The last formats are pictures.
    while let FileFormat::Track(_) = form(&model).format {
        press(&mut model, KeyCode::BackTab);
    }
    assert_eq!(form(&model).format, FileFormat::Map(ImageFormat::Png));
    press(&mut model, KeyCode::BackTab);
    assert_eq!(form(&model).format, FileFormat::Map(ImageFormat::Svg));
    assert!(form(&model).path.text().ends_with(".svg"));
    let effects = press(&mut model, KeyCode::Enter);
    let [Effect::Export { job, .. }] = effects.as_slice() else {
        panic!("{effects:?}");
    };
    assert_eq!(job.format, FileFormat::Map(ImageFormat::Svg));
    assert_eq!(job.style.size, (1200, 800));
    assert_eq!(job.style.units, model.settings.units);
}
