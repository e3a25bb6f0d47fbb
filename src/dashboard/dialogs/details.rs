//! Everything about a deployment or a fix, in pages if it does not fit.

use uuid::Uuid;

use super::page::Page;
use super::{Component, Labels, Outcome};
use crate::dashboard::deployments::detail;
use crate::dashboard::key::Key;
use crate::dashboard::shell::Shell;
use crate::dashboard::theme::Theme;
use crate::dashboard::track::fix_detail;
use crate::dashboard::widgets::sheet::Sheet;

/// The fewest cells of the labels with the blank behind them.
const LABELS: u16 = 10;

/// The deployment or the fix that is shown in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Deployment(Uuid),
    /// The fix under the cursor of the open track.
    Fix,
}

/// The details of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Details {
    pub subject: Subject,
    pub page: Page,
}

impl Details {
    /// The details of a subject, from their first page on.
    pub(in crate::dashboard) fn new(subject: Subject) -> Self {
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
        Labels::new(title, &[("Enter", "close"), ("Esc", "close")])
    }

    fn key(&mut self, key: Key, _shell: &mut Shell) -> Outcome {
        self.page.key(key)
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        let known = match self.subject {
            Subject::Deployment(uuid) => detail::facts(uuid, &shell.shared, theme),
            Subject::Fix => fix_detail::facts(&shell.tabs.track, &shell.shared, theme),
        };
        let Some((heading, facts)) = known else {
            return;
        };
        sheet.line(&[(&heading, theme.heading())]);
        // The heading, and the number of the page.
        let height = shell.shared.dialog_rows().saturating_sub(1).max(1);
        self.page.lines(sheet, facts, LABELS, height, theme);
    }
}
