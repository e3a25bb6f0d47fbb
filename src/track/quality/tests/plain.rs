//! The rules as docs/src/quality.md has them, every pair measured and every count
//! made again. Only distances and angles are the program's own.

use super::*;
use crate::geo::{geodesic, sphere::distance_m, vector::Vector};
use crate::track::interval::median;

/// Flags and reasons of fixes, and where jumps lead to.
#[derive(Debug, PartialEq)]
pub(super) struct Read {
    pub(super) flags: Vec<u8>,
    pub(super) reasons: Vec<Reason>,
    pub(super) jumps: Vec<u32>,
}

struct Rules<'a> {
    fixes: &'a [Transmission],
    limit: f64,
    slack: f64,
    flags: Vec<u8>,
    reasons: Vec<Reason>,
}

impl Rules<'_> {
    fn time(&self, i: usize) -> f64 {
        self.fixes[i].time_stamp
    }

    fn at(&self, i: usize) -> Position {
        self.fixes[i].position
    }

    fn included(&self) -> Vec<usize> {
        (0..self.fixes.len())
            .filter(|&i| self.flags[i] != 4)
            .collect()
    }

    fn set(&mut self, i: usize, flag: u8, reason: Reason) {
        (self.flags[i], self.reasons[i]) = (flag, reason);
    }

    fn suspect(&mut self, i: usize, reason: Reason) {
        if self.flags[i] == 1 {
            self.set(i, 3, reason);
        }
    }

    fn over(&self, i: usize, j: usize, seconds: f64) -> bool {
        let distance = geodesic::length_m(self.at(i.min(j)), self.at(i.max(j)));
        (distance - self.slack).max(0.0) / (seconds + 36.0) > self.limit
    }

    fn fixes_over(&self, i: usize, j: usize) -> bool {
        self.over(i, j, (self.time(i) - self.time(j)).abs())
    }

    /// Runs of the same position among the included fixes.
    fn runs(&self) -> Vec<Vec<usize>> {
        let included = self.included();
        included
            .chunk_by(|&a, &b| self.at(a).same_point(self.at(b)))
            .map(<[usize]>::to_vec)
            .collect()
    }

    /// The gaps of the last 60 fixes or ten days, the newest first.
    fn recent_gaps(&self) -> Vec<f64> {
        let times: Vec<f64> = self.included().iter().map(|&i| self.time(i)).collect();
        let newest = times.last().copied().unwrap_or_default();
        let all: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
        let mut gaps: Vec<f64> = Vec::new();
        for (gap, from) in all.into_iter().zip(&times).rev() {
            if gaps.len() >= 59 && newest - from > 864_000.0 {
                break;
            }
            gaps.extend((gap > 0.0).then_some(gap));
        }
        gaps
    }

    /// The last 20 gaps between fixes, or between bursts of them.
    fn last_gaps(&self) -> Vec<f64> {
        let mut gaps = self.recent_gaps();
        loop {
            let mut sorted = gaps.clone();
            sorted.sort_by(f64::total_cmp);
            let Some(last) = sorted.len().checked_sub(1) else {
                break;
            };
            let within = 5.0 * sorted[last / 4];
            let between = sorted.iter().filter(|gap| **gap > within).count();
            let but_two = &sorted[..sorted.len().saturating_sub(2)];
            let sum = |gaps: &[f64]| gaps.iter().sum::<f64>();
            let long: Vec<f64> = but_two
                .iter()
                .copied()
                .filter(|gap| *gap > within)
                .collect();
            if between < 3 || sum(&long) <= sum(but_two) / 4.0 {
                break;
            }
            gaps.retain(|gap| *gap > within);
        }
        gaps.truncate(20);
        gaps
    }

    fn interval(&self) -> Option<f64> {
        let gaps = self.last_gaps();
        let enough = gaps.len() >= 3;
        median(gaps).filter(|t| enough && *t <= 45.0 * 86_400.0)
    }

    fn gap(&self) -> f64 {
        let t = median(self.last_gaps());
        t.map_or(7200.0, |t| (3.0 * t).max(7200.0_f64.min(30.0 * t)))
    }

    fn gross(&mut self) {
        for i in 0..self.fixes.len() {
            if self.at(i).latitude == 0.0 && self.at(i).longitude == 0.0 {
                self.set(i, 4, Reason::NullIsland);
            }
        }
    }

    /// The metres within which two positions of one time are one.
    fn twice(&self) -> f64 {
        let times: Vec<f64> = self.included().iter().map(|&i| self.time(i)).collect();
        let shared = |time: &&f64| times.iter().filter(|other| other == time).count() > 1;
        if times.iter().filter(shared).count() * 10 <= times.len() {
            return 50.0;
        }
        let steps = [86_400.0, 3600.0, 60.0].into_iter();
        let mut steps = steps.filter(|step| times.iter().all(|time| time % step == 0.0));
        steps
            .next()
            .map_or(50.0, |step| (self.limit * step).max(50.0))
    }

    /// Takes out all but the first of the fixes that were reported twice: each, and that one.
    fn twins(&mut self) -> Vec<(usize, usize)> {
        let within = self.twice();
        let included = self.included();
        let mut twins = Vec::new();
        for group in included.chunk_by(|&a, &b| self.time(a) == self.time(b)) {
            let far = |a: Position, b: Position| geodesic::length_m(a, b) > within;
            let near: Vec<usize> = match group {
                [_] => continue,
                &[a, b] if far(self.at(a), self.at(b)) => continue,
                [_, _] => group.to_vec(),
                more => {
                    let all: Vec<Vector> = more.iter().map(|&i| Vector::new(self.at(i))).collect();
                    let of = |part: fn(&Vector) -> f64| median(all.iter().map(part).collect());
                    let (x, y, z) = (of(|v| v.x), of(|v| v.y), of(|v| v.z));
                    let [x, y, z] = [x, y, z].map(Option::unwrap);
                    let middle = Vector { x, y, z }.position();
                    let near = more.iter().copied();
                    near.filter(|&i| !far(middle, self.at(i))).collect()
                }
            };
            if near.len() > 1 {
                twins.extend(near[1..].iter().map(|&i| (i, near[0])));
            }
        }
        for &(i, _) in &twins {
            self.set(i, 4, Reason::None);
        }
        twins
    }

    fn same_time(&mut self, twins: &[(usize, usize)]) {
        let included = self.included();
        let alone = |i: usize| {
            let same = |&&j: &&usize| self.time(i) == self.time(j);
            included.iter().filter(same).count() == 1
        };
        let mut settled: Vec<usize> = Vec::new();
        let mut verdicts = Vec::new();
        for group in included.chunk_by(|&a, &b| self.time(a) == self.time(b)) {
            if group.len() == 1 {
                settled.push(group[0]);
                continue;
            }
            let before = settled.last().copied();
            let after = included
                .iter()
                .copied()
                .find(|&i| self.time(i) > self.time(group[0]) && alone(i));
            let over = |i: usize| {
                [before, after].map(|side| side.is_some_and(|side| self.fixes_over(i, side)))
            };
            let fit: Vec<usize> = group
                .iter()
                .copied()
                .filter(|&i| over(i) == [false, false])
                .collect();
            let unfit = group.iter().filter(|&&i| over(i) == [true, true]).count();
            if fit.len() == 1 && unfit == group.len() - 1 {
                settled.push(fit[0]);
                let others = group.iter().filter(|&&i| i != fit[0]);
                verdicts.extend(others.map(|&i| (i, 4, Reason::WrongOfTwo)));
            } else {
                let once = |i: &&usize| !twins.iter().any(|(_, kept)| kept == *i);
                let suspect = group.iter().filter(once);
                verdicts.extend(suspect.map(|&i| (i, 3, Reason::TimeConflict)));
            }
        }
        for (i, flag, reason) in verdicts {
            self.set(i, flag, reason);
        }
    }

    fn speed(&mut self) {
        let runs = self.runs();
        let mut out = vec![false; runs.len()];
        loop {
            let violates = |a: usize, b: usize| {
                let (a, b) = (&runs[a.min(b)], &runs[a.max(b)]);
                let seconds = self.time(b[0]) - self.time(a[a.len() - 1]);
                self.over(a[0], b[0], seconds)
            };
            let counts: Vec<usize> = (0..runs.len())
                .map(|a| {
                    let others = (a.saturating_sub(15)..runs.len().min(a + 16))
                        .filter(|&b| b != a && !out[a] && !out[b]);
                    others.filter(|&b| violates(a, b)).count()
                })
                .collect();
            let worst = (0..runs.len()).max_by_key(|&i| (counts[i], i));
            match worst {
                Some(worst) if counts[worst] > 0 => out[worst] = true,
                _ => break,
            }
        }
        for (run, _) in runs.iter().zip(&out).filter(|(_, out)| **out) {
            for &i in run {
                self.set(i, 4, Reason::Speed);
            }
        }
    }

    /// The knots between two fixes.
    fn knots(&self, a: usize, b: usize) -> f64 {
        let metres = geodesic::length_m(self.at(a), self.at(b));
        metres / (self.time(b) - self.time(a)) * 3600.0 / 1852.0
    }

    /// `true` if the legs over the middle one are a ship's.
    fn is_ship(&self, [a, b, c]: [usize; 3]) -> bool {
        let is_fast = |knots: f64| knots > 4.0 && knots <= 60.0;
        is_fast(self.knots(a, b))
            && is_fast(self.knots(b, c))
            && self.turn([a, b, c]) > 60.0_f64.to_radians().cos()
    }

    /// The fixes of a block that pass the speed test alone, if they are four of five of
    /// all from their first on.
    fn mostly(&self, block: &[usize]) -> Vec<usize> {
        let mut alone = Self {
            flags: vec![4; self.fixes.len()],
            reasons: vec![Reason::None; self.fixes.len()],
            ..*self
        };
        block.iter().for_each(|&i| alone.flags[i] = 1);
        alone.speed();
        let kept = alone.included();
        let of = block.iter().filter(|i| Some(*i) >= kept.first()).count();
        if kept.len() * 5 >= of * 4 {
            kept
        } else {
            Vec::new()
        }
    }

    fn put_back(&mut self, block: &[usize], conflicts: &[usize]) {
        for &i in block {
            if conflicts.contains(&i) {
                self.set(i, 3, Reason::TimeConflict);
            } else {
                self.set(i, 1, Reason::None);
            }
        }
    }

    fn take_in_again(&mut self, platform: Platform, conflicts: &[usize]) {
        let (gap, interval) = (self.gap(), self.interval());
        let all: Vec<usize> = (0..self.fixes.len())
            .filter(|&i| self.flags[i] != 4 || self.reasons[i] == Reason::Speed)
            .collect();
        if is_passive(platform) {
            let failed = self.flags.clone();
            let same = |&a: &usize, &b: &usize| self.at(a).same_point(self.at(b));
            let runs: Vec<&[usize]> = all.chunk_by(same).collect();
            let carried: Vec<usize> = runs
                .windows(3)
                .filter(|w| self.is_ship([w[0][0], w[1][0], w[2][0]]))
                .flat_map(|w| w[1..].concat())
                .collect();
            for i in carried.into_iter().filter(|&i| failed[i] == 4) {
                self.set(i, 3, Reason::UnderWay);
            }
        }
        self.beside(&all, gap, conflicts);
        // At the end.
        for from in all.len().saturating_sub(30)..all.len() {
            let block = &all[from..];
            let kept = self.mostly(block);
            let whole = (block.iter()).all(|i| self.flags[*i] == 4 || kept.contains(i));
            if self.flags[block[0]] != 4 || !kept.contains(&block[0]) || !whole {
                continue;
            }
            let failed: Vec<usize> = kept.into_iter().filter(|&i| self.flags[i] == 4).collect();
            let seconds = self.time(failed[failed.len() - 1]) - self.time(failed[0]);
            let lasts = |t: f64| seconds >= 1.9 * t;
            if failed.len() >= 5 || failed.len() >= 3 && interval.is_some_and(lasts) {
                self.put_back(&failed, conflicts);
                break;
            }
        }
        // Between data gaps and the ways of ships.
        let aboard = |i: usize| self.reasons[i] == Reason::UnderWay;
        let parts: Vec<Vec<usize>> = all
            .chunk_by(|&a, &b| self.time(b) - self.time(a) <= gap && !aboard(a) && !aboard(b))
            .map(<[usize]>::to_vec)
            .collect();
        for part in parts.iter().skip(1).take(parts.len().saturating_sub(2)) {
            if part.iter().all(|&i| self.flags[i] == 4) {
                let kept = self.mostly(part);
                if kept.len() >= 5 {
                    self.put_back(&kept, conflicts);
                }
            }
        }
    }

    fn beside(&mut self, all: &[usize], gap: f64, conflicts: &[usize]) {
        let failed = |place: usize| self.flags[all[place]] == 4;
        let agrees = |place: usize, later: bool| {
            let side: Vec<usize> = if later {
                (place + 1..all.len())
                    .filter(|&p| !failed(p))
                    .take(15)
                    .collect()
            } else {
                (0..place).rev().filter(|&p| !failed(p)).take(15).collect()
            };
            let Some(&nearest) = side.first() else {
                return false;
            };
            let steps = &all[nearest.min(place)..=nearest.max(place)];
            steps
                .windows(2)
                .all(|w| self.time(w[1]) - self.time(w[0]) <= gap)
                && side.iter().all(|&p| !self.fixes_over(all[p], all[place]))
        };
        let marks: Vec<bool> = (0..all.len())
            .map(|place| failed(place) && (agrees(place, false) || agrees(place, true)))
            .collect();
        let places: Vec<usize> = (0..all.len()).collect();
        let mut again = Vec::new();
        for block in places.chunk_by(|&a, &b| marks[a] == marks[b]) {
            if marks[block[0]] && block.len() >= 5 {
                again.extend(block.iter().map(|&place| all[place]));
            }
        }
        self.put_back(&again, conflicts);
    }

    fn jump(&mut self) -> Vec<u32> {
        let included = self.included();
        let aboard = |i: usize| self.reasons[i] == Reason::UnderWay;
        let is_jump = |a: usize, b: usize| {
            self.fixes_over(a, b) && (self.knots(a, b) > 60.0 || !aboard(a) && !aboard(b))
        };
        let mut jumps = Vec::new();
        let mut suspect = Vec::new();
        let groups: Vec<&[usize]> = included
            .chunk_by(|&a, &b| self.time(a) == self.time(b))
            .collect();
        for pair in groups.windows(2) {
            let (before, here) = (pair[0], pair[1]);
            if is_jump(before[before.len() - 1], here[0]) {
                jumps.push(here[0] as u32);
            }
            let is_any = |&&b: &&usize| before.iter().rev().take(15).any(|&a| is_jump(a, b));
            suspect.extend(here.iter().filter(is_any).copied());
        }
        for i in suspect {
            self.suspect(i, Reason::Jump);
        }
        jumps
    }

    /// The cosine of the turn between the legs over the middle one.
    fn turn(&self, [a, b, c]: [usize; 3]) -> f64 {
        let here = Vector::new(self.at(b));
        let away = |i: usize, sign: f64| {
            let there = Vector::new(self.at(i));
            let part = there.dot(here);
            let flat = Vector {
                x: sign * (there.x - part * here.x),
                y: sign * (there.y - part * here.y),
                z: sign * (there.z - part * here.z),
            };
            flat.unit()
        };
        away(a, -1.0).dot(away(c, 1.0))
    }

    fn under_way(&mut self, jumps: &[u32]) {
        let is_jump = |i: usize| jumps.contains(&(i as u32));
        let found: Vec<usize> = self
            .included()
            .windows(3)
            .filter(|w| !is_jump(w[1]) && !is_jump(w[2]) && self.is_ship([w[0], w[1], w[2]]))
            .map(|w| w[1])
            .collect();
        for i in found {
            self.suspect(i, Reason::UnderWay);
        }
    }

    fn off_track(&self, included: &[usize], place: usize) -> Option<f64> {
        let (a, b, c) = (
            *included.get(place.checked_sub(1)?)?,
            included[place],
            *included.get(place + 1)?,
        );
        let whole = self.time(c) - self.time(a);
        let share = if whole > 0.0 {
            (self.time(b) - self.time(a)) / whole
        } else {
            0.5
        };
        let (start, end) = (Vector::new(self.at(a)), Vector::new(self.at(c)));
        let angle = start.angle(end);
        let weights = if angle > 1e-12 {
            [
                ((1.0 - share) * angle).sin() / angle.sin(),
                (share * angle).sin() / angle.sin(),
            ]
        } else {
            [1.0 - share, share]
        };
        let between = Vector {
            x: start.x * weights[0] + end.x * weights[1],
            y: start.y * weights[0] + end.y * weights[1],
            z: start.z * weights[0] + end.z * weights[1],
        };
        Some(distance_m(between.position(), self.at(b)))
    }

    fn spike(&mut self, floor: f64, jumps: &[u32]) {
        let included = self.included();
        let off: Vec<Option<f64>> = (0..included.len())
            .map(|place| self.off_track(&included, place))
            .collect();
        let is_spike = |place: usize| {
            let Some(r) = off[place] else {
                return false;
            };
            let around: Vec<f64> = (place.saturating_sub(15)..included.len().min(place + 16))
                .filter(|&other| other != place)
                .filter_map(|other| off[other])
                .collect();
            let threshold = (8.0 * 1.4826 * median(around).unwrap_or(0.0)).max(floor);
            let [a, b, c] = [-1, 0, 1].map(|step| included[place.saturating_add_signed(step)]);
            r > threshold
                && !jumps.contains(&(c as u32))
                && distance_m(self.at(a), self.at(b)) > threshold
                && distance_m(self.at(b), self.at(c)) > threshold
                && self.turn([a, b, c]) < 120.0_f64.to_radians().cos()
        };
        let marks: Vec<bool> = (0..included.len()).map(is_spike).collect();
        for place in (0..included.len()).filter(|&place| marks[place]) {
            // Not on its neighbour: of two the farther off, the earlier of
            // equals.
            let before = place.checked_sub(1).filter(|&p| marks[p]);
            let after = Some(place + 1).filter(|&p| marks.get(p) == Some(&true));
            if before.is_none_or(|p| off[place] > off[p])
                && after.is_none_or(|p| off[place] >= off[p])
            {
                self.suspect(included[place], Reason::Spike);
            }
        }
    }

    fn stuck(&mut self) {
        let gaps = self.recent_gaps().into_iter().take(20);
        let plain = median(gaps.collect()).filter(|_| self.interval().is_some());
        let runs = self.runs();
        let began: Vec<f64> = runs.iter().map(|run| self.time(run[0])).collect();
        let between = began
            .windows(2)
            .map(|w| w[1] - w[0])
            .filter(|gap| *gap > 0.0);
        let mut between: Vec<f64> = between.rev().take(20).collect();
        between.sort_by(f64::total_cmp);
        let of_positions = match between.len() {
            0..3 => 0.0,
            count => between[count / 4],
        };
        for run in runs {
            let seconds = self.time(run[run.len() - 1]) - self.time(run[0]);
            if run.len() >= 5 && plain.is_some_and(|t| seconds >= 3.0 * t.max(of_positions)) {
                for i in run {
                    self.suspect(i, Reason::Stuck);
                }
            }
        }
    }
}

