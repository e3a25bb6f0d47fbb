use super::*;
use crate::track::DeclaredState;

impl Archive {
    /// Puts an entry on the list as it is.
    pub(crate) fn watch(&mut self, entry: &Deployment, now: f64) -> Result<bool> {
        let edit = entry.clone();
        self.amend(entry, move |stored| stored.clone_from(&edit), now)
    }
}

#[test]
fn the_list_keeps_its_order_and_its_entries_can_be_changed() {
    let mut archive = Archive::in_memory().unwrap();
    let entry = |n: u128, label: &str| Deployment {
        id: Uuid::from_u128(n).into(),
        label: Some(label.to_owned()),
        group: Some("Fram Strait".to_owned()),
        platform: Platform::Float,
        limits: Limits {
            max_age_s: Some(3600.0),
            inside: Inside::from_stored("54,7.9,500"),
            max_speed_m_s: Some(5.0),
            fields: field_limit::read(r#"[{"field":"b","side":"below","value":11.5,"unit":"V"}]"#)
                .unwrap_or_default(),
        },
        window: Window {
            from: Some(-1.5),
            until: Some(1e9),
        },
        state: DeclaredState::Recovered,
        notes: Some(format!("moored at {label}")),
    };
    assert!(
        archive
            .watch(&entry(2, "b'); DROP TABLE deployment; --"), 0.0)
            .unwrap()
    );
    assert!(archive.watch(&entry(1, "a"), 0.0).unwrap());
    assert!(!archive.watch(&entry(2, "c"), 0.0).unwrap());
    let labels: Vec<_> = archive
        .watched()
        .unwrap()
        .into_iter()
        .filter_map(|one| one.label)
        .collect();
    assert_eq!(labels, ["c", "a"]);
    assert_eq!(archive.watched().unwrap(), [entry(2, "c"), entry(1, "a")]);
    assert!(archive.unwatch(Uuid::from_u128(2)).unwrap());
    assert!(!archive.unwatch(Uuid::from_u128(2)).unwrap());
    assert!(!archive.is_watched(Uuid::from_u128(2)).unwrap());
    archive.watch(&entry(2, "c"), 50.0).unwrap();
    // It counts from when it was put on the list again.
    assert_eq!(archive.added_at(Uuid::from_u128(2)).unwrap(), Some(50.0));
    archive.watch(&entry(2, "c"), 60.0).unwrap();
    assert_eq!(archive.added_at(Uuid::from_u128(2)).unwrap(), Some(50.0));
    assert_eq!(
        archive.watched().unwrap().last().unwrap().label.as_deref(),
        Some("c")
    );
}

#[test]
fn what_another_process_changed_of_an_entry_stays() {
    let mut archive = Archive::in_memory().unwrap();
    let entry = |label: &str, notes: &str| Deployment {
        label: Some(label.to_owned()),
        platform: Platform::Float,
        notes: Some(notes.to_owned()),
        ..Deployment::new(Uuid::from_u128(1))
    };
    let before = entry("a", "old");
    archive.watch(&before, 0.0).unwrap();
    // One process changes the notes, this one the label.
    archive.watch(&entry("a", "new"), 0.0).unwrap();
    archive
        .change(Some(&before), &entry("b", "old"), true, 0.0)
        .unwrap();
    assert_eq!(archive.watched().unwrap(), [entry("b", "new")]);
    // Both change the notes: the second is told so, and nothing is lost.
    let ours = entry("b", "ours");
    let before = entry("b", "old");
    assert!(!archive.change(Some(&before), &ours, true, 0.0).unwrap());
    assert_eq!(archive.watched().unwrap(), [entry("b", "new")]);
    // An edit does not put back what another process took off.
    archive.unwatch(before.id.uuid).unwrap();
    assert!(!archive.change(Some(&before), &ours, true, 0.0).unwrap());
    assert_eq!(archive.watched().unwrap(), []);
    assert!(archive.change(Some(&before), &ours, false, 0.0).unwrap());
    assert_eq!(archive.watched().unwrap(), [ours]);
}

#[test]
fn what_another_process_put_on_the_list_keeps_what_was_set_for_it() {
    let mut archive = Archive::in_memory().unwrap();
    let uuid = Uuid::from_u128(1);
    let theirs = Deployment {
        label: Some("theirs".to_owned()),
        platform: Platform::Float,
        ..Deployment::new(uuid)
    };
    archive.watch(&theirs, 0.0).unwrap();
    // This process adds it without knowing of it.
    archive
        .change(None, &Deployment::new(uuid), false, 0.0)
        .unwrap();
    assert_eq!(archive.watched().unwrap(), std::slice::from_ref(&theirs));
    // It puts back what it took off, and another has put it back already.
    let ours = Deployment {
        label: Some("ours".to_owned()),
        ..Deployment::new(uuid)
    };
    archive.change(Some(&ours), &ours, false, 0.0).unwrap();
    assert_eq!(archive.watched().unwrap(), [theirs]);
    // Of one that is on no list, all that is set is written.
    archive.unwatch(uuid).unwrap();
    archive.change(Some(&ours), &ours, false, 0.0).unwrap();
    assert_eq!(archive.watched().unwrap(), [ours]);
}

#[test]
fn an_entry_that_is_removed_and_put_back_has_its_former_place() {
    let mut archive = Archive::in_memory().unwrap();
    let entry = |n: u128| Deployment::new(Uuid::from_u128(n));
    for n in [3, 1, 2] {
        archive.watch(&entry(n), 0.0).unwrap();
    }
    assert!(archive.unwatch(Uuid::from_u128(1)).unwrap());
    assert!(!archive.unwatch(Uuid::from_u128(1)).unwrap());
    assert!(archive.change(None, &entry(1), false, 1.0).unwrap());
    archive.watch(&entry(4), 2.0).unwrap();
    let order = archive.watched().unwrap().into_iter();
    let order: Vec<u128> = order.map(|entry| entry.id.uuid.as_u128()).collect();
    assert_eq!(order, [3, 1, 2, 4]);
}
