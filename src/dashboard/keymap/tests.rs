use crate::dashboard::keymap::*;

#[test]
fn no_key_means_two_things_within_one_scope() {
    for tab in TabId::ALL.iter().copied() {
        let mut seen = std::collections::HashMap::new();
        for binding in Keymap::default()
            .bindings()
            .iter()
            .filter(|binding| binding.scope.is_active_on(tab))
        {
            for key in binding.keys.iter() {
                if let Some(scope) = seen.insert((*key, binding.scope), binding.action) {
                    assert_eq!(scope, binding.action, "{}", key.name());
                }
            }
        }
    }
}

#[test]
fn nothing_destructive_lies_on_ctrl() {
    for binding in Keymap::default().bindings() {
        if matches!(
            binding.action,
            Action::DeletePlant | Action::RemoveDeployment | Action::OverrideFlag
        ) {
            assert!(binding.keys.iter().all(|key| !key.ctrl));
        }
    }
}

#[test]
fn an_action_without_a_key_is_named_by_its_command() {
    let none: &[String] = &[];
    let keyless = |name| Keymap::with_keys([(name, none)].into_iter()).unwrap();
    let keymap = keyless("deployments.undo");
    assert_eq!(
        keymap.key_of(Action::Undo, TabId::Deployments),
        "the command \"Undo the last local change\""
    );
    assert_eq!(keymap.key_of(Action::Undo, TabId::Track), "U");
    // Another binding of the same action has its key.
    let keymap = keyless("deployments.add-deployment");
    assert_eq!(
        keymap.key_of(Action::AddDeployment, TabId::Deployments),
        "a"
    );
    // One of another tab has no key here.
    let keymap = Keymap::default();
    assert_eq!(
        keymap.key_of(Action::NewPlant, TabId::Track),
        "the command \"Create a plant\""
    );
}
