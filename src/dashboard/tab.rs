//! The tabs and their panes.

use strum::{IntoStaticStr, VariantArray};

/// The narrowest screen with panes side by side on Track, columns.
pub(crate) const SIDE_BY_SIDE: u16 = 80;

/// Declares the tabs.
macro_rules! declare {
    ($($id:ident $short:literal $module:ident::$kind:ident;)*) => {
        /// The tabs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, VariantArray)]
        #[allow(missing_docs)] // each is the tab that it names
        pub(crate) enum TabId { $($id,)* }

        impl TabId {
            /// In the order of their numbers.
            pub(crate) const ALL: &[Self] = &[$(Self::$id,)*];

            /// The name on the tab of a narrow screen.
            pub(crate) fn short_title(self) -> &'static str {
                match self { $(Self::$id => $short,)* }
            }
        }
    };
}

tabs!(declare);

impl TabId {
    /// The name on the tab.
    pub(crate) fn title(self) -> &'static str {
        self.into()
    }
}

/// The panes of a tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, IntoStaticStr, VariantArray)]
pub(crate) enum Pane {
    /// The table.
    #[default]
    Table,
    Map,
    Timeline,
    Summary,
}

impl Pane {
    /// The first pane of a track on a screen of this many columns: the map, or the table
    /// if only one pane is shown.
    pub(in crate::dashboard) fn first_of_track(width: u16) -> Self {
        if width < SIDE_BY_SIDE {
            Self::Table
        } else {
            Self::Map
        }
    }
}
