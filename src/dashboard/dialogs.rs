//! The dialogs over the panes, a file each: state, keys and drawing. The top dialog gets
//! the keys, and Esc closes it. They use four kinds of parts: a chooser, a form, a
//! question and a page.

pub(super) mod alarms;
pub(super) mod card;
pub(super) mod columns;
pub(super) mod details;
pub(super) mod edit;
pub(crate) mod export;
pub(super) mod help;
pub(super) mod listed;
pub(super) mod palette;
pub(super) mod plant;
pub(super) mod prompt;
pub(super) mod quit;
pub(super) mod settings;
pub(super) mod token;

mod chooser;
mod form;
pub(super) mod page;
pub(in crate::dashboard) mod question;

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};

use ratatui::layout::{Margin, Position};
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Borders, Clear, Widget};

use super::canvas::Canvas;
use super::event::RequestId;
use super::footer::{FooterKey, dialog_keys};
use super::key::Key;
use super::layout::Area;
use super::shell::Shell;
use super::theme::Theme;
use super::widgets::sheet::Sheet;
use super::widgets::table_state::Step;
use crate::text;
use palette::Command;

/// The narrowest dialog, columns.
const NARROWEST: u16 = 40;
/// Width of a screen that a dialog never fills.
const WIDE: u16 = 110;
/// Columns of a dialog's frame and of the margins within it.
const EDGES: u16 = 4;
/// Cells of the name of a dialog's subject, in its title.
const ABOUT: usize = 40;

/// Keys, each with a word for its action.
type Keys = &'static [(&'static str, &'static str)];

/// The words on the frame of a dialog, and in the footer.
pub(crate) struct Labels {
    /// The title on the frame.
    title: Cow<'static, str>,
    /// The keys of the footer.
    keys: Keys,
}

impl Labels {
    const fn new(title: &'static str, keys: Keys) -> Self {
        Self {
            title: Cow::Borrowed(title),
            keys,
        }
    }
}

/// The result of a key to the dialog on top.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The dialog stays.
    Stay,
    /// The dialog closes.
    Close,
    /// Another dialog opens over it.
    Open(Box<Dialog>),
    /// Another dialog replaces it.
    Replace(Box<Dialog>),
    /// The dialog closes, and a command runs.
    Run(Command),
}

impl Outcome {
    /// Another dialog opens over it.
    fn open(dialog: impl Into<Dialog>) -> Self {
        Self::Open(Box::new(dialog.into()))
    }
}

/// A dialog. Esc is no key of it: it closes any of them.
pub(crate) trait Component {
    /// Its title and its keys.
    fn labels(&self) -> Labels;

    /// The name of its subject, after the title; empty for none.
    fn about(&self) -> &str {
        ""
    }

    /// The keys of the footer.
    fn footer(&self, _shell: &Shell) -> Vec<FooterKey> {
        dialog_keys(self.labels().keys)
    }

    /// Handles a key.
    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome;

