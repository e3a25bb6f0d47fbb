//! Fetches at the level of events: the order of replies, choices made while a
//! fetch is in progress, superseded replies.

use super::*;
use crate::track::{Flag, FlagOverrides};
use crate::watch::FetchDelta;

/// A dashboard with one deployment and the request that fetches it.
fn fetching() -> (Dashboard, RequestId, Uuid) {
    let mut model = model(1);
    let (request, deployment) = fetches(&send(&mut model, Event::Now(NOW)))[0];
    press(&mut model, KeyCode::Char('2'));
    (model, request, deployment)
}

fn ended(model: &mut Dashboard, request: RequestId, loaded: LoadedTrack) -> Vec<Effect> {
    let outcome = Ok(loaded);
    send(model, updated((request, uuid(0)), outcome))
}

fn assembled(model: &mut Dashboard, request: RequestId, loaded: LoadedTrack) -> Vec<Effect> {
    send(model, Event::Fetch(request, FetchNews::Assembled(loaded)))
}

fn stored(
    model: &mut Dashboard,
    overrides: FlagOverrides,
    loaded: Option<LoadedTrack>,
) -> Vec<Effect> {
    send(
        model,
        Event::Stored {
            deployment: uuid(0),
            overrides,
            loaded,
        },
    )
}

fn fixes(model: &Dashboard) -> Option<usize> {
    model
        .tabs
        .track
        .shown_track(&model.shared)
        .map(|track| track.len())
}

/// The flag of the first fix, failed by hand.
fn first_failed() -> FlagOverrides {
    let first = records(1).transmissions[0];
    let mut overrides = FlagOverrides::default();
    let time_stamp = arrival(5).track.fix(0).unwrap().time_stamp;
    overrides.set(time_stamp, first.position, Flag::Fail);
    overrides
}

#[test]
fn the_start_loads_the_plant_log_and_what_the_archive_has_of_each_deployment() {
    let mut model = model(2);
    let effects = send(&mut model, Event::Started);
    let options = |place: usize| model.deployments.list[place].options(NOW);
    let wanted = vec![(uuid(0), options(0)), (uuid(1), options(1))];
    assert_eq!(
        effects[..2],
        [Effect::LoadOverviews(wanted), Effect::LoadPlantLog]
    );
    let loaded: Vec<Uuid> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::LoadStored { deployment, .. } => Some(*deployment),
            _ => None,
        })
        .collect();
    assert_eq!(loaded, [uuid(0), uuid(1)]);
}

#[test]
fn a_track_that_is_not_stored_yet_is_shown_where_nothing_is_and_the_end_of_the_fetch_replaces_it() {
    let (mut model, request, _) = fetching();
    assembled(&mut model, request, arrival(3));
    assert_eq!(fixes(&model), Some(3));
    assert!(model.deployments.list[0].track.loading.is_some());
    ended(&mut model, request, arrival(4));
    assert_eq!(fixes(&model), Some(4));
    assert!(model.deployments.list[0].track.loading.is_none());
}

#[test]
fn a_track_that_is_not_stored_yet_never_replaces_what_is_shown() {
    let (mut model, request, _) = fetching();
    stored(&mut model, FlagOverrides::default(), Some(arrival(9)));
    assembled(&mut model, request, arrival(3));
    assert_eq!(fixes(&model), Some(9));
}

#[test]
fn an_archived_track_that_is_loaded_late_never_replaces_a_fresh_one() {
    let (mut model, request, _) = fetching();
    ended(&mut model, request, arrival(4));
    stored(&mut model, FlagOverrides::default(), Some(arrival(2)));
    assert_eq!(fixes(&model), Some(4));
}

#[test]
fn the_first_response_adds_nothing_and_the_next_says_what_it_added() {
    let delta = FetchDelta {
        new: 4,
        backfilled: 1,
        ..FetchDelta::default()
    };
    let ended = |model: &mut Dashboard, request, fixes| {
        let mut event = updated((request, uuid(0)), Ok(arrival(fixes)));
        if let Event::Fetch(
            _,
            FetchNews::Ended {
                outcome: Ok(update),
                ..
            },
        ) = &mut event
        {
            update.delta = Some(delta);
        }
        send(model, event);
    };
    let (mut model, request, _) = fetching();
    assembled(&mut model, request, arrival(4));
    ended(&mut model, request, 4);
    assert_eq!(model.deployments.list[0].delta, None);
    let request = fetches(&press(&mut model, KeyCode::Char('r')))[0].0;
    ended(&mut model, request, 8);
    assert_eq!(model.deployments.list[0].delta, Some(delta));
    // A fetch also adds to an archived track.
    let (mut model, request, _) = fetching();
    stored(&mut model, FlagOverrides::default(), Some(arrival(2)));
    ended(&mut model, request, 6);
    assert_eq!(model.deployments.list[0].delta, Some(delta));
}

