//! What the embedded service knows: simulated deployments, or files.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use uuid::Uuid;

use super::catalogue::{self, Instrument};
use super::files::{self, File, FilesError};
use crate::track::Platform;

/// A deployment of the embedded service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployment {
    /// Its identifier.
    pub uuid: Uuid,
    /// Its name.
    pub label: String,
    /// What carries it.
    pub platform: Platform,
}

/// The deployments and what they transmitted.
#[derive(Debug, Clone)]
pub enum World {
    /// A function of a seed, a beginning and the time.
    Simulated(Arc<Vec<Instrument>>),
    /// Bodies from files.
    Files(Arc<Vec<File>>),
}

impl World {
    /// The simulated world: the past few weeks up to `began` (UNIX seconds) and
    /// whatever comes after it.
    pub fn simulated(seed: u64, began: f64) -> Self {
        Self::Simulated(Arc::new(catalogue::instruments(seed, began)))
    }

    /// The JSON files of a folder, each the body of an answer.
    ///
    /// # Errors
    /// When the folder cannot be read or holds no JSON file.
    pub fn of_files(folder: &Path) -> Result<Self, FilesError> {
        Ok(Self::Files(Arc::new(files::read_folder(folder)?)))
    }

    /// The deployments there are.
    pub fn deployments(&self) -> Vec<Deployment> {
        match self {
            Self::Simulated(instruments) => instruments
                .iter()
                .map(|one| one.deployment.clone())
                .collect(),
            Self::Files(files) => files.iter().map(|file| file.deployment.clone()).collect(),
        }
    }

    /// The body of the answer for a deployment at a time; none for one that is
    /// not known.
    pub fn body(&self, uuid: Uuid, now: f64) -> Option<Vec<u8>> {
        match self {
            Self::Simulated(instruments) => {
                let instrument = instruments.iter().find(|one| one.deployment.uuid == uuid)?;
                serde_json::to_vec(&records(instrument, now)).ok()
            }
            Self::Files(files) => {
                let file = files.iter().find(|file| file.deployment.uuid == uuid)?;
                std::fs::read(&file.path).ok()
            }
        }
    }
}

/// What an instrument has transmitted up to a time, faults and all.
fn records(instrument: &Instrument, now: f64) -> Value {
    let mut records: Vec<Value> = Vec::new();
    let last = now.min(instrument.silent_from);
    // The beginning lies a whole number of intervals before the first contact.
    let mut number: u32 = 0;
    loop {
        let time = instrument.first + f64::from(number) * instrument.interval_s;
        if time > last || number > 1_000_000 {
            break;
        }
        let missing = instrument
            .gaps
            .iter()
            .any(|(from, to)| (*from..*to).contains(&time));
        if !missing {
            let position = instrument.at(time, number);
            let longitude = if instrument.to_360 && position.longitude < 0.0 {
                position.longitude + 360.0
            } else {
                position.longitude
            };
            // Receivers report to 1e-5 degrees.
            let rounded = |degrees: f64| (degrees * 1e5).round() / 1e5;
            let sound = json!({
                "time_stamp": time,
                "latitude": rounded(position.latitude),
                "longitude": rounded(longitude),
            });
            records.extend(instrument.with_faults(number, sound));
        }
        number += 1;
    }
    if instrument.newest_first {
        records.reverse();
    }
    Value::Array(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geo::{Position, geodesic};
    use crate::track::{Assembly, Flag, Reason, Records, Track, Transmission};

    const NOW: f64 = 1_790_000_000.0;

    fn track(label: &str, now: f64) -> Track {
        let world = World::simulated(7, NOW);
        let deployment = world
            .deployments()
            .into_iter()
            .find(|d| d.label.contains(label))
            .unwrap();
        let body: Vec<Value> =
            serde_json::from_slice(&world.body(deployment.uuid, now).unwrap()).unwrap();
        let mut records = Records::default();
        for record in body {
            let number = |field: &str| record.get(field).and_then(Value::as_f64);
            if let (Some(t), Some(lat), Some(lon)) = (
                number("time_stamp"),
                number("latitude"),
                number("longitude"),
            ) && let Ok(transmission) = Transmission::new(t, lat, lon)
            {
                records.transmissions.push(transmission);
            }
        }
        Track::assemble(records, &Assembly::new(deployment.platform, now))
    }

    #[test]
    fn it_is_the_same_world_for_the_same_seed_and_grows_with_time() {
        let (one, again) = (World::simulated(7, NOW), World::simulated(7, NOW));
        for deployment in one.deployments() {
            assert_eq!(
                one.body(deployment.uuid, NOW),
                again.body(deployment.uuid, NOW)
            );
        }
        assert!(track("surf", NOW + 60.0).len() > track("surf", NOW).len());
    }

    #[test]
    fn the_ice_drifter_passes_near_the_pole() {
        let pole = Position {
            latitude: 90.0,
            longitude: 0.0,
        };
        let track = track("ice", NOW);
        let nearest = track
            .fixes_in()
            .map(|fix| geodesic::inverse(pole, fix.position).distance_m)
            .fold(f64::MAX, f64::min);
        assert!(nearest < 25_000.0, "{nearest}");
        assert!(track.summary().bbox.unwrap().south > 85.0);
    }

    #[test]
    fn the_ocean_drifter_crosses_the_antimeridian() {
        assert!(
            track("ocean", NOW)
                .summary()
                .bbox
                .unwrap()
                .crosses_antimeridian()
        );
    }

    #[test]
    fn the_mooring_broke_loose_and_one_instrument_is_silent() {
        let mooring = track("mooring", NOW);
        assert!(mooring.summary().displacement_m > 20_000.0);
        let before = mooring.window(None, Some(NOW - 3.0 * 86_400.0));
        let bbox = before.summary().bbox.unwrap();
        assert!(bbox.north - bbox.south < 0.02, "{bbox:?}");
        assert_eq!(
            track("seal", NOW).health(NOW).state,
            crate::track::State::Lost
        );
    }

    #[test]
    fn the_quality_tests_find_what_was_put_in_and_nothing_else() {
        for deployment in World::simulated(7, NOW).deployments() {
            let track = track(&deployment.label, NOW);
            assert!(track.len() > 30, "{}: {}", deployment.label, track.len());
            let speed = track
                .fixes()
                .filter(|fix| fix.reason == Reason::Speed)
                .count();
            let fast = track
                .fixes()
                .filter(|fix| fix.reason == Reason::Fast)
                .count();
            assert!(
                speed <= 2 && fast == 0,
                "{}: {speed} {fast}",
                deployment.label
            );
            assert!(
                track
                    .flags()
                    .iter()
                    .filter(|flag| **flag == Flag::Fail)
                    .count()
                    <= 3
            );
        }
    }
}
