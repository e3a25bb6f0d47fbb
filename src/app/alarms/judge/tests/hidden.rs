//! Whatever hides what an instrument does, an alarm is raised: of the limit that is exceeded, of
//! the silence, or that the limit is not judged. None is raised of an instrument that works.

use super::empty_values::hourly;
use super::*;
use crate::track::field::{FieldRows, FieldTable, FieldValue};
use crate::track::{
    FieldLimitChange, Member, RecordFault, Records, Side, TrackOptions, Transmission,
};

/// What is wrong from a time on.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wrong {
    Nothing,
    /// It is 5 km outside its circle.
    Outside,
    /// Its battery is low.
    Low,
    /// Its battery has no numbers.
    NoNumbers,
    /// It sends nothing.
    Silent,
    /// It is carried straight on at 3 m/s.
    Carried,
    /// It lies still.
    Still,
}

/// How a report comes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Report {
    Good,
    /// Twice, a tenth of a millimetre apart.
    Twice,
    /// With another position at its time, some hundred metres away.
    WithAnother,
    /// At 0° N 0° E.
    Nowhere,
    /// Without its position.
    Invalid,
    /// With a time some hours ahead of the clock.
    Ahead,
    /// So many intervals after its time.
    Late(u32),
}

/// A record as it is sent: its time, its position if it has one, its battery, and when it comes.
#[derive(Debug, Clone, Copy)]
struct Sent {
    time: f64,
    position: Option<(f64, f64)>,
    volts: Option<f64>,
    comes_at: f64,
}

/// A case of the property.
#[derive(Debug)]
struct Case {
    wrong: Wrong,
    platform: Platform,
    /// T, seconds.
    interval_s: f64,
    /// The number of intervals after which it is wrong.
    event: u32,
    /// The numbers of intervals that are played.
    count: u32,
    sent: Vec<Sent>,
}

const PER_DEGREE_M: f64 = 111_320.0;

impl Case {
    fn new(chance: &Chance) -> Self {
        use Wrong::{Carried, Low, NoNumbers, Nothing, Outside, Silent, Still};
        let all = [Nothing, Outside, Low, NoNumbers, Silent, Carried, Still];
        let wrong = all[chance.below(all.len())];
        let platform = match wrong {
            Carried | Still => Platform::Drifter,
            _ => [Platform::Mooring, Platform::Generic][chance.below(2)],
        };
        let interval_s = match wrong {
            Still => 2.0 * HOUR,
            Carried => [600.0, HOUR][chance.below(2)],
            _ => [600.0, HOUR, 4.0 * HOUR][chance.below(3)],
        };
        let event = 24;
        let long_s = match wrong {
            Still => 56.0 * HOUR,
            Carried => 12.0 * HOUR,
            _ => 24.0 * interval_s.max(1200.0),
        };
        let count = event + (long_s / interval_s) as u32;
        let mut case = Self {
            wrong,
            platform,
            interval_s,
            event,
            count,
            sent: Vec::new(),
        };
        // Nearly all in one way, or some in ways of every kind.
        let odd = [
            Report::Twice,
            Report::WithAnother,
            Report::Nowhere,
            Report::Invalid,
            Report::Ahead,
            Report::Late(1 + u32::try_from(chance.below(3)).unwrap()),
        ];
        let share = [0, 1, 3, 6, 10][chance.below(5)];
        // Two positions that take turns move.
        let odd = match wrong {
            Still => &odd[..1],
            _ => &odd[..],
        };
        let mostly = odd[chance.below(odd.len())];
        let is_mixed = chance.below(2) == 0;
        for number in 0..count {
            let is_benign = wrong == Nothing || number < event;
            let report = if is_benign && number % 11 == 7 {
                // What a working instrument does now and then.
                [Report::Nowhere, Report::Invalid, Report::Late(1)][chance.below(3)]
            } else if is_benign {
                [Report::Good, Report::Twice][chance.below(2)]
            } else if chance.below(10) < share {
                if is_mixed {
                    odd[chance.below(odd.len())]
                } else {
                    mostly
                }
            } else {
                Report::Good
            };
            case.send(chance, number, report);
        }
        case
    }

