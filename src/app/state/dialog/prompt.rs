//! A prompt for one line of text: a UUID, a name, a limit, a filter.

use uuid::Uuid;

use super::field::Field;

/// The purpose of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A deployment to add.
    Deployment,
    /// A new label for a deployment.
    Label(Uuid),
    /// The circle that a deployment should stay in.
    Circle(Uuid),
    /// How old a deployment's last fix may be.
    MaxAge(Uuid),
    /// The speed limit of the quality tests of a deployment.
    MaxSpeed(Uuid),
    /// Notes about a deployment.
    Notes(Uuid),
    /// How long the alarm chosen in the list below is not to be reminded of.
    Snooze,
    /// The identifier of a plant to delete.
    PlantToDelete,
    /// A text to find in the rows.
    Find,
    /// A filter of the rows.
    Filter,
}

impl Purpose {
    /// The deployment that it changes, if it is on the list.
    pub(crate) fn deployment(self) -> Option<Uuid> {
        match self {
            Self::Label(uuid)
            | Self::Circle(uuid)
            | Self::MaxAge(uuid)
            | Self::MaxSpeed(uuid)
            | Self::Notes(uuid) => Some(uuid),
            Self::Deployment | Self::Snooze | Self::PlantToDelete | Self::Find | Self::Filter => {
                None
            }
        }
    }

    /// The title on its frame.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Deployment => "Add a deployment",
            Self::Label(_) => "Rename",
            Self::Circle(_) => "Watch circle",
            Self::MaxAge(_) => "Maximum age of last fix",
            Self::MaxSpeed(_) => "Speed limit of the quality tests",
            Self::Notes(_) => "Notes",
            Self::Snooze => "Snooze alarm",
            Self::PlantToDelete => "Delete plant",
            Self::Find => "Find",
            Self::Filter => "Filter",
        }
    }

    /// The label above the text.
    pub(crate) fn question(self) -> &'static str {
        match self {
            Self::Deployment => "UUID, or a URL that contains one",
            Self::Label(_) => "New label",
            Self::Circle(_) => {
                "LAT,LON,RADIUS such as 50.1,-144.5,5km; or 300m alone: around the latest fix"
            }
            Self::MaxAge(_) => "Alarm if the last fix is older, e.g. 6h",
            Self::MaxSpeed(_) => "Instead of the platform's, e.g. 10kn, 5m/s, 18km/h",
            Self::Notes(_) => "Notes",
            Self::Snooze => "No reminder for this long, e.g. 6h, 2d",
            Self::PlantToDelete => "Identifier of the plant",
            Self::Find => "Find",
            Self::Filter => "Show rows containing",
        }
    }
}

/// A prompt for one line of text.
#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    /// Its purpose.
    pub purpose: Purpose,
    /// The text.
    pub field: Field,
    /// A text that Tab takes, and why.
    pub proposal: Option<(String, String)>,
}

impl Prompt {
    pub(in crate::app) fn new(purpose: Purpose, text: &str) -> Self {
        Self {
            purpose,
            field: Field::new(text),
            proposal: None,
        }
    }

    /// The same with a text that Tab takes, and why.
    pub(in crate::app) fn proposing(self, proposal: Option<(String, String)>) -> Self {
        Self { proposal, ..self }
    }
}
