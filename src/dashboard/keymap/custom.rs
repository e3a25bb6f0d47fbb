//! Keys of the settings instead of the default ones, checked for conflicts.

use super::{Action as A, Binding, Keymap, Scope};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::tab::TabId;

impl Keymap {
    /// The default bindings, with other keys for the actions of these names.
    ///
    /// # Errors
    /// The index of the first name whose keys cannot be used, and why.
    pub(crate) fn with_keys<'a>(
        changes: impl Iterator<Item = (&'a str, &'a [String])> + Clone,
    ) -> Result<Self, (usize, String)> {
        let mut keymap = Self::default();
        for (index, (name, keys)) in changes.clone().enumerate() {
            let excerpt = || crate::text::excerpt(name, 40);
            let binding = keymap
                .bindings
                .iter_mut()
                .find(|binding| binding.name() == name)
                .ok_or_else(|| {
                    let name = excerpt();
                    let help = "`driftline` shows the actions with ?, and README.md their names";
                    (index, format!("no action is named '{name}'; {help}"))
                })?;
            let parsed: Result<Vec<Key>, String> =
                keys.iter().map(|text| usable(text, binding)).collect();
            let mut keys = parsed.map_err(|error| (index, error))?;
            if keys.is_empty() && binding.action == A::Quit {
                let why = "without one, nothing on the screen says how to leave";
                return Err((index, format!("{} needs a key: {why}", excerpt())));
            }
            keys.extend(binding.keys.iter().filter(|key| is_fixed(**key)));
            binding.keys = keys;
        }
        for (index, (name, _)) in changes.enumerate() {
            if let Some(clash) = keymap.clash(name) {
                return Err((index, clash));
            }
        }
        Ok(keymap)
    }

    /// Another action with a key of the named one on a common tab, unless the
    /// defaults have the same two.
    fn clash(&self, name: &str) -> Option<String> {
        let mut bindings = self.bindings.iter();
        let named = bindings.position(|binding| binding.name() == name)?;
        let binding = self.bindings.get(named)?;
        let defaults = Self::default();
        let is_default = |index: usize, key: &Key| {
            let usual = defaults.bindings.get(index);
            usual.is_some_and(|binding| binding.keys.contains(key))
        };
        for (index, other) in self.bindings.iter().enumerate() {
            let meet = TabId::ALL
                .iter()
                .any(|tab| binding.scope.is_active_on(*tab) && other.scope.is_active_on(*tab))
                || meet_in_alarms(binding.scope, other.scope);
            if index == named || !meet || binding.action == other.action {
                continue;
            }
            let mut keys = binding.keys.iter();
            let shared = keys.find(|key| {
                other.keys.contains(key) && !(is_default(named, key) && is_default(index, key))
            });
            if let Some(key) = shared {
                let (key, own, other) = (key.name(), binding.name(), other.name());
                return Some(format!("{key} is a key of {own} and of {other}"));
            }
        }
        None
    }
}

/// `true` if bindings of two scopes are both active in the list of alarms.
fn meet_in_alarms(binding: Scope, other: Scope) -> bool {
    let is_there = |scope| matches!(scope, Scope::Alarms | Scope::Rows);
    is_there(binding) && is_there(other) && (binding == Scope::Alarms || other == Scope::Alarms)
}

/// `true` if a key always has the same meaning: an action that has it keeps it.
fn is_fixed(key: Key) -> bool {
    key == Key::ctrl('c') || key == Key::ctrl('z') || key.code == KeyCode::Esc
}

