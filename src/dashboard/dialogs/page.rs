//! A page: labels with values to read, page by page if they do not fit.

use super::palette::Command;
use super::question::{Deed, Question};
use super::{Component, Labels, Outcome};
use crate::dashboard::footer::{FooterKey, dialog_keys};
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::keymap::Action;
use crate::dashboard::message;
use crate::dashboard::shell::Shell;
use crate::dashboard::targets::FooterTarget;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::{Fact, Sheet, cells};
use crate::dashboard::widgets::table_state::cyclic;
use crate::dashboard::widgets::wrap::wrap;

/// The page that is shown. After the last one comes the first: how many there are
/// depends on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Page {
    /// Number of pages turned.
    pub turned: isize,
}

impl Page {
    /// Turns the page.
    pub(crate) fn key(&mut self, key: Key) -> Outcome {
        match key.code {
            KeyCode::Down | KeyCode::PageDown | KeyCode::Char(' ' | 'j') => self.turned += 1,
            KeyCode::Up | KeyCode::PageUp | KeyCode::Char('k') => self.turned -= 1,
            KeyCode::Enter | KeyCode::Char('q' | 'i') => return Outcome::Close,
            _ => {}
        }
        Outcome::Stay
    }

    /// Adds a page of so many lines with values, behind labels of `least` cells or more. A long
    /// value continues on the lines below.
    pub(super) fn lines(
        self,
        sheet: &mut Sheet,
        facts: Vec<Fact>,
        least: u16,
        height: usize,
        theme: Theme,
    ) {
        let width = sheet.width();
        let widest = facts.iter().map(|(label, ..)| cells(label) + 1).max();
        let labels = widest.unwrap_or(0).clamp(least, (width / 2).max(least));
        let room = usize::from(width.saturating_sub(labels).max(1));
        let mut lines: Vec<Fact> = Vec::new();
        for (mut label, value, style) in facts {
            // A long label, such as the name of a field, is above its value.
            if cells(&label) >= labels {
                let above = wrap(&label, usize::from(width)).into_iter();
                lines.extend(above.map(|label| (label, String::new(), style)));
                label.clear();
            }
            let value = wrap(&value, room).into_iter();
            lines.extend(value.map(|words| (std::mem::take(&mut label), words, style)));
        }
        let pages = lines.len().div_ceil(height).max(1);
        let page = cyclic(0, self.turned, pages);
        let widest = lines.iter().map(|(_, words, _)| cells(words)).max();
        sheet.want(labels + widest.unwrap_or(0));
        let above = sheet.height();
        for (label, words, style) in lines.iter().skip(page * height).take(height) {
            sheet.line(&[(label, theme.dim())]);
            sheet.at(labels, words, *style);
        }
        if pages > 1 {
            // The frame keeps its height from page to page.
            sheet.cut_or_fill(above + u16::try_from(height).unwrap_or(u16::MAX));
            let to = if page + 1 == pages { "first" } else { "next" };
            let words = format!("page {} of {pages}, Down: {to}", page + 1);
            sheet.line(&[(&words, theme.dim())]);
        }
    }
}

/// A message to read.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    /// The title on its frame.
    pub title: &'static str,
    /// Its text. The key before it acts.
    pub text: String,
    /// The actions of the tab whose keys work here, too.
    pub acts: Vec<Act>,
}

/// An action of the tab whose key works while a message is read.
#[derive(Debug, Clone)]
pub(crate) struct Act {
    pub action: Action,
    /// Its word in the footer.
    pub word: &'static str,
    /// The question that it asks here, if that is another than on the tab.
    pub deed: Option<Deed>,
}

impl Message {
    /// The last message in full.
    pub(in crate::dashboard) fn last(text: impl Into<String>) -> Self {
        Self {
            title: "Message",
            text: text.into(),
            acts: Vec::new(),
        }
    }
}

impl Component for Message {
    fn labels(&self) -> Labels {
        Labels::new(self.title, &[("Enter", "close"), ("Esc", "close")])
    }

    fn footer(&self, shell: &Shell) -> Vec<FooterKey> {
        let acts = self.acts.iter().map(|act| {
            let name = shell.shared.key_of(act.action);
            FooterKey {
                target: Key::parse(&name).map(FooterTarget::Press),
                word: act.word,
                name,
            }
        });
        acts.chain(dialog_keys(self.labels().keys)).collect()
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        let [named, ..] = message::parts(&self.text, shell);
        let is_named = named.trim_end() == key.name();
        let screen = &shell.shared.screen;
        let mut bindings = screen.keymap.holding(screen.tab);
        let binding = bindings.find(|binding| binding.keys.contains(&key));
        if let Some(binding) = binding {
            let mut acts = self.acts.iter();
            let own = acts.find(|act| act.action == binding.action);
            if let Some(deed) = own.and_then(|act| act.deed.clone()) {
                return Outcome::Replace(Box::new(Question::new(deed).into()));
            }
            if is_named || own.is_some() {
                return Outcome::Run(Command::Act(binding.action, binding.scope));
            }
        }
        match key.code {
            KeyCode::Enter | KeyCode::Char('q' | '!') => Outcome::Close,
            _ => Outcome::Stay,
        }
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        let [key, word, rest] = message::parts(&self.text, shell);
        if !key.is_empty() {
            sheet.line(&[(key, theme.heading()), (word, theme.dim())]);
        }
        sheet.paragraph(0, rest, theme.text());
    }
}
