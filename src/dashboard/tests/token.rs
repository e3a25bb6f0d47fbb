//! Refusals: 401 is about the token, 403 about what was asked for, a 5xx about
//! neither. In every order of answers one refused deployment stops none of the
//! others, and a person is asked for a token at most once.

use super::*;

/// How the service answers for a deployment.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Said {
    Records,
    Unauthorized,
    Forbidden,
    Broken,
    Unreachable,
}

impl Said {
    const ALL: [Self; 5] = [
        Self::Records,
        Self::Unauthorized,
        Self::Forbidden,
        Self::Broken,
        Self::Unreachable,
    ];

    fn outcome(self) -> Result<LoadedTrack, Failure> {
        Err(failure(match self {
            Self::Records => return Ok(arrival(3)),
            Self::Unauthorized => FailureKind::NotAuthenticated,
            Self::Forbidden => FailureKind::Forbidden,
            Self::Broken => FailureKind::Service,
            Self::Unreachable => FailureKind::Unreachable,
        }))
    }

    /// `true` if it says that the service let the token in, as far as can be told.
    fn lets_in(self) -> bool {
        matches!(self, Self::Records | Self::Broken)
    }

    fn refuses(self) -> bool {
        matches!(self, Self::Unauthorized | Self::Forbidden)
    }
}

fn answer(
    model: &mut Dashboard,
    (request, deployment): (RequestId, Uuid),
    said: Said,
) -> Vec<Effect> {
    let outcome = said.outcome();
    send(model, updated((request, deployment), outcome))
}

fn asks(model: &Dashboard) -> bool {
    matches!(model.dialogs.last(), Some(Dialog::Token(_)))
}

/// Every list of so many of these.
fn lists(length: usize) -> Vec<Vec<Said>> {
    (0..length).fold(vec![Vec::new()], |lists, _| {
        lists
            .iter()
            .flat_map(|list| Said::ALL.map(|said| [&list[..], &[said]].concat()))
            .collect()
    })
}

fn orders(length: usize) -> Vec<Vec<usize>> {
    match length {
        2 => vec![vec![0, 1], vec![1, 0]],
        _ => vec![
            vec![0, 1, 2],
            vec![0, 2, 1],
            vec![1, 0, 2],
            vec![1, 2, 0],
            vec![2, 0, 1],
            vec![2, 1, 0],
        ],
    }
}

#[test]
fn in_every_order_of_answers_a_token_is_asked_for_only_if_all_were_refusals() {
    for length in [2, 3] {
        for list in lists(length) {
            for order in orders(length) {
                let mut model = model(u128::try_from(length).unwrap());
                let asked = fetches(&send(&mut model, Event::Now(NOW)));
                for &place in &order {
                    answer(&mut model, asked[place], list[place]);
                }
                let let_in = list.iter().any(|said| said.lets_in());
                let refused = list.iter().any(|said| said.refuses());
                assert_eq!(asks(&model), refused && !let_in, "{list:?} {order:?}");
                press(&mut model, KeyCode::Esc);
                // Once is enough.
                send(&mut model, Event::Now(NOW + 30.0));
                assert!(!asks(&model), "{list:?} {order:?}");
            }
        }
    }
}

