use super::*;
use crate::track::Platform;

#[tokio::test]
async fn a_removed_archive_is_told_once_and_refuses_edits_and_the_ledger() {
    // With the archive open for writing, and where it was only read.
    for only_read in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.db");
        let entry = Deployment::new(Uuid::from_u128(1));
        let mut store = Store::at(path.clone());
        assert!(store.change(None, entry.clone(), false).await.unwrap());
        if only_read {
            store = Store::at(path.clone());
            assert_eq!(
                store.entry(entry.uuid).await.unwrap().as_ref(),
                Some(&entry)
            );
        }
        for file in std::fs::read_dir(folder.path()).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
        assert!(store.changed_by_another(false).await.is_err());
        let words = store.loss().unwrap();
        assert!(words.contains("was removed while driftline ran"), "{words}");
        let after = Deployment {
            platform: Platform::Float,
            ..entry.clone()
        };
        let change = store.change(Some(entry.clone()), after.clone(), false);
        let failure = change.await.unwrap_err();
        assert!(failure.to_string().contains("was removed"), "{failure}");
        assert!(store.undo_change(entry.clone(), after).await.is_err());
        assert!(store.undo_removal(entry.clone()).await.is_err());
        assert!(store.ledger().await.is_err());
        assert!(store.loss().is_none());
        assert!(!path.exists());
        // The next start makes a new one.
        let store = Store::at(path.clone());
        assert!(store.change(None, entry, false).await.unwrap());
        assert!(path.exists());
    }
}
