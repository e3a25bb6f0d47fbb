//! Where to look for a deployment: the answer that came last, and the own ship.

use uuid::Uuid;

use super::effect::{Effect, Search};
use super::model::Model;
use super::tab::Tab;
use crate::failure::Failure;
use crate::geo::{CoordinateFormat, Notation};
use crate::track::forecast::{Moment, Ship, Whereabouts};

/// The forms in which a position is spelled out.
pub(in crate::dashboard) const FORMS: [CoordinateFormat; 3] = [
    CoordinateFormat::Dd,
    CoordinateFormat::Ddm,
    CoordinateFormat::Dms,
];

/// What is known of where to look.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sought {
    /// The answer that came last, or why there is none, and for which deployment.
    pub answer: Option<(Uuid, Result<Whereabouts, Failure>)>,
    /// The own ship, as typed.
    pub ship: Option<(Ship, String)>,
}

impl Model {
    /// The deployment that is selected, or open on Track.
    pub(in crate::dashboard) fn chosen(&self) -> Option<Uuid> {
        match self.tab {
            Tab::Track => self.track.open,
            _ => Some(self.deployments.selected()?.deployment.uuid),
        }
    }

    /// Asks where a deployment is now.
    pub(in crate::dashboard) fn look_for(&self, uuid: Uuid) -> Vec<Effect> {
        let Some(known) = self.deployments.get(uuid) else {
            return Vec::new();
        };
        let others = self.deployments.list.iter();
        let others = others.filter(|other| other.deployment.uuid != uuid);
        vec![Effect::LookFor(Box::new(Search {
            deployment: known.deployment.clone(),
            options: known.options(self.now),
            track: known.track.get().map(|held| held.track().clone()),
            others: others.map(|other| other.deployment.clone()).collect(),
            moment: Moment::new(self.now, self.now),
        }))]
    }

    /// Where a deployment is was worked out.
    pub(in crate::dashboard) fn whereabouts_known(
        &mut self,
        deployment: Uuid,
        outcome: Result<Whereabouts, Failure>,
    ) -> Vec<Effect> {
        self.sought.answer = Some((deployment, outcome));
        Vec::new()
    }

    /// The answer for a deployment, as long as no later fix has come.
    pub(in crate::dashboard) fn whereabouts(&self, uuid: Uuid) -> Option<&Whereabouts> {
        let (of, answer) = self.sought.answer.as_ref()?;
        let found = answer.as_ref().ok().filter(|_| *of == uuid)?;
        let latest = self.deployments.get(uuid)?.overview()?.latest;
        let is_last = |time: f64| latest.is_none_or(|latest| latest.time_stamp <= time);
        found
            .fix
            .is_some_and(|fix| is_last(fix.time_stamp))
            .then_some(found)
    }

    /// The units and the coordinates that are shown.
    pub(in crate::dashboard) fn notation(&self) -> Notation {
        Notation {
            units: self.units,
            coordinates: self.coordinates,
        }
    }
}