    /// Adds its lines to a sheet.
    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme);

    /// Draws it and records its click areas; returns the cell of its cursor.
    fn draw(&self, canvas: &mut Canvas<'_>, shell: &Shell) -> Option<Position> {
        self.draw_framed(canvas, shell)
    }

    /// Draws its lines in a frame as wide as they need.
    fn draw_framed(&self, canvas: &mut Canvas<'_>, shell: &Shell) -> Option<Position> {
        let theme = canvas.theme;
        let buffer = &mut *canvas.buffer;
        let targets = &mut canvas.memory.targets;
        let screen = buffer.area;
        let margin = match screen.width {
            ..WIDE => EDGES,
            _ => 2 * EDGES,
        };
        let most = screen.width.saturating_sub(margin).max(1);
        let sheet_of = |width| {
            let mut sheet = Sheet::new(width);
            self.lines(&mut sheet, shell, theme);
            sheet
        };
        // At the greatest width the lines show how much of it they need.
        let fixed = self.width();
        let needed = fixed.unwrap_or_else(|| sheet_of(most).natural_width());
        let width = needed.clamp(NARROWEST.saturating_sub(EDGES).min(most), most);
        let sheet = sheet_of(width);
        // A dialog that fills the screen leaves the footer: it has the keys.
        let above_footer = Area {
            height: screen.height.saturating_sub(1),
            ..screen
        };
        let height = sheet.height() + 2;
        let room = if height < screen.height {
            screen
        } else {
            above_footer
        };
        let area = centred(room, width + EDGES, height);
        targets.dialog = Some(area);
        Clear.render(area, buffer);
        let Labels { title, .. } = self.labels();
        let title = match self.about() {
            "" => format!(" {title} "),
            about => format!(" {title}: {} ", text::fit(about, ABOUT)),
        };
        let block = Block::new()
            .borders(Borders::ALL)
            .border_type(BorderType::Thick)
            .border_style(theme.accent())
            .title(title)
            .title_top(Line::from(self.position(shell)).right_aligned());
        let inner = block.inner(area);
        block.render(area, buffer);
        targets.chosen = sheet.chosen().map(|line| inner.y + line);
        sheet.draw(buffer, inner.inner(Margin::new(1, 0)), theme)
    }

    /// The columns of a form, which keeps its size from field to field; `None` of what is as
    /// wide as its lines need.
    fn width(&self) -> Option<u16> {
        None
    }

    /// The cursor's row and the number of rows, for the right end of the frame.
    fn position(&self, _shell: &Shell) -> String {
        String::new()
    }

    /// Moves its cursor by the wheel.
    fn step(&mut self, _step: Step, _shell: &Shell) {}

    /// A click on the line that is so many below that of the chosen row.
    fn press(&mut self, _below: i32, _shell: &Shell) {}

    /// Takes pasted text. It is text and nothing else: it never submits and never acts as
    /// a key. Without a field it is ignored.
    fn paste(&mut self, _text: &str, _shell: &mut Shell) {}

    /// `true` if it is next to the map, which the mouse moves meanwhile.
    fn is_beside_map(&self) -> bool {
        false
    }

    /// Cancels what it has begun, if possible: Esc has closed it.
    fn dismissed(&mut self, _shell: &mut Shell) {}

    /// The request whose reply it waits for.
    fn awaits(&self) -> Option<RequestId> {
        None
    }

    /// `true` before an action that cannot be undone at once: a click confirms nothing.
    fn is_question(&self) -> bool {
        false
    }

    /// A frame with it is on the screen.
    fn shown(&mut self) {}

    /// The shell may have changed.
    fn follow(&mut self, _shell: &Shell) {}
}

/// A rectangle of this size in the middle of an area, cut to it.
pub(crate) fn centred(area: Area, width: u16, height: u16) -> Area {
    let width = width.min(area.width);
    let height = height.min(area.height);
    let x = area.x + (area.width - width) / 2;
    let y = area.y + (area.height - height) / 2;
    Area::new(x, y, width, height)
}

/// Declares all dialogs.
macro_rules! dialogs {
    ($($name:ident: $kind:ty),* $(,)?) => {
        /// An open dialog: replies find it by its variant; all else is done by its
        /// component.
        #[derive(Debug, Clone)]
        #[allow(missing_docs)] // each variant is the dialog it names
        pub(crate) enum Dialog { $($name($kind),)* }

        impl Deref for Dialog {
            type Target = dyn Component;

            fn deref(&self) -> &Self::Target {
                match self { $(Self::$name(dialog) => dialog,)* }
            }
        }

        impl DerefMut for Dialog {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self { $(Self::$name(dialog) => dialog,)* }
            }
        }

        $(impl From<$kind> for Dialog {
            fn from(dialog: $kind) -> Self {
                Self::$name(dialog)
            }
        })*
    };
}

dialogs! {
    Help: help::Help,
    Palette: palette::Palette,
    Alarms: alarms::Alarms,
    Details: details::Details,
    Card: card::Card,
    Message: page::Message,
    PlantForm: plant::PlantForm,
    Question: question::Question,
    Token: token::TokenForm,
    Prompt: prompt::Prompt,
    Listed: listed::ListedDialog,
    Export: export::ExportForm,
    Edit: edit::EditForm,
    Columns: columns::ColumnsForm,
    Settings: settings::SettingsList,
    Quit: quit::Quit,
}
