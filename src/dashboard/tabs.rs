//! A tab as the shell knows it: it owns its rows, cursor, filter, order, words and drawing,
//! and says as data what find, filter, sort, copy, footer, help and palette need.

mod of_rows;
pub(crate) mod rows;
pub(crate) mod times;

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use ratatui::style::Style;
use uuid::Uuid;

use super::canvas::Canvas;
use super::event::Event;
use super::keymap::Action;
use super::layout::Arrangement;
use super::row::Row;
use super::shared::Shared;
use super::tab::{Pane, TabId};
use super::targets::Heading;
use super::theme::Theme;
use super::widgets::sheet::Sheet;
use super::widgets::table_state::{Step, TableState};
use crate::geo::Position;
use crate::geo::projection::Projection;
use crate::map::View;
use crate::track::query::Query;
use crate::track::sort::SortedBy;
use rows::Rows;

/// An action of a tab, with its keys and words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TabAction {
    pub action: Action,
    /// Its keys, as the settings name them.
    pub keys: &'static str,
    /// Its description in help and palette.
    pub label: &'static str,
    /// Its word in the footer; empty if it is not there.
    pub word: &'static str,
    /// `true` if it is about the row under the cursor.
    pub needs_row: bool,
}

/// The own actions of a tab, the most useful first: each with its keys and its label, and
/// where its footer has it, the word there, `of row` if it is about the row under the cursor.
macro_rules! actions {
    ($($action:ident, $keys:literal, $label:literal $(, $word:literal $(of $row:ident)?)?;)*) => {
        /// Its own actions.
        pub(super) const ACTIONS: &[$crate::dashboard::tabs::TabAction] = &[$(
            $crate::dashboard::tabs::TabAction {
                action: $crate::dashboard::keymap::Action::$action,
                keys: $keys,
                label: $label,
                word: concat!($($word)?),
                needs_row: !stringify!($($($row)?)?).is_empty(),
            },
        )*];
    };
}
pub(crate) use actions;

/// The footer where no deployment is watched.
pub(crate) const NOTHING_WATCHED: &[Entry] = &[
    (Action::AddDeployment, "add"),
    (Action::Palette, "commands"),
    (Action::Settings, "settings"),
];

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
    /// None: the tab has done it.
    Done,
    /// Shows a message.
    Say(String),
    /// Opens the track of a deployment.
    OpenTrack(Uuid),
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

/// The purpose of the keys of a hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hint {
    Find,
    Filter,
}

