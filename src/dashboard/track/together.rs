//! The deployments that are marked for one map.

use std::sync::Arc;

use uuid::Uuid;

use crate::dashboard::deployments::DeploymentsTab;
use crate::dashboard::deployments::deployment::DeploymentState;
use crate::dashboard::keymap::Action;
use crate::dashboard::map::content::Drawn;
use crate::dashboard::shared::Shared;
use crate::dashboard::track::TrackTab;
use crate::dashboard::widgets::text::Text;
use crate::map::PreparedTrack;
use crate::palette::track_letters;

/// The most deployments on one map: the number of letters; so many tracks of a long list
/// stay in memory.
const MOST: usize = 26;

/// The most letters that a message names.
const MOST_NAMED: usize = 4;

impl Shared {
    /// The deployments that are marked, in the order of their letters.
    pub(crate) fn marked(&self) -> Vec<&DeploymentState> {
        let list = self.deployments.list.iter();
        let mut marked: Vec<_> = list.filter(|known| known.mark.is_some()).collect();
        marked.sort_by_key(|deployment| deployment.mark);
        marked
    }

    /// The deployments on the map of Track: all marked ones if the open one is among
    /// them, else the open one; in the picture of a search that alone.
    pub(crate) fn together(&self) -> Vec<&DeploymentState> {
        let open = self.open_deployment();
        match open {
            Some(open) if open.mark.is_some() && self.map.sought.picture.is_none() => self.marked(),
            open => open.into_iter().collect(),
        }
    }

    /// Takes all marks back; `false` if there is none.
    pub(crate) fn unmark_all(&mut self) -> bool {
        let count = self.marked().len();
        if count == 0 {
            return false;
        }
        for deployment in &mut self.deployments.list {
            deployment.mark = None;
        }
        self.notify(format!("{count} unmarked"));
        true
    }
}

impl DeploymentsTab {
    /// Marks the selected deployment for one map with the others, or takes its mark back.
    pub(crate) fn mark(&mut self, shared: &mut Shared) {
        let Some(selected) = self.selected(&shared.deployments) else {
            shared.notify("no deployment is selected");
            return;
        };
        let uuid = selected.uuid();
        let name = selected.name();
        let was_marked = selected.mark.is_some();
        let marked = shared.marked();
        let is_free = |mark: &usize| marked.iter().all(|other| other.mark != Some(*mark));
        // Marked deployments keep their colours.
        let mark = (0..MOST).find(is_free).filter(|_| !was_marked);
        if !was_marked && mark.is_none() {
            shared.notify(format!("{MOST} are marked, which is the most on one map"));
            return;
        }
        if let Some(deployment) = shared.deployments.get_mut(uuid) {
            deployment.mark = mark;
        }
        self.is_chosen = true;
        let marks = shared.marked().into_iter().filter_map(|other| other.mark);
        let letters: Vec<String> = marks.map(track_letters).collect();
        let open = shared.key_of(Action::Open);
        shared.notify(match (mark, letters.as_slice()) {
            (Some(_), [letter]) => {
                let key = shared.key_of(Action::Mark);
                let short = format!("{key} marks another for one map with {letter}");
                Text::from(format!("{short}, {name}")).or(short)
            }
            (Some(_), [others @ .., last]) if letters.len() <= MOST_NAMED => {
                format!("{open} opens {} and {last} on one map", others.join(", ")).into()
            }
            (Some(_), _) => format!("{open} opens {} on one map", letters.len()).into(),
            (None, _) => Text::named(&name, |name| {
                format!("{name} unmarked; {} marked", letters.len())
            }),
        });
        if mark.is_some() {
            shared.bring_track(uuid);
        }
    }
}

impl TrackTab {
    /// The deployments of [`Shared::together`] with a track, the open one last, so that it
    /// is on top.
    pub(crate) fn drawn<'a>(&'a self, shared: &'a Shared) -> Vec<Drawn<'a>> {
        let together = shared.together();
        let are_several = together.len() > 1;
        let drawn = |deployment: &'a DeploymentState| {
            Some(Drawn {
                deployment,
                track: self.shown_track_of(shared, deployment.uuid())?,
                mark: deployment.mark.filter(|_| are_several),
            })
        };
        let mut all: Vec<Drawn<'a>> = together.into_iter().filter_map(drawn).collect();
        all.sort_by_key(|drawn| Some(drawn.deployment.uuid()) == shared.deployments.open);
        all
    }

    /// The track of a deployment, or its part in the time range if one is set.
    pub(crate) fn shown_track_of<'a>(
        &'a self,
        shared: &'a Shared,
        uuid: Uuid,
    ) -> Option<&'a Arc<PreparedTrack>> {
        let range = self.time_range.as_ref();
        let part = range.and_then(|range| range.parts.get(&uuid));
        part.or_else(|| shared.deployments.get(uuid)?.track.get())
    }

    /// The moment that the map of Track shows: that of the cursor, until it follows the
    /// latest fix.
    pub(crate) fn cursor_moment(&self, shared: &Shared) -> Option<f64> {
        let fix = self.cursor_fix(shared)?;
        (!self.follow).then_some(fix.time_stamp)
    }
}
