//! What was received shows that an instrument sends, and not the time that is in it: of whichever
//! clock that is, a silence is told when it begins and until it ends, and none while it sends.

use super::*;

/// A record as it is sent: its time, and when it comes.
#[derive(Debug, Clone, Copy)]
struct Sent {
    time: f64,
    comes_at: f64,
}

/// An instrument with a clock that is ahead, by a constant time or now and then.
#[derive(Debug)]
struct Case {
    /// T, seconds.
    interval_s: f64,
    /// When it last sent.
    last: f64,
    /// How many of 40 records are dated ahead by chance.
    strays: usize,
    sent: Vec<Sent>,
}

impl Case {
    fn new(chance: &Chance) -> Self {
        let interval_s = [1800.0, HOUR, 6.0 * HOUR][chance.below(3)];
        let ahead_s = [0.0, 0.0, 1200.0, 2.5 * HOUR, 20.0 * HOUR][chance.below(5)];
        let strays = [0, 4, 12][chance.below(3)];
        let last = START + interval_s * (10 + chance.below(20)) as f64;
        let first = START - 40.0 * interval_s;
        let count = ((last - first) / interval_s) as u32;
        let mut sent: Vec<Sent> = (0..=count)
            .map(|index| {
                let comes_at = first + interval_s * f64::from(index);
                // Within the day in which a fix is ahead of the clock.
                let stray_s = (600 * (4 + chance.below(120))) as f64;
                let stray_s = stray_s.min(23.0 * HOUR - ahead_s);
                let is_stray = strays > 0 && chance.below(40) < strays;
                let time = comes_at + ahead_s + if is_stray { stray_s } else { 0.0 };
                Sent { time, comes_at }
            })
            .collect();
        // One in the first answer, whenever it was sent.
        if chance.below(2) == 0 {
            let time = START + interval_s * (20 + chance.below(60)) as f64;
            sent.push(Sent {
                time,
                comes_at: START,
            });
        }
        Self {
            interval_s,
            last,
            strays,
            sent,
        }
    }

    /// What has come at a time.
    fn answer(&self, now: f64) -> Vec<Numbers> {
        let come = self.sent.iter().filter(|sent| sent.comes_at <= now);
        let north = |sent: &Sent| 60.0 + (sent.comes_at - START) * 1e-10;
        let place = |sent: &Sent| (sent.time, north(sent), 5.0);
        come.map(place).collect()
    }
}

#[test]
fn a_silence_is_told_whatever_the_clock_of_what_was_received_before_it() {
    let chance = Chance::new("early");
    for round in 0..rounds(24, 600) {
        let case = Case::new(&chance);
        let entry = Deployment::new(UUID);
        let mut archive = watching(&entry, START);
        let step_s = case.interval_s / 2.0;
        for step in 0..200 {
            let now = START + step_s * f64::from(step);
            take_in(&mut archive, &case.answer(now), now);
            let list = std::slice::from_ref(&entry);
            judge_list(&mut archive, list, &Asked::default(), now).unwrap();
            let is_told = standing(&archive)
                .iter()
                .any(|(kind, _)| *kind == Kind::Overdue);
            let silent_for = (now - case.last) / case.interval_s;
            let what = format!("round {round}, silent for {silent_for} T: {case:?}");
            assert!(is_told || silent_for < 4.5, "{what}");
            // What is dated ahead now and then is no fix before its time.
            let is_even = case.strays == 0;
            assert!(!is_told || !is_even || silent_for > 2.5, "{what}");
        }
    }
}

#[test]
fn a_computer_that_was_days_behind_makes_nothing_silent_where_the_service_tells_no_time() {
    for behind_s in [1.5 * DAY, 3.0 * DAY, 365.0 * DAY] {
        let entry = Deployment::new(UUID);
        let mut archive = watching(&entry, START - behind_s);
        let sent: Vec<Numbers> = (0..600)
            .map(|index| at(f64::from(index) / 6.0 - 100.0, 0.0))
            .collect();
        take_in_by(&mut archive, &sent, START - behind_s, None);
        // Then it is right, and the next fix has not come yet.
        take_in_by(&mut archive, &sent, START + 60.0, None);
        let list = std::slice::from_ref(&entry);
        judge_list(&mut archive, list, &Asked::default(), START + 60.0).unwrap();
        assert_eq!(standing(&archive), [], "{behind_s}");
    }
}