fn is_passive(platform: Platform) -> bool {
    matches!(
        platform,
        Platform::Drifter | Platform::Float | Platform::Mooring
    )
}

pub(super) fn read(fixes: &[Transmission], platform: Platform) -> Read {
    let mut rules = Rules {
        fixes,
        limit: platform.max_speed_m_s(),
        slack: 1110.0,
        flags: vec![1; fixes.len()],
        reasons: vec![Reason::None; fixes.len()],
    };
    rules.gross();
    let times: Vec<f64> = rules.included().iter().map(|&i| rules.time(i)).collect();
    let gaps = times.windows(2).map(|w| w[1] - w[0]);
    if median(gaps.filter(|gap| *gap > 0.0).collect()).is_some_and(|median| median < 60.0) {
        rules.slack = 100.0;
    }
    let twins = rules.twins();
    rules.same_time(&twins);
    let conflicts: Vec<usize> = (0..fixes.len())
        .filter(|&i| rules.reasons[i] == Reason::TimeConflict)
        .collect();
    rules.speed();
    rules.take_in_again(platform, &conflicts);
    let jumps = rules.jump();
    if is_passive(platform) {
        rules.under_way(&jumps);
    }
    let floor = match platform {
        Platform::Vessel | Platform::Generic => 1000.0,
        Platform::Tag => 3000.0,
        _ => 200.0,
    };
    rules.spike(floor, &jumps);
    if !matches!(
        platform,
        Platform::Vessel | Platform::Generic | Platform::Mooring
    ) {
        rules.stuck();
    }
    if let [one] = rules.included()[..]
        && rules.flags[one] == 1
    {
        rules.set(one, 2, Reason::Single);
    }
    // They share the verdict, and legs lead from and to the fix that stands for them.
    let mut moved = fixes.to_vec();
    for &(i, kept) in &twins {
        rules.set(i, rules.flags[kept], rules.reasons[kept]);
        moved[i].position = fixes[kept].position;
    }
    rules.fixes = &moved;
    Read {
        flags: rules.flags.clone(),
        reasons: rules.reasons.clone(),
        jumps: if twins.is_empty() {
            jumps
        } else {
            rules.jump()
        },
    }
}
