//! All tabs.

use super::columns::Columns;
use super::key::Key;
use super::keymap::{Binding, Keymap, Scope};
use super::tab::TabId;
use super::tabs::Tab;

/// Declares the struct of all tabs.
macro_rules! declare {
    ($($id:ident $short:literal $module:ident::$kind:ident;)*) => {
        /// All tabs.
        #[derive(Debug, Clone, Default)]
        #[allow(missing_docs)] // each field is the tab it names
        pub(crate) struct Components {
            $(pub $module: crate::dashboard::$module::$kind,)*
        }

        impl Components {
            /// A tab.
            pub(crate) fn get(&self, id: TabId) -> &dyn Tab {
                match id { $(TabId::$id => &self.$module,)* }
            }

            /// A tab, to change.
            pub(crate) fn get_mut(&mut self, id: TabId) -> &mut dyn Tab {
                match id { $(TabId::$id => &mut self.$module,)* }
            }
        }
    };
}

tabs!(declare);

impl Components {
    /// The bindings of their own actions.
    fn bindings(&self) -> Vec<Binding> {
        let own = TabId::ALL.iter().flat_map(|id| {
            let actions = self.get(*id).actions().iter();
            actions.map(move |own| Binding {
                action: own.action,
                scope: Scope::On(*id),
                keys: own.keys.split(' ').filter_map(Key::parse).collect(),
                label: own.label,
            })
        });
        own.collect()
    }

    /// `true` while something turns on any of them.
    pub(crate) fn are_busy(&self) -> bool {
        TabId::ALL.iter().any(|id| self.get(*id).is_busy())
    }
}

// Here and not next to the keymap: the tabs know actions, so the keymap must not know tabs.
impl Default for Keymap {
    fn default() -> Self {
        Self::new(Components::default().bindings())
    }
}

/// The columns of all tables, in their usual order and width.
pub(crate) fn usual_columns() -> Columns {
    let tabs = Components::default();
    let tables = TabId::ALL.iter().map(|id| tabs.get(*id).columns());
    Columns::new(tables.collect())
}
