//! A question: Cancel, or what is asked. Cancel has the focus.

use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::Sheet;

/// A confirmation counts only this long after its question came onto the screen,
/// seconds: keys typed ahead of it, and those of a hand that has not read it, decide
/// nothing.
const SETTLE_S: f64 = 0.3;

/// A question with two answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Question {
    /// The answer with the focus.
    pub focus: Answer,
    /// When it was first drawn, UNIX seconds; `None` before that.
    pub shown_at: Option<f64>,
}

/// An answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Answer {
    /// Nothing is done.
    #[default]
    Cancel,
    /// The deed is done.
    Confirm,
}

impl Question {
    /// Handles a key at `now` (UNIX seconds); returns the answer, if it is one.
    pub(crate) fn key(&mut self, key: Key, now: f64) -> Option<Answer> {
        match key.code {
            KeyCode::Tab | KeyCode::BackTab | KeyCode::Left | KeyCode::Right => {
                self.focus = match self.focus {
                    Answer::Cancel => Answer::Confirm,
                    Answer::Confirm => Answer::Cancel,
                };
                None
            }
            KeyCode::Enter if self.focus == Answer::Cancel => Some(Answer::Cancel),
            KeyCode::Char('n' | 'N' | 'q') => Some(Answer::Cancel),
            KeyCode::Enter | KeyCode::Char('y' | 'Y') => {
                let confirms = self.is_settled(now) && !key.ctrl && !key.alt;
                confirms.then_some(Answer::Confirm)
            }
            _ => None,
        }
    }

    fn is_settled(&self, now: f64) -> bool {
        // Either way: a clock that was set back must not hold it up for hours.
        let shown_at = self.shown_at;
        shown_at.is_some_and(|since| (now - since).abs() >= SETTLE_S)
    }

    /// A frame with it came onto the screen, UNIX seconds.
    pub(super) fn shown(&mut self, at: f64) {
        self.shown_at.get_or_insert(at);
    }

    /// Adds the two answers, and their keys.
    pub(super) fn lines(&self, sheet: &mut Sheet, action: &str, theme: Theme) {
        sheet.blank();
        let (cancel, other) = match self.focus {
            Answer::Confirm => (theme.text(), theme.bad().patch(theme.chosen())),
            Answer::Cancel => (theme.chosen(), theme.bad()),
        };
        sheet.line(&[
            (" Cancel ", cancel),
            ("  ", theme.text()),
            (&format!(" y  {action} "), other),
        ]);
        let keys = format!("Enter: cancel; y: {}", action.to_lowercase());
        sheet.line(&[(&keys, theme.dim())]);
    }
}
