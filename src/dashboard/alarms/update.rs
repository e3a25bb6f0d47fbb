//! Alarms: read from the archive, announced, acknowledged and snoozed.

use crate::alarm::{Alarm, AlarmReply, AlarmState, FRESH_S, Kind, Length, Words};
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::effect::{Announcement, Effect};
use crate::dashboard::history::LocalChange;
use crate::dashboard::keymap::Action;
use crate::dashboard::shared::Shared;
use crate::dashboard::widgets::text::Text;
use crate::failure::Failure;
use crate::geo::Position;
use crate::track::{Flag, time};
use std::collections::HashMap;
use uuid::Uuid;

/// The names that an announcement of several alarms has at most.
const MOST_NAMES: usize = 5;

impl Shared {
    /// Shows the alarms that were read, and announces new ones.
    pub(crate) fn alarms_read(&mut self, alarms: Vec<Alarm>) {
        let [raised, mut cleared] = self.alarms.take(alarms, self.now);
        // A removal ends the alarms of its deployment: its own message stays, with
        // the key that undoes it.
        let is_listed = |uuid| self.deployments.get(uuid).is_some();
        cleared.retain(|alarm| alarm.uuid().is_none_or(is_listed));
        let mut standing = self.alarms.standing();
        for alarm in &mut self.deployments.list {
            alarm.alarms = standing.remove(&alarm.uuid()).unwrap_or_default();
        }
        self.deployments.values_changed();
        self.order_alarms();
        if let [alarm, ..] = cleared.as_slice()
            && raised.is_empty()
        {
            let more = match cleared.len() {
                1 => String::new(),
                count => format!(", and {} more", count - 1),
            };
            let words = match (alarm.kind, alarm.cleared_at) {
                (Kind::Unreachable, Some(at)) => {
                    let away = time::duration(at - alarm.raised_at);
                    format!("the service answers again, after {away}{more}").into()
                }
                (kind, _) => Text::named(&self.name_of_alarm(alarm), |name| {
                    format!("alarm cleared: {name}: {}{more}", kind.word())
                }),
            };
            self.show_of_alarms(words, &cleared);
        }
        self.announce(&raised)
    }

    /// Shows which limits of deployments cannot be judged, and why.
    pub(crate) fn unjudged_read(&mut self, unjudged: Vec<(Uuid, String)>) {
        let mut all: HashMap<Uuid, Vec<String>> = HashMap::new();
        for (uuid, why) in unjudged {
            all.entry(uuid).or_default().push(why);
        }
        let mut is_other = false;
        for deployment in &mut self.deployments.list {
            let unjudged = all.remove(&deployment.uuid()).unwrap_or_default();
            is_other |= deployment.unjudged != unjudged;
            deployment.unjudged = unjudged;
        }
        if is_other {
            self.deployments.values_changed();
        }
    }

    /// Sorts by reply, then puts alarms of the service first, then those of the worst
    /// deployment. The sort is stable: within one deployment the order of
    /// `Alarms::take` stays.
    fn order_alarms(&mut self) {
        let now = self.now;
        let mut list = std::mem::take(&mut self.alarms.list);
        list.sort_by_cached_key(|alarm| {
            let harm = match (alarm.state(now), alarm.uuid()) {
                (AlarmState::Cleared, _) => 0.0,
                (_, None) => f64::INFINITY,
                (_, Some(uuid)) => self.deployments.get(uuid).map_or(0.0, |row| row.harm(now)),
            };
            // Of numbers that are not negative the bits have the order of the numbers.
            (alarm.state(now), std::cmp::Reverse(harm.to_bits()))
        });
        self.alarms.list = list;
    }

    /// Announces the alarms whose snooze has ended.
    pub(crate) fn announce_ended_snoozes(&mut self) {
        let ended = self.alarms.announce_new(self.now);
        if !ended.is_empty() {
            // Their deployments move up again.
            self.deployments.values_changed();
        }
        self.announce(&ended)
    }

