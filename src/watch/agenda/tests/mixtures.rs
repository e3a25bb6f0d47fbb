//! Lists of which a part always fails, in one program and in rounds of one program each.

use proptest::prelude::*;

use super::*;

/// What a service does for a list, by the number of the deployment.
#[derive(Debug, Clone)]
struct Mixture {
    /// `None` for what answers; else the status (0: no connection) and how long that takes,
    /// seconds.
    fails: Vec<Option<(u16, f64)>>,
    /// The time between two fixes, seconds.
    t: f64,
}

impl Mixture {
    fn uuids(&self) -> impl Iterator<Item = (Uuid, Option<(u16, f64)>)> + '_ {
        let numbers = (0u128..).map(uuid);
        numbers.zip(self.fails.iter().copied())
    }

    /// The answer at a time: the last fix came when it was due.
    fn answer(&self, at: f64) -> LastAnswer {
        answer(at, (at - NOW).rem_euclid(self.t), self.t)
    }
}

/// A service with the programs that ask it one after the other.
struct World {
    mixture: Mixture,
    agenda: Agenda,
    /// When requests end, and for what.
    ends: Vec<(f64, Uuid)>,
    /// The requests after all was answered at [`NOW`].
    asked: HashMap<Uuid, Vec<f64>>,
    answers: HashMap<Uuid, LastAnswer>,
    /// What the archive has of failures.
    failures: HashMap<Uuid, LastFailure>,
}

impl World {
    fn new(mixture: Mixture) -> Self {
        let answers = mixture.uuids().map(|(uuid, _)| (uuid, mixture.answer(NOW)));
        let mut world = Self {
            agenda: Agenda::new(REFRESH),
            ends: Vec::new(),
            asked: HashMap::new(),
            answers: answers.collect(),
            failures: HashMap::new(),
            mixture,
        };
        world.restart(NOW);
        world
    }

    /// The program ends, and another begins.
    fn restart(&mut self, now: f64) {
        self.failures = self.agenda.service.stored(&self.agenda.entries);
        self.agenda = Agenda::new(REFRESH);
        self.ends.clear();
        for (uuid, _) in self.mixture.uuids() {
            self.agenda.put(uuid, self.answers.get(&uuid).copied(), now);
        }
        self.agenda.failed_before(&self.failures, now);
    }

    /// A second of the program.
    fn step(&mut self, now: f64) {
        let ended: Vec<(f64, Uuid)> = self.ends.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, one) in ended {
            let fails = self.mixture.uuids().find(|(uuid, _)| *uuid == one);
            match fails.and_then(|(_, fails)| fails) {
                Some((status, _)) => drop(self.agenda.failed(one, &failure(status), now)),
                None => {
                    let answer = self.mixture.answer(now);
                    self.answers.insert(one, answer);
                    self.agenda.answered(one, answer);
                }
            }
        }
        let room = self.agenda.room(now, 4);
        for one in self.agenda.due(now, room, None) {
            let fails = self.mixture.uuids().find(|(uuid, _)| *uuid == one);
            let took = fails.and_then(|(_, fails)| fails).map_or(0.0, |(_, s)| s);
            self.ends.push((now + took, one));
            self.asked.entry(one).or_default().push(now);
        }
    }
}

fn mixtures() -> impl Strategy<Value = Mixture> {
    let way = prop_oneof![
        Just((0u16, 0.0)),
        Just((0u16, 60.0)),
        Just((500u16, 3.0)),
        Just((404u16, 0.0)),
    ];
    let one = prop_oneof![Just(None), way.prop_map(Some)];
    let t = prop_oneof![Just(60.0), Just(600.0), Just(H)];
    (prop::collection::vec(one, 1..24), t).prop_map(|(fails, t)| Mixture { fails, t })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_answers_is_asked_in_its_time_whatever_else_of_the_list_fails(
        mixture in mixtures(),
        restarts in prop::collection::vec(1u32..10_800, 0..4),
    ) {
        // Each is tried once at most before one is answered.
        let longest = (3.0 * mixture.t).max(60.0 * (mixture.fails.len() as f64 + 4.0));
        let mut world = World::new(mixture.clone());
        for second in 0..10_800u32 {
            let now = NOW + f64::from(second);
            if restarts.contains(&second) {
                world.restart(now);
            }
            world.step(now);
        }
        let end = NOW + 10_800.0;
        for (uuid, fails) in mixture.uuids() {
            if fails.is_some() {
                continue;
            }
            let mut last = NOW;
            let asked = world.asked.get(&uuid).into_iter().flatten().copied();
            for at in asked.chain([end]) {
                prop_assert!(at - last <= mixture.t + longest, "{uuid} {last} {at}");
                last = at;
            }
        }
    }

    #[test]
    fn a_service_on_which_all_fails_is_asked_once_for_each_and_then_each_minute(
        mut mixture in mixtures(),
        status in prop_oneof![Just(0u16), Just(500u16), Just(403u16)],
    ) {
        mixture.fails.fill(Some((status, 0.0)));
        let mut world = World::new(mixture.clone());
        for second in 0..10_800u32 {
            world.step(NOW + f64::from(second));
        }
        let asked: usize = world.asked.values().map(Vec::len).sum();
        // Within a minute of its last answers those that fail may do so alone.
        prop_assert!(asked <= 10_800 / 60 + 2 * mixture.fails.len() + 4, "{asked}");
    }
}

