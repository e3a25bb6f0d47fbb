//! The state that the user declares for a deployment.

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// The state that the user declares for a deployment, whatever its last fix
/// says.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    Hash,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum DeclaredState {
    /// It should report.
    #[default]
    Active,
    /// It was recovered: it is never late.
    Recovered,
    /// It is given up as lost: it is never late.
    Lost,
}

impl DeclaredState {
    /// The name used on the command line and in files.
    pub(crate) fn name(self) -> &'static str {
        self.into()
    }

    /// `true` if it should report, so that it can be late and raise an alarm.
    pub(crate) fn is_active(self) -> bool {
        self == Self::Active
    }
}
