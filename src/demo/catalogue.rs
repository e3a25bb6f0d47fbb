//! The simulated instruments of `assets/demo.toml`. Every instrument has a past of weeks and
//! continues from there.

use std::collections::HashMap;

use serde::Deserialize;
use uuid::Uuid;

use super::instrument::{Entry, HOUR, Instrument, Path};
use super::random::Chance;
use super::thermistor::IceStation;
use crate::geo::Inside;
use crate::geo::circle::WatchCircle;
use crate::watch::Deployment;

const ENTRIES: &str = include_str!("../../assets/demo.toml");

#[derive(Deserialize)]
struct Entries {
    instrument: Vec<Entry>,
}

/// All instruments for `seed`, for a service that starts `started` seconds
/// after the simulation's midnight.
pub(super) fn instruments(seed: u64, started: f64) -> Vec<Instrument> {
    // A test reads it.
    let entries =
        toml::from_str(ENTRIES).map_or_else(|_| Vec::new(), |all: Entries| all.instrument);
    entries
        .into_iter()
        .map(|entry| instrument(entry, seed, started))
        .collect()
}

fn instrument(mut entry: Entry, seed: u64, started: f64) -> Instrument {
    let zero = match entry.schedule.before_start_h {
        Some(hours) => ((started - hours * HOUR) / 900.0).floor() * 900.0,
        None => 0.0,
    };
    entry.schedule.first_h += zero / HOUR;
    if let Path::Moored { loose_s, .. } = &mut entry.path {
        loose_s.iter_mut().for_each(|time| *time += started);
    }
    // A name always gets the same UUID, whatever the seed, so that it can be
    // used on the command line.
    let name = format!("urn:driftline:demo:{}", entry.label);
    let mut deployment = Deployment {
        label: Some(entry.label.clone()),
        platform: entry.platform.parse().unwrap_or_default(),
        ..Deployment::new(Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes()))
    };
    deployment.limits.inside = entry.watch_circle_m.map(|radius_m| {
        let centre = entry.at.position((0.0, 0.0));
        Inside::Circle(WatchCircle { centre, radius_m })
    });
    let chance = Chance::new(seed, &entry.chance);
    let station = entry.has_station.then_some(IceStation {
        chance,
        installed: entry.schedule.first_h * HOUR,
    });
    let faults = std::mem::take(&mut entry.faults);
    let mut instrument = Instrument {
        deployment,
        chance,
        entry,
        data_faults: HashMap::new(),
        station,
    };
    for (hours, data_fault) in faults {
        let number = instrument.first_from(zero + hours * HOUR);
        instrument.data_faults.insert(number, data_fault);
    }
    instrument
}