#[test]
fn the_first_that_tries_a_service_is_the_one_that_was_answered_last_and_then_each_has_its_turn() {
    let mut agenda = answered(6);
    agenda.answered(uuid(4), answer(NOW + 60.0, H, 4.0 * H));
    let down = NOW + 3.0 * H;
    for number in [0, 1] {
        agenda.begin(uuid(number), down);
        agenda.failed(uuid(number), &failure(0), down);
    }
    assert!(agenda.is_down());
    let tried: Vec<Uuid> = (1..=6u32)
        .map(|minute| {
            let now = down + 60.0 * f64::from(minute);
            let tried = agenda.due(now, 9, None);
            assert_eq!(tried.len(), 1);
            agenda.failed(tried[0], &failure(0), now);
            tried[0]
        })
        .collect();
    assert_eq!(tried[0], uuid(4));
    let mut each = tried.clone();
    each.sort();
    each.dedup();
    assert_eq!(each.len(), 6, "{tried:?}");
}

#[test]
fn what_fails_while_others_answer_says_nothing_of_the_service() {
    let mut agenda = answered(20);
    for number in 0..10 {
        agenda.begin(uuid(number), NOW + H);
    }
    agenda.begin(uuid(10), NOW + H + 50.0);
    agenda.answered(uuid(10), answer(NOW + H + 50.0, 0.0, 4.0 * H));
    for number in 0..10 {
        agenda.failed(uuid(number), &failure(0), NOW + H + 60.0);
    }
    assert!(!agenda.service().fails());
}

#[test]
fn a_round_tries_a_service_that_fails_three_times_at_most() {
    let mut agenda = answered(40);
    let down = NOW + 3.0 * H;
    for number in 0..8 {
        agenda.begin(uuid(number), down);
        agenda.failed(uuid(number), &failure(0), down);
    }
    for (since_s, probes) in [(0.0, 1), (60.0, 1), (300.0, 2), (900.0, 3), (DAY, 3)] {
        assert_eq!(agenda.probes_since(down + since_s), probes, "{since_s}");
    }
}

#[test]
fn one_that_was_refused_before_the_service_failed_or_was_never_readable_does_not_try_it() {
    for (was_readable, last_ago_s) in [(true, 9e3), (true, 30.0), (false, 9e3), (false, 30.0)] {
        for status in [401, 403, 404, 410] {
            let mut agenda = answered(4);
            let refused = uuid(9);
            let before = was_readable.then(|| answer(NOW - 9.0 * H, H, 4.0 * H));
            agenda.put(refused, before, NOW);
            for hour in 1..3 {
                let now = NOW + H * f64::from(hour);
                agenda.begin(refused, now);
                agenda.failed(refused, &failure(status), now);
                agenda.answered(uuid(0), answer(now, H, 4.0 * H));
            }
            // Within a minute of an answer each fails by itself at first.
            let down = NOW + 6.0 * H;
            agenda.answered(uuid(0), answer(down - last_ago_s, H, 4.0 * H));
            for number in 0..4 {
                agenda.begin(uuid(number), down);
                agenda.failed(uuid(number), &failure(503), down);
            }
            assert!(agenda.is_down());
            for minute in 1..9 {
                let now = down + 60.0 * f64::from(minute);
                let tried = agenda.due(now, 9, None);
                assert!(
                    tried.len() == 1 && tried[0] != refused,
                    "{status} {tried:?}"
                );
                agenda.failed(tried[0], &failure(503), now);
            }
        }
    }
}
