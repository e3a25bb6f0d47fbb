//! The files of overlays and tracks, read again when they change.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::time::sleep;

use crate::app::overlay;
use crate::app::source::files::{FileChange, Files};
use crate::app::store::Store;
use crate::dashboard::event::Event;
use crate::failure::Failure;
use crate::map::Overlay;
use crate::os::blocking::blocking;
use crate::text;

/// Interval at which changes are looked for.
const EVERY: Duration = Duration::from_secs(2);

/// The time of the last change and the size of a file; `None` if it does not exist.
type State = Option<(SystemTime, u64)>;

/// The files as they were read last; without an overlay one that can no longer be read.
type Known = HashMap<PathBuf, (State, Option<Arc<Overlay>>)>;

/// Reads the changed files; returns the messages about them, `None` if nothing has changed.
fn look(known: &mut Known, files: &[PathBuf]) -> Option<Vec<Failure>> {
    let mut messages = None;
    for file in files {
        let state = state(file);
        if known.get(file).is_some_and(|(before, _)| *before == state) {
            continue;
        }
        let messages: &mut Vec<Failure> = messages.get_or_insert_default();
        let overlay = match overlay::read(file) {
            Ok((overlay, left_out)) => {
                let shown = text::excerpt(&file.display().to_string(), 80);
                let words = left_out.map(|what| format!("{shown}: {what}"));
                messages.extend(words.map(Failure::other));
                Some(Arc::new(overlay))
            }
            Err(failure) => {
                messages.push(failure);
                None
            }
        };
        known.insert(file.clone(), (state, overlay));
    }
    messages
}

fn state(file: &PathBuf) -> State {
    let found = fs::metadata(file).ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// Follows files until the program ends.
pub(super) async fn follow(files: Vec<PathBuf>, send: impl Fn(Event)) {
    let mut known = Known::default();
    loop {
        let looked_at = files.clone();
        let looked = blocking(move || {
            let messages = look(&mut known, &looked_at);
            (known, messages)
        });
        let Ok((now_known, messages)) = looked.await else {
            return;
        };
        known = now_known;
        if let Some(messages) = messages {
            let read = files.iter().filter_map(|file| known.get(file)?.1.clone());
            send(Event::Overlays(read.collect()));
            messages
                .into_iter()
                .for_each(|message| send(Event::Warning(message)));
        }
        sleep(EVERY).await;
    }
}

/// Follows the files of deployments until the program ends. A deployment that is new in a
/// file is put on the watch list.
pub(super) async fn follow_tracks(files: Arc<Files>, store: Store, send: impl Fn(Event)) {
    loop {
        let looked_at = Arc::clone(&files);
        let began = Instant::now();
        let Ok(changes) = blocking(move || looked_at.look()).await else {
            return;
        };
        for FileChange { uuid, entry } in changes {
            if let Some(entry) = entry
                && let Err(failure) = store.amend(entry, |_| ()).await
            {
                send(Event::Warning(failure));
            }
            send(Event::FileChanged(uuid));
        }
        // A pipe that never rests is read again and again.
        sleep(EVERY.max(4 * began.elapsed())).await;
    }
}
