//! The tabs that are components.

use super::activity::ActivityTab;
use super::columns::Columns;
use super::deployments::DeploymentsTab;
use super::key::Key;
use super::keymap::{Binding, Keymap, Scope};
use super::plants::PlantsTab;
use super::tab::TabId;
use super::tabs::Tab;
use super::track::TrackTab;
use super::widgets::table::names;
use super::{deployments, track};

/// Declares the tabs that are components: one line for each.
macro_rules! components {
    ($($id:ident: $field:ident: $kind:ty),* $(,)?) => {
        /// The tabs that are components.
        #[derive(Debug, Clone, Default)]
        #[allow(missing_docs)] // each field is the tab it names
        pub(crate) struct Components {
            pub deployments: DeploymentsTab,
            pub track: TrackTab,
            $(pub $field: $kind,)*
        }

        impl Components {
            /// A tab; `None` for Deployments and Track, which the shell holds by themselves.
            pub(crate) fn get(&self, id: TabId) -> Option<&dyn Tab> {
                match id {
                    $(TabId::$id => Some(&self.$field),)*
                    _ => None,
                }
            }

            /// A tab to change; `None` for Deployments and Track.
            pub(crate) fn get_mut(&mut self, id: TabId) -> Option<&mut dyn Tab> {
                match id {
                    $(TabId::$id => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }
    };
}

components! {
    Plants: plants: PlantsTab,
    Activity: activity: ActivityTab,
}

impl Components {
    /// The bindings of their own actions.
    fn bindings(&self) -> Vec<Binding> {
        let own = TabId::ALL.into_iter().flat_map(|id| {
            let actions = self.get(id).map_or(&[][..], |tab| tab.actions());
            actions.iter().map(move |own| Binding {
                action: own.action,
                scope: Scope::On(id),
                keys: own.keys.split(' ').filter_map(Key::parse).collect(),
                label: own.label,
            })
        });
        own.collect()
    }

    /// `true` while something turns on any of them.
    pub(crate) fn are_busy(&self) -> bool {
        let mut all = TabId::ALL.into_iter().filter_map(|id| self.get(id));
        all.any(|tab| tab.is_busy())
    }
}

// Here and not beside the keymap: the tabs know actions, so the keymap must not know tabs.
impl Default for Keymap {
    fn default() -> Self {
        Self::new(Components::default().bindings())
    }
}

/// The names of the columns of each tab's table, in their usual order.
pub(crate) fn tables() -> [Vec<&'static str>; TabId::ALL.len()] {
    let tabs = Components::default();
    TabId::ALL.map(|tab| match tab {
        TabId::Deployments => names(deployments::table::COLUMNS),
        TabId::Track => names(track::table::COLUMNS),
        _ => tabs.get(tab).map_or_else(Vec::new, |tab| tab.columns()),
    })
}

/// The columns of all tables, in their usual order and width.
pub(crate) fn usual_columns() -> Columns {
    Columns::new(tables())
}
