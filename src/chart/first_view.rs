//! How tables and maps look before anything is chosen on the screen.

use crate::geo::projection::UsualProjection;
use crate::track::sort::SortedBy;
use crate::track::time::ShownZone;
use crate::track::{DeploymentSort, TrackSort};

/// The time zone, the orders and the projections of the first frames, and of each track
/// that is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FirstView {
    /// The time zone that times are shown in.
    pub zone: ShownZone,
    /// The order of the list of deployments.
    pub deployments_sort: SortedBy<DeploymentSort>,
    /// The order of the fixes of a track; not by a field.
    pub track_sort: SortedBy<TrackSort>,
    /// The projection of the map of a track.
    pub track_projection: UsualProjection,
    /// The projection of the map of all deployments.
    pub world_projection: UsualProjection,
}