#[test]
fn a_reply_to_a_superseded_request_changes_nothing() {
    let (mut model, old, _) = fetching();
    let effects = press(&mut model, KeyCode::Char('r'));
    assert_eq!(effects[0], Effect::Cancel(old));
    let new = fetches(&effects)[0].0;
    assembled(&mut model, old, arrival(1));
    ended(&mut model, old, arrival(1));
    assert_eq!(fixes(&model), None);
    ended(&mut model, new, arrival(2));
    assert_eq!(fixes(&model), Some(2));
    ended(&mut model, old, arrival(1));
    assert_eq!(fixes(&model), Some(2));
}

#[test]
fn a_choice_made_while_a_fetch_is_in_progress_counts_for_what_it_brings() {
    let (mut model, request, deployment) = fetching();
    assembled(&mut model, request, arrival(5));
    // X while the response is being stored: what is shown is made again …
    let effects = press(&mut model, KeyCode::Char('X'));
    assert!(matches!(effects[..], [Effect::Compute(_)]), "{effects:?}");
    carry_out(&mut model, effects);
    assert!(!shown_track(&model).excludes_failed());
    // … and the result of the fetch, made with the old choice, is not shown.
    let effects = ended(&mut model, request, arrival(6));
    assert_eq!(fixes(&model), Some(5));
    carry_out(&mut model, effects);
    assert_eq!(fixes(&model), Some(6));
    assert!(!shown_track(&model).excludes_failed());
    assert_eq!(
        model.deployments.get(deployment).unwrap().track.pending,
        None
    );
}

#[test]
fn going_back_to_the_choice_that_a_response_was_made_with_shows_it_at_once() {
    let (mut model, request, _) = fetching();
    assembled(&mut model, request, arrival(5));
    press(&mut model, KeyCode::Char('X'));
    ended(&mut model, request, arrival(6));
    assert_eq!(fixes(&model), Some(5));
    press(&mut model, KeyCode::Char('X'));
    assert_eq!(fixes(&model), Some(6));
    assert!(shown_track(&model).excludes_failed());
}

#[test]
fn of_two_quick_choices_the_last_one_counts_whatever_arrives_first() {
    let mut model = with_track(5);
    let first = press(&mut model, KeyCode::Char('X'));
    let back = press(&mut model, KeyCode::Char('X'));
    assert!(matches!(back[..], [Effect::Cancel(_)]), "{back:?}");
    carry_out(&mut model, first);
    assert!(shown_track(&model).excludes_failed());
}

#[test]
fn a_track_made_of_an_older_response_never_replaces_a_newer_one() {
    let mut model = with_track(5);
    let old = press(&mut model, KeyCode::Char('X'));
    let request = fetches(&press(&mut model, KeyCode::Char('r')))[0].0;
    let options = TrackOptions {
        exclude_failed: false,
        ..TrackOptions::new(Platform::Drifter, NOW)
    };
    ended(&mut model, request, loaded_with(7, options));
    assert_eq!(fixes(&model), Some(7));
    carry_out(&mut model, old);
    assert_eq!(fixes(&model), Some(7));
}

#[test]
fn archived_flags_count_for_a_response_that_was_begun_before_they_were_read() {
    let (mut model, request, _) = fetching();
    stored(&mut model, first_failed(), None);
    let effects = ended(&mut model, request, arrival(5));
    carry_out(&mut model, effects);
    let track = shown_track(&model);
    assert_eq!(track.fix(0).unwrap().flag, Flag::Fail);
}

#[test]
fn a_flag_set_by_hand_is_stored_and_the_track_is_made_again_with_it() {
    let mut model = with_track(5);
    press(&mut model, KeyCode::Char('g'));
    let effects = press(&mut model, KeyCode::Char('x'));
    assert!(
        matches!(
            effects[..],
            [
                Effect::StoreOverride {
                    flag: Some(Flag::Fail),
                    ..
                },
                Effect::Compute(_)
            ]
        ),
        "{effects:?}"
    );
    carry_out(&mut model, effects);
    assert_eq!(shown_track(&model).fix(0).unwrap().flag, Flag::Fail);
    // Once more, the flag is cleared.
    let effects = press(&mut model, KeyCode::Char('x'));
    assert!(
        matches!(effects[0], Effect::StoreOverride { flag: None, .. }),
        "{effects:?}"
    );
    carry_out(&mut model, effects);
    assert_eq!(shown_track(&model).fix(0).unwrap().flag, Flag::Pass);
}

