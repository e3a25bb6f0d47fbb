//! Everything about a deployment or a fix, in pages if it does not fit.

use uuid::Uuid;

use super::page::{Page, PageRow, PageRows};
use super::{Component, Labels, Outcome};
use crate::dashboard::deployments::detail;
use crate::dashboard::key::Key;
use crate::dashboard::model::Model;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::fix_detail;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::wrap::wrap;

/// The fewest cells of the labels with the blank behind them.
const LABELS: u16 = 10;

/// The deployment or the fix that is shown in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A deployment.
    Deployment(Uuid),
    /// The fix under the cursor of the open track.
    Fix,
}

/// The details of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Details {
    /// The subject.
    pub subject: Subject,
    /// The page.
    pub page: Page,
}

impl Details {
    /// The details of a subject, from their first page on.
    pub(in crate::dashboard) fn of(subject: Subject) -> Self {
        Self {
            subject,
            page: Page::default(),
        }
    }
}

impl Component for Details {
    fn labels(&self) -> Labels {
        let title = match self.subject {
            Subject::Deployment(_) => "Deployment",
            Subject::Fix => "Fix",
        };
        Labels::new(
            title,
            &[("Down", "more"), ("Enter", "close"), ("Esc", "close")],
        )
    }

    fn key(&mut self, key: Key, _model: &mut Model) -> Outcome {
        self.page.key(key)
    }

    /// A value that does not fit on a line goes on below it.
    fn lines(&self, sheet: &mut Sheet, model: &Model, theme: Theme) {
        let known = match self.subject {
            Subject::Deployment(uuid) => detail::facts(uuid, model, theme),
            Subject::Fix => fix_detail::facts(model, theme),
        };
        let Some((heading, facts)) = known else {
            return;
        };
        let longest = facts.iter().map(|(label, ..)| cells(label) + 1).max();
        let labels = longest
            .unwrap_or(0)
            .clamp(LABELS, (sheet.width() / 2).max(LABELS));
        let room = usize::from(sheet.width().saturating_sub(labels).max(1));
        let mut rows: Vec<PageRow> = Vec::new();
        for (mut label, value, style) in facts {
            // A long field name gets its own line above the value.
            if cells(&label) >= labels {
                let above = wrap(&label, usize::from(sheet.width())).into_iter();
                rows.extend(above.map(|label| PageRow {
                    label,
                    words: String::new(),
                    style,
                }));
                label.clear();
            }
            for words in wrap(&value, room) {
                let label = std::mem::take(&mut label);
                rows.push(PageRow {
                    label,
                    words,
                    style,
                });
            }
        }
        sheet.line(&[(&heading, theme.heading())]);
        // The heading, and the number of the page.
        let height = model.dialog_rows().saturating_sub(1).max(1);
        let all = PageRows {
            rows,
            labels,
            height,
        };
        self.page.lines(sheet, &all, theme);
    }
}