/// The key of a text in the settings, if a binding may have it.
fn usable(text: &str, binding: &Binding) -> Result<Key, String> {
    let key = Key::parse(text).ok_or_else(|| {
        let excerpt = crate::text::excerpt(text, 40);
        format!(
            "'{excerpt}' is not a key; give a character, or a name such as space, enter, f5, ctrl-e"
        )
    })?;
    let name = key.name();
    if is_fixed(key) {
        let why = "Ctrl-C, Ctrl-Z and Esc always mean the same";
        return Err(format!("{name} cannot be set: {why}"));
    }
    let same = match key.code {
        KeyCode::Char('i') => Some("Tab"),
        KeyCode::Char('m') => Some("Enter"),
        KeyCode::Char('[') => Some("Esc"),
        KeyCode::Char('?') => Some("Backspace"),
        _ => None,
    };
    if let Some(same) = same.filter(|_| key.ctrl) {
        return Err(format!(
            "{name} cannot be set: a terminal sends the same for it and for {same}"
        ));
    }
    let is_destructive = matches!(
        binding.action,
        A::DeletePlant | A::RemoveDeployment | A::OverrideFlag
    );
    if is_destructive && key.ctrl {
        let action = binding.name();
        return Err(format!(
            "{name} cannot be a key of {action}: nothing destructive is on Ctrl"
        ));
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keymap with these keys, as the settings name them.
    fn with(changes: &[(&str, &[&str])]) -> Result<Keymap, (usize, String)> {
        let owned: Vec<(&str, Vec<String>)> = changes
            .iter()
            .map(|(name, keys)| (*name, keys.iter().map(|key| (*key).to_owned()).collect()))
            .collect();
        Keymap::with_keys(owned.iter().map(|(name, keys)| (*name, keys.as_slice())))
    }

    #[test]
    fn every_binding_has_a_name_of_its_own() {
        let mut names = std::collections::HashSet::new();
        for binding in Keymap::default().bindings() {
            assert!(names.insert(binding.name()), "{}", binding.name());
        }
        assert!(names.contains("track.measure") && names.contains("table.find"));
    }

    #[test]
    fn an_action_has_the_keys_of_the_settings_and_no_others() {
        let keymap = with(&[
            ("track.measure", &["f5", "Q"]),
            ("all.refresh", &["r"]),
            ("table.down", &["ctrl-n", "down"]),
        ])
        .unwrap();
        let action = |text: &str, tab| keymap.action(Key::parse(text).unwrap(), tab);
        assert_eq!(action("Q", TabId::Track), Some(A::Measure));
        assert_eq!(action("f5", TabId::Track), Some(A::Measure));
        assert_eq!(action("space", TabId::Track), None);
        assert_eq!(action("ctrl-n", TabId::Plants), Some(A::Down));
        assert_eq!(action("j", TabId::Plants), None);
        assert_eq!(keymap.key_of(A::Measure, TabId::Track), "F5");
    }

    #[test]
    fn keys_that_cannot_be_used_are_told_with_their_reason() {
        for (changes, expected) in [
            (
                &[("track.measure", &["j"][..])][..],
                (0, "j is a key of track.measure and of table.down"),
            ),
            (
                &[("map.fit", &["f"][..])][..],
                (0, "f is a key of map.fit and of track.follow"),
            ),
            (
                &[("all.units", &["u"][..]), ("track.meesure", &["M"][..])][..],
                (1, "no action is named 'track.meesure'"),
            ),
            (
                &[("track.measure", &["meta"][..])][..],
                (0, "'meta' is not a key"),
            ),
            (
                &[("all.quit", &["ctrl-z"][..])][..],
                (0, "Ctrl-Z cannot be set: Ctrl-C"),
            ),
            (
                &[("plants.delete-plant", &["ctrl-d"][..])][..],
                (0, "Ctrl-D cannot be a key of plants.delete-plant"),
            ),
        ] {
            let (index, why) = with(changes).unwrap_err();
            assert_eq!(index, expected.0);
            assert!(why.starts_with(expected.1), "{why}");
        }
        // Two actions may swap their keys, and tabs that never meet share one.
        assert!(with(&[("map.zoom-in", &["-"]), ("map.zoom-out", &["+"])]).is_ok());
        assert!(with(&[("track.follow", &["D"])]).is_ok());
        // What the defaults have twice may be written down.
        assert!(with(&[("plants.new-plant", &["n"])]).is_ok());
    }

    #[test]
    fn a_key_that_a_terminal_sends_as_another_is_refused() {
        for (key, other) in [
            ("ctrl-i", "Tab"),
            ("ctrl-M", "Enter"),
            ("ctrl-[", "Esc"),
            ("ctrl-?", "Backspace"),
        ] {
            let (_, said) = with(&[("all.units", &[key])]).unwrap_err();
            assert!(
                said.ends_with(&format!("the same for it and for {other}")),
                "{said}"
            );
        }
        assert!(with(&[("all.units", &["ctrl-o", "alt-i"])]).is_ok());
    }

    #[test]
    fn the_way_out_keeps_a_key() {
        let none = with(&[("all.quit", &[])]);
        let (index, why) = none.unwrap_err();
        assert_eq!(index, 0);
        assert!(why.starts_with("all.quit needs a key"), "{why}");
        // Whatever the settings say, these keep their meaning, and help names them.
        let keymap = with(&[
            ("all.quit", &["f10"]),
            ("all.dismiss", &[]),
            ("all.suspend", &[]),
        ])
        .unwrap();
        for (key, action) in [
            (Key::plain(KeyCode::F(10)), A::Quit),
            (Key::ctrl('c'), A::Quit),
            (Key::plain(KeyCode::Esc), A::Dismiss),
            (Key::ctrl('z'), A::Suspend),
        ] {
            assert_eq!(keymap.action(key, TabId::Track), Some(action));
        }
        assert_eq!(keymap.action(Key::char('q'), TabId::Track), None);
    }

    #[test]
    fn each_default_key_is_read_back_from_its_name() {
        let keymap = Keymap::default();
        for key in keymap
            .bindings()
            .iter()
            .flat_map(|binding| binding.keys.iter())
        {
            let name = match key.code {
                KeyCode::Up => "up".to_owned(),
                KeyCode::Down => "down".to_owned(),
                KeyCode::Left => "left".to_owned(),
                KeyCode::Right => "right".to_owned(),
                _ => key.name(),
            };
            assert_eq!(Key::parse(&name), Some(*key), "{name}");
        }
        for wrong in ["", "ctrl-", "f13", "f0", "ab", "\u{7}"] {
            assert_eq!(Key::parse(wrong), None, "{wrong}");
        }
    }
}
