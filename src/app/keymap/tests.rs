use super::*;

#[test]
fn no_key_means_two_things_within_one_scope() {
    for tab in Tab::ALL {
        let mut seen = std::collections::HashMap::new();
        for binding in BINDINGS
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
    for binding in BINDINGS {
        if matches!(
            binding.action,
            Action::DeletePlant | Action::RemoveDeployment | Action::Overrule
        ) {
            assert!(binding.keys.iter().all(|key| !key.ctrl));
        }
    }
}