    /// Shows a message about alarms and has the terminal notify the user; several alarms
    /// make one message.
    fn announce(&mut self, raised: &[Alarm]) {
        let key = self.key_of(Action::Alarms);
        let (title, body, said) = match raised {
            [] => return,
            [alarm] => {
                let title = self.name_and_kind(alarm);
                let fix = alarm.fix_time.filter(|fix| self.now - fix >= FRESH_S);
                let at = fix.map(|fix| time::table(fix, self.shown_zone()));
                let words = self.words_of(alarm).at(at.unwrap_or_default());
                let body = words.write(Length::Sentence, self.settings.units);
                let kind = alarm.kind.word();
                // A text that begins with the kind does not repeat it.
                let subject = match body.starts_with(kind) {
                    true => self.name_before(alarm),
                    false => format!("{title}: "),
                };
                let with_name = |name: &str| format!("{key} alarms  {name}: {kind}");
                let short = Text::named(&self.name_of_alarm(alarm), with_name);
                let said = Text::from(format!("{key} alarms  {subject}{body}"));
                (title, body, said.or(short.shortest()))
            }
            several => {
                let names = several.iter().map(|alarm| self.name_and_kind(alarm));
                let mut names: Vec<String> = names.take(MOST_NAMES).collect();
                if several.len() > names.len() {
                    names.push(format!("{} more", several.len() - names.len()));
                }
                let title = format!("{} alarms", several.len());
                let body = names.join(", ");
                let short = format!("{key} alarms  {title}");
                let said = Text::from(format!("{short}: {body}")).or(short);
                (title, body, said)
            }
        };
        self.show_of_alarms(said, raised);
        let id = raised.first().map(|alarm| alarm.id.clone());
        self.send(Effect::Announce(Announcement {
            id: id.unwrap_or_default(),
            title: format!("driftline: {title}"),
            body,
        }))
    }

    /// The subject and the kind of an alarm: `Buoy 7: outside`, `the service fails`.
    fn name_and_kind(&self, alarm: &Alarm) -> String {
        format!("{}{}", self.name_before(alarm), alarm.kind.word())
    }

    /// The subject of an alarm as it comes before its kind.
    fn name_before(&self, alarm: &Alarm) -> String {
        let name = self.name_of_alarm(alarm);
        match alarm.deployment {
            Some(_) => format!("{name}: "),
            None => format!("{name} "),
        }
    }

    /// The name of the subject of an alarm.
    pub(crate) fn name_of_alarm(&self, alarm: &Alarm) -> String {
        let listed = alarm.uuid().and_then(|uuid| self.deployments.get(uuid));
        match (listed, &alarm.deployment) {
            (Some(other), _) => other.name(),
            (None, Some(id)) => {
                let name = alarm.label.clone().unwrap_or_else(|| id.to_string());
                let own = self.service.remote.as_ref();
                let own = own.map_or(&*self.service.address, |remote| &remote.name);
                match id.service().filter(|service| *service != own) {
                    Some(service) => format!("{name} at {service}"),
                    None => name,
                }
            }
            (None, None) => "the service".to_owned(),
        }
    }

    /// The id of an active alarm, else why it has no reply.
    pub(crate) fn standing_alarm(&self, id: Option<&str>) -> Result<String, &'static str> {
        match id.and_then(|id| self.alarms.get(id)) {
            Some(alarm) if alarm.cleared_at.is_none() => Ok(alarm.id.clone()),
            Some(_) => Err("this alarm has ended"),
            None => Err("there is no alarm"),
        }
    }

    /// Says something of an alarm.
    pub(crate) fn reply_to_alarm(&mut self, id: Option<&str>, reply: AlarmReply) {
        match self.standing_alarm(id) {
            Ok(id) => self.send(Effect::ReplyToAlarm { id, reply }),
            Err(reason) => {
                self.notify(reason);
            }
        }
    }

    /// The reply to an alarm is stored, or is not.
    pub(crate) fn alarm_replied(
        &mut self,
        reply: AlarmReply,
        outcome: Result<Option<Box<(Alarm, Alarm)>>, Failure>,
        held: bool,
    ) {
        let alarm = match outcome {
            Err(failure) => {
                let failed = self.failure_text(&failure);
                let short = format!("not stored: {}", failed.shortest());
                self.warn(Text::from(format!("not stored: {failure}")).or(short));
                return;
            }
            Ok(None) => {
                self.warn("the archive has no such alarm any more");
                return;
            }
            Ok(Some(alarm)) => alarm,
        };
        let name = self.name_of_alarm(&alarm.0);
        let kind = alarm.0.kind.word();
        if alarm.0.cleared_at.is_some() {
            let said = |name: &str| format!("{name}: {kind} has ended meanwhile");
            self.notify(Text::named(&name, said));
        } else if alarm.0 == alarm.1 {
            let said = |name: &str| format!("{name}: {kind} was acknowledged before");
            self.notify(Text::named(&name, said));
        } else {
            let (done, until) = match reply {
                AlarmReply::Acknowledged => ("acknowledged", String::new()),
                AlarmReply::SnoozedUntil(until) => {
                    let zone = self.shown_zone();
                    let words =
                        zone.map_or_else(|| "UTC".to_owned(), |zone| time::zone_name(until, zone));
                    let at = time::table(until.floor(), zone);
                    ("snoozed", format!(" until {at} {words}"))
                }
            };
            let key = self.key_of_undo();
            if !held {
                let said = Text::from(format!("{key} undo  {name}: {kind} {done}{until}"));
                let short = Text::named(&name, |name| format!("{key} undo  {name}: {done}"));
                self.notify(said.or(short.shortest()));
            } else {
                let said = format!(
                    "{name}: {kind} {done}{until} in this dashboard only: the archive cannot be written"
                );
                self.warn(
                    Text::from(said).or(format!("{done} here only: the archive is read-only")),
                )
            }
            self.deployments
                .history
                .push(LocalChange::Replied { name, alarm });
        }
    }

    /// The key that undoes a local change in the list of alarms, else outside it.
    fn key_of_undo(&self) -> String {
        let mut own = self.screen.keymap.of_alarms();
        let undo = own.find(|binding| binding.action == Action::Undo);
        let key = undo.and_then(|binding| binding.keys.first());
        key.map_or_else(|| self.key_of(Action::Undo), |key| key.name())
    }
}