    fn send(&mut self, chance: &Chance, number: u32, report: Report) {
        let since = f64::from(number.saturating_sub(self.event)) * self.interval_s;
        let is_wrong = number >= self.event;
        if is_wrong && self.wrong == Wrong::Silent {
            return;
        }
        // The receiver strays by metres; a drifter drifts.
        let noise = |chance: &Chance| f64::from(u32::try_from(chance.below(9)).unwrap());
        let drift = match self.platform {
            Platform::Drifter if self.wrong == Wrong::Still => {
                400.0 * f64::from(number.min(self.event))
            }
            Platform::Drifter => 200.0 * f64::from(number.min(self.event)),
            _ => 0.0,
        };
        let away = match self.wrong {
            Wrong::Outside if is_wrong => 700.0,
            Wrong::Carried => 3.0 * since,
            _ => 0.0,
        };
        let time = START + f64::from(number) * self.interval_s;
        let place = (drift + away + noise(chance), noise(chance));
        let one = Sent {
            time,
            position: Some(place),
            volts: match self.wrong {
                Wrong::Low if is_wrong => Some(9.0),
                Wrong::NoNumbers if is_wrong => None,
                _ => Some(12.0),
            },
            comes_at: time,
        };
        match report {
            Report::Good => self.sent.push(one),
            Report::Twice => {
                let position = Some((place.0 + 1e-4, place.1));
                self.sent.extend([one, Sent { position, ..one }]);
            }
            Report::WithAnother => {
                let position = Some((place.0 + 300.0, place.1));
                self.sent.extend([one, Sent { position, ..one }]);
            }
            Report::Nowhere => self.sent.push(Sent {
                position: Some((f64::NAN, 0.0)),
                ..one
            }),
            Report::Invalid => self.sent.push(Sent {
                position: None,
                ..one
            }),
            Report::Ahead => self.sent.push(Sent {
                time: time + 6.0 * HOUR + 1.0,
                ..one
            }),
            Report::Late(by) => self.sent.push(Sent {
                comes_at: time + f64::from(by) * self.interval_s,
                ..one
            }),
        }
    }

    fn entry(&self) -> Deployment {
        let mut limits = Limits {
            inside: match self.wrong {
                Wrong::Carried | Wrong::Still => None,
                _ => Inside::from_stored("60,5,200"),
            },
            ..Limits::default()
        };
        let change = FieldLimitChange::parse(Side::Below, "battery=11 V").unwrap();
        change.apply(&mut limits.fields);
        Deployment {
            platform: self.platform,
            limits,
            ..Deployment::new(UUID)
        }
    }

    /// All that has come by a time.
    fn answer(&self, now: f64) -> Records {
        let mut records = Records::default();
        let (mut transmissions, mut table) = (Vec::new(), FieldTable::default());
        for one in self.sent.iter().filter(|one| one.comes_at <= now) {
            let Some((north_m, east_m)) = one.position else {
                let fault = RecordFault::Missing(Member::Latitude);
                records.add_unusable(0, fault.at(one.time), String::new);
                continue;
            };
            let (latitude, longitude) = if north_m.is_nan() {
                (0.0, 0.0)
            } else {
                (
                    60.0 + north_m / PER_DEGREE_M,
                    5.0 + 2.0 * east_m / PER_DEGREE_M,
                )
            };
            let row = u32::try_from(transmissions.len()).unwrap();
            transmissions.push(Transmission::new(one.time, latitude, longitude).unwrap());
            table.begin();
            let value = one.volts.map_or(FieldValue::Null, FieldValue::Number);
            table.add(row, "battery", value, |_| true).unwrap();
        }
        records.transmissions = transmissions.into();
        records.fields = FieldRows::new(table);
        records
    }