/// An action with its word in the footer.
pub(crate) type Entry = (Action, &'static str);

/// The map of a tab.
pub(crate) trait MapTab {
    /// The view that is drawn; `None` where the map has no room.
    fn view(&self, shared: &Shared) -> Option<View>;

    /// Shows a view, or for `None` the fitted one.
    fn set_view(&mut self, view: Option<View>);

    /// Fits the view again, in a projection or in the best one.
    fn set_projection(&mut self, projection: Option<Projection>);

    /// The projections that can show all of it.
    fn projections(&self, shared: &Shared) -> Vec<Projection>;

    /// The position that does not move while zooming, if it is on the map.
    fn anchor(&self, shared: &Shared) -> Option<Position>;

    /// Puts the cursor on what is nearest to a position.
    fn go_near(&mut self, shared: &mut Shared, position: Position);

    /// The view after the fitted one: the fitted one again, or a larger one.
    fn beyond_fit(&self, _view: &View) -> Option<View> {
        None
    }
}

/// A tab, as the shell needs it.
pub(crate) trait Tab {
    /// Cursor and viewport of its table.
    fn table(&self) -> TableState;

    /// Cursor and viewport of its table.
    fn table_mut(&mut self) -> &mut TableState;

    /// The number of all rows, whether the filter shows them or not.
    fn len(&self, shared: &Shared) -> usize;

    /// The number of the rows that are shown.
    fn row_count(&self, shared: &Shared) -> usize;

    /// The subject of the row at the cursor; `None` in an empty table.
    fn row_at_cursor(&self, shared: &Shared) -> Option<Row>;

    /// The row with this subject; `None` if none is shown.
    fn row_number(&self, shared: &Shared, row: &Row) -> Option<usize>;

    /// The name of a row that a search prefers to its other words.
    fn row_name(&self, _shared: &Shared, _row: usize) -> Option<String> {
        None
    }

    /// The user has moved the cursor of its table.
    fn moved(&mut self, _shared: &mut Shared) {}

    /// The cursor stays on its row from now on, however the rows move.
    fn hold_row(&mut self) {}

    /// The filter of its rows.
    fn filter(&self) -> &Query;

    /// Filters its rows.
    fn set_filter(&mut self, shared: &mut Shared, filter: Query);

    /// The order of its rows.
    fn order(&self) -> SortedBy<Heading>;

    /// Sorts its rows.
    fn set_order(&mut self, shared: &mut Shared, order: SortedBy<Heading>);

    /// The orders that its table may have.
    fn orders(&self, shared: &Shared) -> Vec<Heading>;

    /// The words for the order of its rows.
    fn sorted(&self, theme: Theme) -> String;

    /// The names of the numbers of its rows that can be compared, besides those of all rows.
    fn fields<'a>(&'a self, shared: &'a Shared) -> BTreeSet<&'a str>;

    /// The names of the texts of a row: `name=text` and `name:text` are words of it.
    fn texts(&self) -> &'static [&'static str] {
        &[]
    }

    /// Looks for the rows that match the search, if that needs a job.
    fn search(&mut self, _shared: &mut Shared) {}

    /// The rows that match a query, in their order; `None` while a job looks for them.
    fn matching<'a>(&'a self, shared: &'a Shared, query: &Query) -> Option<Cow<'a, [u32]>>;

    /// The name of what a search finds.
    fn match_noun(&self, _query: &Query) -> &'static str {
        "match"
    }

    /// A search was typed to its end.
    fn search_typed(&mut self, _shared: &mut Shared) {}

    /// Goes to what a typed text names without a search; `None` if it names no such.
    ///
    /// # Errors
    /// A description of the fault in the text.
    fn go_to(&mut self, _shared: &mut Shared, _text: &str) -> Option<Result<(), String>> {
        None
    }

    /// `true` if the cursor stays on the newest row.
    fn follows(&self) -> bool {
        false
    }

    /// The cursor stays on the newest row again.
    fn follow_again(&mut self) {}

    /// The forms of the row at the cursor to copy, the most useful first.
    fn forms(&self, shared: &Shared) -> Vec<Form>;

    /// The columns of its table, in their usual order.
    fn columns(&self) -> Vec<&'static str>;

    /// The words that a filter or a search may have, as a hint.
    fn hint(&self, shared: &Shared, of: Hint) -> String;

    /// The name of the instrument that a pane shows, empty for none, and the title after it.
    fn title(&self, pane: Pane, shared: &Shared, theme: Theme) -> (String, String);

    /// Its own actions.
    fn actions(&self) -> &'static [TabAction];

    /// The entries of the footer for the focused pane, the most important first.
    fn footer(&self, shared: &Shared) -> Vec<Entry>;

    /// The signs of its rows and its map, each with its meaning; later groups are shown where
    /// they have room.
    fn signs(&self, theme: Theme) -> Vec<Vec<Meaning>>;

    /// Carries out an action of its own, of which a key was pressed; `None` if the shell does.
    fn key(&mut self, action: Action, shared: &mut Shared) -> Option<Outcome>;

    /// Scrolls a pane that has the whole screen; `false` if its table is scrolled.
    fn scroll(&mut self, _step: Step, _shared: &Shared) -> bool {
        false
    }

    /// Takes news, whether it is shown or not.
    fn event(&mut self, _event: &Event, _shared: &Shared) {}

    /// Follows what the shell shares, after each event.
    fn follow(&mut self, _shared: &mut Shared) {}

    /// Ends work of its own that Esc ends before anything else; `false` if there is none.
    fn stop(&mut self, _shared: &mut Shared) -> bool {
        false
    }

    /// Takes back marks or the like; `false` if there are none.
    fn dismiss(&mut self, shared: &mut Shared) -> bool;

    /// The tab that Esc leads to if nothing is left to take back.
    fn back(&self) -> Option<TabId> {
        None
    }

    /// `true` while something of it turns.
    fn is_busy(&self) -> bool {
        false
    }

    /// The deployment that an action is about: the open one, or that of the row.
    fn deployment(&self, _shared: &Shared) -> Option<Uuid> {
        None
    }

    /// The arrangement of its panes.
    fn arrangement(&self, _shared: &Shared) -> Arrangement {
        Arrangement::Rows
    }

    /// `true` if a second click on a row opens it.
    fn opens_on_click(&self) -> bool {
        false
    }

    /// Its map, if it has one.
    fn map(&self) -> Option<&dyn MapTab> {
        None
    }

    /// Its map, to change.
    fn map_mut(&mut self) -> Option<&mut dyn MapTab> {
        None
    }

    /// Draws its panes, and records their click targets.
    fn draw(&self, canvas: &mut Canvas<'_>, shared: &Shared);
}

/// A tab of rows over the details of the chosen one: from this the rest of [`Tab`] follows. Rows
/// are named by their index among all of its rows, in their usual order.
pub(crate) trait RowsTab {
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

    /// The titles of table and detail.
    fn titles(&self) -> [String; 2];

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
    fn key(&mut self, action: Action, shared: &mut Shared) -> Outcome;

    /// An entry of the footer before those of its actions.
    fn first_entry(&self) -> Option<Entry> {
        None
    }

    /// Ends work of its own that Esc ends before anything else; `false` if there is none.
    fn stop(&mut self, _shared: &mut Shared) -> bool {
        false
    }

    /// Takes news; `false` if it is about none of its rows.
    fn event(&mut self, event: &Event, shared: &Shared) -> bool;

    /// Takes back marks or the like; `false` if there are none.
    fn dismiss(&mut self) -> bool {
        false
    }

    /// `true` while something of it turns.
    fn is_busy(&self) -> bool {
        false
    }

    fn draw_table(&self, canvas: &mut Canvas<'_>, shared: &Shared);

    /// Adds the lines of the pane below it, of which a pane of this height shows the first.
    fn detail(&self, sheet: &mut Sheet, height: u16, shared: &Shared, theme: Theme);
}