#[test]
fn the_key_that_failed_the_latest_fix_takes_it_back() {
    let mut model = with_track(5);
    for flag in [Flag::Fail, Flag::Pass] {
        let effects = press(&mut model, KeyCode::Char('x'));
        carry_out(&mut model, effects);
        assert_eq!(model.tabs.track.cursor, 4);
        assert_eq!(shown_track(&model).fix(4).unwrap().flag, flag);
        let said = match flag {
            Flag::Fail => ("x include  fix ", " excluded; 1 by hand"),
            _ => ("x exclude  fix ", " included; 0 by hand"),
        };
        let notice = super::said(&model);
        assert!(
            notice.starts_with(said.0) && notice.ends_with(said.1),
            "{notice}"
        );
    }
}

#[test]
fn the_same_key_twice_leaves_no_override_however_quickly() {
    let mut model = with_track(5);
    let mut effects = press(&mut model, KeyCode::Char('x'));
    let second = press(&mut model, KeyCode::Char('x'));
    assert!(
        matches!(second[0], Effect::StoreOverride { flag: None, .. }),
        "{second:?}"
    );
    effects.extend(second);
    carry_out(&mut model, effects);
    assert_eq!(shown_track(&model).fix(4).unwrap().flag, Flag::Pass);
}

#[test]
fn no_flag_is_set_where_the_filter_leaves_no_row() {
    let mut model = with_track(5);
    press(&mut model, KeyCode::Char('&'));
    let effects = type_text(&mut model, "zzzz");
    carry_out(&mut model, effects);
    press(&mut model, KeyCode::Enter);
    assert_eq!(press(&mut model, KeyCode::Char('x')), vec![]);
    assert!(model.messages.notice.is_some());
}

#[test]
fn the_cursor_stays_on_its_fix_when_earlier_fixes_arrive() {
    let mut model = with_track(10);
    for _ in 0..3 {
        press(&mut model, KeyCode::Char('k'));
    }
    let on = shown_track(&model).fix(6).unwrap();
    assert_eq!(model.tabs.track.cursor, 6);
    let (request, _) = fetches(&press(&mut model, KeyCode::Char('r')))[0];
    // The latest fix of each is at the same time: five more come before.
    let effects = ended(&mut model, request, arrival(15));
    carry_out(&mut model, effects);
    let track = shown_track(&model);
    assert_eq!(track.len(), 15);
    let now_on = track.fix(model.tabs.track.cursor).unwrap();
    assert_eq!(now_on.time_stamp, on.time_stamp);
}

#[test]
fn rows_of_an_earlier_filter_are_not_shown() {
    let mut model = with_track(50);
    press(&mut model, KeyCode::Char('&'));
    let slow = type_text(&mut model, "8");
    let quick = type_text(&mut model, "z");
    carry_out(&mut model, quick);
    assert_eq!(model.rows(), 0);
    carry_out(&mut model, slow);
    assert_eq!(model.rows(), 0);
}

#[test]
fn an_export_of_a_track_that_is_gone_says_so() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char('E'));
    model.deployments.list[0].track.held = None;
    assert!(press(&mut model, KeyCode::Enter).is_empty());
    let Some(Dialog::Export(form)) = model.dialogs.last() else {
        panic!("the form is gone");
    };
    assert!(form.writing.is_none() && form.path.error.contains("no track"));
}

#[test]
fn only_a_file_that_exists_is_offered_to_be_replaced() {
    for (exists, offered) in [(true, true), (false, false)] {
        let mut model = with_track(3);
        press(&mut model, KeyCode::Char('E'));
        let effects = press(&mut model, KeyCode::Enter);
        let [Effect::Export { request, job }] = effects.as_slice() else {
            panic!("{effects:?}");
        };
        assert!(!job.replace && job.track.len() == 3);
        let failure = failure(FailureKind::Usage);
        let outcome = if exists {
            Err(WriteError::Exists(failure))
        } else {
            Err(WriteError::Failed(failure))
        };
        send(
            &mut model,
            Event::Exported {
                request: *request,
                outcome,
            },
        );
        let Some(Dialog::Export(form)) = model.dialogs.last() else {
            panic!("the form is gone");
        };
        assert_eq!(form.replaces, offered);
        let effects = press(&mut model, KeyCode::Enter);
        assert!(
            matches!(&effects[..], [Effect::Export { job, .. }] if job.replace == offered),
            "{effects:?}"
        );
    }
}

#[test]
fn what_falls_due_while_the_program_is_suspended_is_fetched_when_it_continues() {
    let mut model = with_track(5);
    let effects = send(&mut model, Event::Now(NOW + 3600.0));
    assert_eq!(fetches(&effects).len(), 1);
    assert!(model.deployments.list[0].track.loading.is_some());
}
