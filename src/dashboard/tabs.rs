//! What a tab is to the shell: it owns its rows, cursor, filter, order, words and drawing,
//! and says as data what find, filter, sort, copy, footer, help and palette need.

pub(crate) mod rows;
pub(crate) mod times;

use std::cmp::Ordering;

use ratatui::buffer::Buffer;
use ratatui::style::Style;
use uuid::Uuid;

use super::keymap::Action;
use super::layout::Area;
use super::shared::Shared;
use super::theme::Theme;
use super::widgets::table::Drawn;
use crate::exchange::{Exchange, Progress};
use crate::plant::log::Entry;
use rows::Rows;

/// An action of a tab, with its keys and words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TabAction {
    /// The action.
    pub action: Action,
    /// Its keys, as the settings name them.
    pub keys: &'static str,
    /// Its description in help and palette.
    pub label: &'static str,
    /// Its word in the footer; empty where it is not there.
    pub word: &'static str,
    /// `true` if it is about the row under the cursor.
    pub needs_row: bool,
}

/// A form of a row to copy: its name and its text.
pub(crate) type Form = (&'static str, String);

/// A sign in its style, and its meaning.
pub(crate) type Meaning = ((&'static str, Style), &'static str);

/// The members of a row with commas between them, quoted where needed (RFC
/// 4180).
pub(crate) fn row_text(members: &[String]) -> String {
    let quoted = members.iter().map(|member| {
        if member.contains([',', '"']) {
            format!("\"{}\"", member.replace('"', "\"\""))
        } else {
            member.clone()
        }
    });
    quoted.collect::<Vec<_>>().join(",")
}

/// The deed of the shell after a key of a tab.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// Shows a message.
    Say(String),
    /// Opens the track of a deployment.
    OpenTrack(Uuid),
    /// Shows the pane below the table at full size, or no longer.
    FullDetail,
    /// Opens a dialog.
    Ask(Ask),
}

/// A question of a tab to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ask {
    /// For a plant to create.
    NewPlant,
    /// Delete the plants with these ids? Without any, it asks for an id.
    Delete(Vec<String>),
    /// Does a plant exist?
    Resolve(String),
    /// Take back the last create or delete?
    UndoPlant,
    /// For the file that plants are written to.
    ExportPlants,
    /// For a file of plants to create.
    ImportPlants,
}

/// News for a tab, whether it is shown or not.
#[derive(Debug, Clone)]
pub(crate) enum News {
    /// A request has begun or ended.
    Exchange(Exchange),
    /// How far a request is.
    Progress(Progress),
    /// All lines of the plant log, oldest first.
    PlantLog(Vec<Entry>),
}

/// The areas of a tab's panes, without their frames.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Panes {
    /// The table, its heading line included.
    pub table: Area,
    /// The pane below it.
    pub detail: Area,
}

/// A tab. Rows are named by their index among all of its rows, in their usual order.
pub(crate) trait Tab {
    /// The rows that are shown.
    fn rows(&self) -> &Rows;

    /// The rows that are shown.
    fn rows_mut(&mut self) -> &mut Rows;

    /// The number of all rows, whether the filter shows them or not.
    fn len(&self) -> usize;

    /// The subject of a row: it stays the same while other rows come and go.
    fn subject(&self, row: usize) -> Option<String>;

    /// `true` if a row has a word of a filter or a search, in lower case.
    fn has_word(&self, row: usize, word: &str) -> bool;

    /// The names of the numbers of a row that can be compared.
    fn numbers(&self) -> &'static [&'static str] {
        &[]
    }

    /// The names of the texts of a row: `name=text` and `name:text` are words of it.
    fn texts(&self) -> &'static [&'static str] {
        &[]
    }

    /// A number of a row.
    fn number(&self, _row: usize, _name: &str) -> Option<f64> {
        None
    }

    /// The order of two rows by a column, the smallest first.
    fn compare(&self, column: &str, row: usize, other: usize) -> Ordering;

    /// The columns of its table, in their usual order.
    fn columns(&self) -> Vec<&'static str>;

    /// The forms of a row to copy, the most useful first.
    fn forms(&self, row: usize) -> Vec<Form>;

    /// The words that a filter or a search may have, as a hint.
    fn hint(&self) -> &'static str;

    /// The titles of table and detail, and the words for the usual order and its reverse.
    fn titles(&self) -> Titles;

    /// Its own actions, the most useful first.
    fn actions(&self) -> &'static [TabAction];

    /// `true` if it has an action here and now.
    fn offers(&self, _action: Action) -> bool {
        true
    }

    /// The signs of its rows, each with its meaning.
    fn signs(&self, _theme: Theme) -> Vec<Meaning> {
        Vec::new()
    }

    /// Carries out one of its own actions, of which a key was pressed.
    fn key(&mut self, action: Action, shared: &Shared) -> Option<Outcome>;

    /// Takes news.
    fn event(&mut self, news: &News);

    /// Takes back marks or the like; `false` if there are none.
    fn dismiss(&mut self) -> bool {
        false
    }

    /// `true` while something of it turns.
    fn is_busy(&self) -> bool {
        false
    }

    /// Draws its panes; says what was drawn of its table.
    fn draw(&self, buffer: &mut Buffer, panes: Panes, shared: &Shared, theme: Theme) -> Drawn;
}

/// The words on the frames of a tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Titles {
    /// On the table.
    pub table: String,
    /// On the pane below it.
    pub detail: String,
}