    /// When the condition of the rule is fulfilled by the fixes that count, UNIX seconds: from
    /// max(3 T, 1 h) later on an alarm stands.
    fn fulfilled_at(&self) -> f64 {
        let end = START + f64::from(self.count) * self.interval_s;
        let event = START + f64::from(self.event) * self.interval_s;
        let track = Track::new(&self.answer(end), &TrackOptions::new(self.platform, end));
        let wrong: Vec<f64> = (track.included_fixes())
            .map(|fix| fix.time_stamp)
            .filter(|at| *at >= event && self.sent.iter().any(|one| one.time == *at))
            .collect();
        let comes = |at: f64| {
            let sent = self.sent.iter().filter(|one| one.time == at);
            let comes = sent.map(|one| one.comes_at.max(one.time));
            comes.fold(at, f64::max)
        };
        let mut wrong: Vec<f64> = wrong.into_iter().map(comes).collect();
        wrong.sort_by(f64::total_cmp);
        wrong.dedup();
        let nth = |n: usize| wrong.get(n).copied();
        let last_good = event - self.interval_s;
        // Without a fix it is silent.
        let silent = last_good + 3.0 * self.interval_s;
        match self.wrong {
            Wrong::Nothing => f64::INFINITY,
            Wrong::Silent => silent,
            Wrong::Outside | Wrong::Low => nth(1).unwrap_or(silent),
            Wrong::NoNumbers => nth(2).unwrap_or(silent),
            Wrong::Carried => nth(1).map_or(silent, |at| at.max(event + 3.5 * HOUR)),
            Wrong::Still => event + 50.0 * HOUR,
        }
    }

    /// Plays it in rounds; returns when the first alarm was raised, and which.
    fn played(&self) -> Option<(f64, Kind)> {
        let entry = self.entry();
        let mut archive = watching(&entry, START);
        let list = [entry];
        let start = START + 8.0 * self.interval_s;
        for round in 0..=u32::MAX {
            let now = start + f64::from(round) * self.interval_s + 1.0;
            if now > START + f64::from(self.count) * self.interval_s {
                return None;
            }
            let answer = Answer {
                records: Arc::new(self.answer(now)),
                ..Answer::new(200, "https://service.example", now)
            };
            archive.ingest(UUID, &answer).unwrap();
            judge(&mut archive, UUID, &AtHand::default(), now).unwrap();
            judge_list(&mut archive, &list, &Asked::default(), now).unwrap();
            if let Some(alarm) = archive.alarms().unwrap().first() {
                return Some((now, alarm.kind));
            }
        }
        None
    }
}

#[test]
fn what_is_wrong_is_an_alarm_however_its_reports_come_and_what_is_well_is_none() {
    let chance = Chance::new("hidden");
    let mut found: HashMap<String, usize> = HashMap::new();
    for round in 0..rounds(60, 2000) {
        let case = Case::new(&chance);
        let (wrong, platform, t) = (case.wrong, case.platform, case.interval_s);
        let said = format!("round {round}: {wrong:?} {platform} T {t}");
        let event = START + f64::from(case.event) * t;
        match (wrong, case.played()) {
            (Wrong::Nothing, raised) => assert_eq!(raised, None, "{said}"),
            (_, None) => panic!("{said}: nothing is raised: {:#?}", case.sent),
            (_, Some((at, kind))) => {
                assert!(at >= event - t, "{said}: {kind:?} before it was wrong");
                let latest = case.fulfilled_at() + (3.0 * t).max(HOUR) + t;
                let late_s = at - latest;
                assert!(
                    late_s <= 1.0,
                    "{said}: {kind:?} {late_s} s late: {:#?}",
                    case.sent
                );
                *found.entry(format!("{wrong:?} {kind:?}")).or_default() += 1;
            }
        }
    }
    let kinds = [Kind::Outside, Kind::Below, Kind::Overdue, Kind::Unjudged];
    for kind in kinds.into_iter().chain([Kind::PickedUp, Kind::Stationary]) {
        let name = format!(" {kind:?}");
        assert!(
            found.keys().any(|key| key.ends_with(&name)),
            "{kind:?}: {found:?}"
        );
    }
}