#[test]
fn in_every_order_of_answers_the_others_go_on_and_a_refused_one_waits_an_hour() {
    for length in [2, 3] {
        for list in lists(length) {
            let stopped = list.contains(&Said::Unauthorized) && !list.iter().any(|s| s.lets_in());
            for order in orders(length) {
                let mut model = model(u128::try_from(length).unwrap());
                let asked = fetches(&send(&mut model, Event::Now(NOW)));
                // What failed is asked for again when another deployment is answered.
                let mut begun = Vec::new();
                for &place in &order {
                    begun.extend(fetches(&answer(&mut model, asked[place], list[place])));
                }
                press(&mut model, KeyCode::Esc);
                let again = |model: &mut Dashboard, at: f64| -> Vec<Uuid> {
                    let all = fetches(&send(model, Event::Now(at)));
                    all.into_iter().map(|(_, uuid)| uuid).collect()
                };
                let mut soon = again(&mut model, NOW + 600.0);
                if model.deployments.agenda.is_down() && !stopped {
                    assert_eq!(soon.len(), 1, "one tries the service for all");
                    continue;
                }
                soon.extend(begun.into_iter().map(|(_, uuid)| uuid));
                for (place, said) in list.iter().enumerate() {
                    let goes_on = !stopped && !said.refuses();
                    let uuid = asked[place].1;
                    assert_eq!(soon.contains(&uuid), goes_on, "{list:?} {order:?} {place}");
                }
                let late = again(&mut model, NOW + 4000.0);
                for (place, said) in list.iter().enumerate() {
                    let due = !stopped && said.refuses();
                    let uuid = asked[place].1;
                    assert_eq!(late.contains(&uuid), due, "{list:?} {order:?} {place}");
                }
            }
        }
    }
}

#[test]
fn a_refusal_waits_a_moment_for_the_other_answers_and_not_for_ever() {
    let mut model = model(2);
    let asked = fetches(&send(&mut model, Event::Now(NOW)));
    answer(&mut model, asked[0], Said::Forbidden);
    assert!(!asks(&model));
    send(&mut model, Event::Now(NOW + 4.0));
    assert!(!asks(&model));
    send(&mut model, Event::Now(NOW + 5.0));
    assert!(asks(&model), "the other answer hangs");
}

#[test]
fn no_dialog_opens_over_a_person_who_types() {
    let mut model = model(1);
    let asked = fetches(&send(&mut model, Event::Now(NOW)));
    press(&mut model, KeyCode::Char('/'));
    answer(&mut model, asked[0], Said::Unauthorized);
    type_text(&mut model, "34");
    send(&mut model, Event::Now(NOW + 60.0));
    assert!(matches!(model.dialogs[..], [Dialog::Prompt(_)]));
    // The prompt is closed, and a tab is chosen.
    press(&mut model, KeyCode::Esc);
    press(&mut model, KeyCode::Char('4'));
    assert!(model.dialogs.is_empty());
    send(&mut model, Event::Now(NOW + 62.0));
    assert_eq!(model.screen.tab, TabId::Activity);
    assert!(model.dialogs.is_empty());
    send(&mut model, Event::Now(NOW + 63.0));
    assert!(asks(&model));
}

#[test]
fn a_dashboard_that_goes_on_says_so_in_the_row_and_keeps_the_connection() {
    let mut model = model(2);
    let asked = fetches(&send(&mut model, Event::Now(NOW)));
    answer(&mut model, asked[0], Said::Records);
    answer(&mut model, asked[1], Said::Forbidden);
    assert!(matches!(model.service.connection, Connection::Good(_)));
    let (failure, _) = model.deployments.list[1].track.failure.clone().unwrap();
    assert_eq!(failure.kind, FailureKind::Forbidden);
    // A token that has expired is said, and is no reason to interrupt.
    let again = fetches(&press(&mut model, KeyCode::Char('r')));
    for one in again {
        answer(&mut model, one, Said::Unauthorized);
    }
    send(&mut model, Event::Now(NOW + 30.0));
    assert!(model.dialogs.is_empty());
    assert!(matches!(model.service.connection, Connection::Failing(..)));
}

/// Types a token; returns the request with what it is tested on.
fn typed(model: &mut Dashboard) -> (RequestId, Vec<Uuid>) {
    if !asks(model) {
        send(model, Event::Key(Key::plain(KeyCode::F(3))));
    }
    type_text(model, "s3cret");
    match press(model, KeyCode::Enter).as_slice() {
        [
            Effect::TryToken {
                request,
                deployments,
                ..
            },
        ] => (
            *request,
            deployments.iter().map(|(id, _)| id.uuid).collect(),
        ),
        effects => panic!("{effects:?}"),
    }
}

