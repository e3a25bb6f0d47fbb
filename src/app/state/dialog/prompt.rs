//! One line of text for some purpose: a UUID, a name, a limit, a filter.

use uuid::Uuid;

use super::field::Field;

/// What a line of text is asked for.
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
    /// Notes about a deployment.
    Notes(Uuid),
    /// The identifier of a plant to delete.
    PlantToDelete,
    /// What the rows are filtered by.
    Filter,
}

impl Purpose {
    /// The title on its frame.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Deployment => "Add a deployment",
            Self::Label(_) => "Rename",
            Self::Circle(_) => "Watch circle",
            Self::MaxAge(_) => "Oldest fix",
            Self::Notes(_) => "Notes",
            Self::PlantToDelete => "Delete plant",
            Self::Filter => "Filter",
        }
    }

    /// What is asked for.
    pub(crate) fn question(self) -> &'static str {
        match self {
            Self::Deployment => "UUID, or an address that holds one",
            Self::Label(_) => "New label; empty takes it away",
            Self::Circle(_) => "LAT,LON,RADIUS, or a radius about the latest fix; empty: none",
            Self::MaxAge(_) => "Alarm when the last fix is older, such as 6h; empty: none",
            Self::Notes(_) => "What is worth knowing; empty takes it away",
            Self::PlantToDelete => "Identifier of the plant",
            Self::Filter => "Rows that hold",
        }
    }
}

/// One line of text for some purpose.
#[derive(Debug, Clone)]
pub(crate) struct Prompt {
    /// What it is for.
    pub purpose: Purpose,
    /// The text.
    pub field: Field,
}

impl Prompt {
    pub(in crate::app) fn new(purpose: Purpose, text: &str) -> Self {
        Self {
            purpose,
            field: Field::new(text),
        }
    }
}