/// A limit that is not judged is raised after its time, told, ended, and hidden by a silence.
#[test]
fn a_limit_that_is_not_judged_for_long_is_an_alarm_until_it_is_judged_or_the_instrument_silent() {
    let mut entry = entry(Platform::Mooring);
    let change = FieldLimitChange::parse(Side::Below, "battery=11 V").unwrap();
    change.apply(&mut entry.limits.fields);
    let mut archive = watching(&entry, START);
    let list = [entry.clone()];
    // These hours have no number.
    let take = |archive: &mut Archive, hours: u32, nulls: std::ops::Range<u32>| {
        hourly(archive, hours, |row| {
            if nulls.contains(&row) {
                FieldValue::Null
            } else {
                FieldValue::Number(12.0)
            }
        });
    };
    // The third null is of hour 12, and three hours are its time.
    for hours in 9..=14 {
        take(&mut archive, hours, 10..99);
        assert_eq!(standing(&archive), [], "{hours}");
    }
    // The clock alone raises it.
    let now = START + 15.0 * HOUR + 120.0;
    judge_list(&mut archive, &list, &Asked::default(), now).unwrap();
    let alarm = archive.active_alarms().unwrap().remove(0);
    assert_eq!(
        (alarm.kind, alarm.limit),
        (Kind::Unjudged, Some(3.0 * HOUR))
    );
    assert_eq!(alarm.raised_at, START + 15.0 * HOUR);
    let text = "the limit battery below 11 V cannot be judged: it holds null";
    assert_eq!(alarm.report(now), text);
    assert_eq!(told(&mut archive, now).len(), 1);
    // Silent: the silence says more.
    let now = START + 18.5 * HOUR;
    judge(&mut archive, UUID, &AtHand::default(), now).unwrap();
    let kinds: Vec<Kind> = standing(&archive).iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [Kind::Overdue]);
    // It reports again, still without numbers: raised again. Then it has one.
    take(&mut archive, 19, 10..99);
    let kinds: Vec<Kind> = standing(&archive).iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [Kind::Unjudged]);
    take(&mut archive, 20, 10..20);
    assert_eq!(standing(&archive), []);
    // Declared recovered while it stands.
    take(&mut archive, 30, 21..99);
    assert_eq!(standing(&archive).len(), 1);
    entry.state = crate::track::DeclaredState::Recovered;
    archive.watch(&entry, START + 31.0 * HOUR).unwrap();
    assert_eq!(standing(&archive), []);
}

/// By a clock that is three days behind that of the service.
#[test]
fn a_clock_that_is_behind_hides_no_silence_and_an_old_difference_makes_none() {
    let mut entry = entry(Platform::Mooring);
    entry.limits.max_age_s = Some(DAY);
    let mut archive = watching(&entry, START);
    let list = [entry];
    let home: Vec<Numbers> = (0..6).map(|hour| at(f64::from(hour), 0.0)).collect();
    // By the service it is 2.5 days after the last fix; by this computer half a day before it.
    let here = START + 5.0 * HOUR - 0.5 * DAY;
    let answer = |at: f64, ahead_s: f64| Answer {
        records: Arc::new(records(home.iter().copied())),
        clock_ahead_s: Some(ahead_s),
        ..Answer::new(200, "https://service.example", at)
    };
    archive.ingest(UUID, &answer(here, 3.0 * DAY)).unwrap();
    // Any program judges by the archive.
    judge_list(&mut archive, &list, &Asked::default(), here + 60.0).unwrap();
    let alarm = archive.active_alarms().unwrap().remove(0);
    assert_eq!(alarm.kind, Kind::Overdue);
    assert_eq!(alarm.raised_at, START + 5.0 * HOUR + DAY);
    // Hours later nothing has come, and the alarm stands.
    let later = here + 5.0 * HOUR;
    judge_list(&mut archive, &list, &Asked::default(), later).unwrap();
    assert_eq!(archive.active_alarms().unwrap()[0].id, alarm.id);
    assert_eq!(archive.alarms().unwrap().len(), 1);

    // Where only an old difference says so it is not silent, and not judged.
    let mut archive = watching(&list[0], START);
    let here = START + 5.0 * HOUR - 2.5 * DAY;
    archive.ingest(UUID, &answer(here, 3.0 * DAY)).unwrap();
    judge_list(&mut archive, &list, &Asked::default(), here + 60.0).unwrap();
    assert_eq!(archive.alarms().unwrap(), []);
    for (days, expected) in [(0.6, &[][..]), (0.8, &[Kind::Unjudged])] {
        judge_list(&mut archive, &list, &Asked::default(), here + days * DAY).unwrap();
        let kinds: Vec<Kind> = standing(&archive).iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, expected, "{days}");
    }
    // The clock is set, and the service answers: it is silent.
    let set = here + 3.9 * DAY;
    archive.ingest(UUID, &answer(set, 0.0)).unwrap();
    judge_list(&mut archive, &list, &Asked::default(), set).unwrap();
    let kinds: Vec<Kind> = standing(&archive).iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [Kind::Overdue]);
}