#[test]
fn a_token_is_tested_on_what_has_answered_before() {
    let mut model = model(3);
    let asked = fetches(&send(&mut model, Event::Now(NOW)));
    answer(&mut model, asked[0], Said::Forbidden);
    answer(&mut model, asked[1], Said::Broken);
    answer(&mut model, asked[2], Said::Records);
    // The open one is private.
    model.deployments.open = Some(uuid(0));
    assert_eq!(typed(&mut model).1, [uuid(2), uuid(0), uuid(1)]);
}

#[test]
fn a_token_can_be_entered_with_an_empty_watch_list() {
    let mut model = model(0);
    let (request, deployments) = typed(&mut model);
    assert!(deployments.is_empty());
    send(
        &mut model,
        Event::Token {
            request,
            outcome: Ok(AcceptedToken::ForThisSession("a 500".to_owned())),
            answered: None,
        },
    );
    assert!(model.dialogs.is_empty());
    let notice = said(&model);
    assert!(
        notice.contains("this session only") && notice.contains("a 500"),
        "{notice}"
    );
}

#[test]
fn the_answer_to_the_test_of_a_token_is_used_and_only_what_failed_is_fetched() {
    let mut model = model(3);
    let asked = fetches(&send(&mut model, Event::Now(NOW)));
    answer(&mut model, asked[0], Said::Unauthorized);
    answer(&mut model, asked[1], Said::Unauthorized);
    answer(&mut model, asked[2], Said::Unauthorized);
    let (request, _) = typed(&mut model);
    let effects = send(
        &mut model,
        Event::Token {
            request,
            outcome: Ok(AcceptedToken::InKeyring {
                environment_wins: true,
            }),
            answered: Some(uuid(0)),
        },
    );
    let fetched: Vec<Uuid> = fetches(&effects)
        .into_iter()
        .map(|(_, uuid)| uuid)
        .collect();
    assert_eq!(fetched, [uuid(1), uuid(2)]);
    let notice = said(&model);
    assert!(notice.contains("DRIFTLINE_TOKEN"), "{notice}");
    answer(&mut model, (request, uuid(0)), Said::Records);
    let one = &model.deployments.list[0].track;
    assert!(one.loaded().is_some() && one.failure.is_none() && one.loading.is_none());
}

#[test]
fn a_token_that_is_not_taken_leaves_the_dialog_open_and_the_others_going() {
    let mut model = model(2);
    let asked = fetches(&send(&mut model, Event::Now(NOW)));
    answer(&mut model, asked[0], Said::Records);
    answer(&mut model, asked[1], Said::Forbidden);
    let (request, _) = typed(&mut model);
    send(
        &mut model,
        Event::Token {
            request,
            outcome: Err(failure(FailureKind::Forbidden)),
            answered: None,
        },
    );
    let Some(Dialog::Token(form)) = model.dialogs.last() else {
        panic!("the dialog is gone");
    };
    assert!(form.trying.is_none() && form.secret.error.contains("it failed"));
    let again = fetches(&send(&mut model, Event::Now(NOW + 600.0)));
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].1, uuid(0));
}

#[test]
fn a_key_that_came_too_late_for_the_dashboard_is_no_part_of_a_pasted_token() {
    let mut model = model(1);
    for asked in fetches(&send(&mut model, Event::Now(NOW))) {
        answer(&mut model, asked, Said::Unauthorized);
    }
    assert!(asks(&model));
    // A hand that wanted to refresh, and then sees what is asked.
    press(&mut model, KeyCode::Char('r'));
    send(&mut model, Event::Paste("pasted-token".to_owned()));
    let tried = |effects: Vec<Effect>| match effects.as_slice() {
        [Effect::TryToken { token, .. }] => token.0.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(tried(press(&mut model, KeyCode::Enter)), "pasted-token");
    // In the dialog of a key all that is typed belongs to the token.
    let mut model = with_track(3);
    send(&mut model, Event::Key(Key::plain(KeyCode::F(3))));
    press(&mut model, KeyCode::Char('r'));
    send(&mut model, Event::Paste("est".to_owned()));
    assert_eq!(tried(press(&mut model, KeyCode::Enter)), "rest");
}
