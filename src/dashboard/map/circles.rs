//! The circles around fixes: rings, how far off a position may be, and where to look for an
//! instrument.

use uuid::Uuid;

use crate::dashboard::model::Model;
use crate::map::{RoundLength, SearchArea, View};
use crate::track::quality::LocationClass;

/// The search area of a deployment, once it was requested.
pub(super) fn search_area(model: &Model, uuid: Uuid) -> Option<SearchArea> {
    let known = model.whereabouts(uuid)?;
    let found = known.found.as_ref().ok()?;
    let circle = |radius_m: f64, share: &str| {
        (
            radius_m,
            format!("{share} {}", model.units.distance(radius_m)),
        )
    };
    Some(SearchArea {
        way: known.way(),
        circles: vec![circle(found.r50_m, "half"), circle(found.r90_m, "9 in 10")],
    })
}

/// The rings around the cursor: the error of an Argos position, if wider than a cell,
/// and three range rings at round distances that fit on the map.
pub(super) fn rings(model: &Model, view: &View) -> Vec<(f64, String)> {
    let across = f64::from(view.columns).min(f64::from(view.rows) * view.cell_aspect);
    let step = RoundLength::at_most(view.metres_a_column * across / 6.5, model.units);
    let round = (1..=3).filter(|_| model.track.rings);
    let round = round.map(|ring| step.times(ring));
    let round = round.map(|radius| (radius.metres, radius.to_string()));
    let track = model.open_one();
    let class = track.and_then(|track| track.location_class(model.track.cursor));
    let error_m = class.map(LocationClass::error_m);
    let error_m = error_m.filter(|error_m| *error_m > view.metres_a_column);
    let error = error_m.map(|metres| {
        (
            metres,
            format!("error {}", model.units.distance(metres).trim()),
        )
    });
    error.into_iter().chain(round).collect()
}