impl Shared {
    /// The text of an alarm, with the current value if it is known.
    pub(crate) fn words_of<'a>(&self, alarm: &'a Alarm) -> Words<'a> {
        let deployment = alarm.uuid().and_then(|uuid| self.deployments.get(uuid));
        let last = deployment.and_then(last_passed);
        let inside = deployment.and_then(|known| known.deployment.limits.inside.as_ref());
        let words = alarm.words(alarm.current(last, inside, self.now));
        words.in_zone(self.shown_zone())
    }
}

/// Time (UNIX seconds) and position of the last fix that did not fail, even while failed
/// fixes are shown; `None` if unknown.
fn last_passed(deployment: &DeploymentState) -> Option<(f64, Position)> {
    let found = match deployment.track.loaded() {
        Some(held) if !held.options.exclude_failed => {
            let mut backwards = held.track.track().included_fixes().rev();
            let fix = backwards.find(|fix| fix.flag != Flag::Fail)?;
            (fix.time_stamp, fix.position)
        }
        // The overview includes failed fixes.
        None if !deployment.exclude_failed => return None,
        _ => {
            let fix = deployment.latest()?;
            (fix.time_stamp, fix.position)
        }
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use uuid::Uuid;

    use super::*;
    use crate::map::{LoadedTrack, PreparedTrack};
    use crate::testing::track::records;
    use crate::track::{Platform, Track, TrackOptions};
    use crate::watch::Deployment;

    #[test]
    fn a_failed_fix_is_not_where_it_is_now_also_where_failed_fixes_are_shown() {
        const NOW: f64 = 1.8e9;
        let fixes = (0..8u32).map(|hour| {
            let latitude = if hour == 7 {
                70.0
            } else {
                60.0 + 0.001 * f64::from(hour)
            };
            (NOW - 3600.0 * f64::from(8 - hour), latitude, 5.0)
        });
        let fixes: Vec<_> = fixes.collect();
        let (good, failed) = (fixes[6].0, fixes[7].0);
        for exclude_failed in [true, false] {
            let options = TrackOptions {
                exclude_failed,
                ..TrackOptions::new(Platform::Drifter, NOW)
            };
            let track = Track::new(&records(fixes.iter().copied()), &options);
            let deployment = Deployment::new(Uuid::nil());
            let mut one = DeploymentState::new(deployment, 60.0);
            one.exclude_failed = exclude_failed;
            one.track.show(LoadedTrack {
                track: Arc::new(PreparedTrack::new(Arc::new(track))),
                options: Box::new(options),
                fetched_at: NOW,
            });
            let shown = one.overview().unwrap().latest.unwrap().time_stamp;
            assert_eq!(shown, if exclude_failed { good } else { failed });
            assert_eq!(last_passed(&one).map(|(at, _)| at), Some(good));
            // Where the track is not held, nothing is known of the last good one.
            one.track.let_go();
            let known = last_passed(&one).map(|(at, _)| at);
            assert_eq!(known, exclude_failed.then_some(good));
        }
    }
}
