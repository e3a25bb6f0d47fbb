//! The deployments that the service lists: found by name, marked, and added to the watch list.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::chooser::{Choice, Chooser, visible};
use super::{Component, Labels, Outcome, form};
use crate::dashboard::deployments::deployment::Listing;
use crate::dashboard::event::RequestId;
use crate::dashboard::format;
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::shell::Shell;
use crate::dashboard::tab::TabId;
use crate::dashboard::theme::Theme;
use crate::dashboard::widgets::sheet::{Sheet, cells};
use crate::dashboard::widgets::table_state::Step;
use crate::failure::Failure;
use crate::text;
use crate::watch::listed::{DeploymentList, ListedDeployment, found};
use crate::watch::{Deployment, DeploymentId};

/// Most cells of a name and of an id.
const NAME: usize = 28;
/// Cells between two columns.
const GAP: u16 = 2;

/// The deployments that the service lists.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListedDialog {
    /// The request for the list, until it has ended.
    pub asking: Option<RequestId>,
    failure: String,
    chooser: Chooser,
    all: DeploymentList,
    /// The indices of the matches.
    found: Vec<usize>,
    /// The ids of the marked deployments.
    marked: BTreeSet<String>,
}

impl ListedDialog {
    /// The dialog of a requested list.
    pub(in crate::dashboard) fn new(asking: RequestId) -> Self {
        Self {
            asking: Some(asking),
            ..Self::default()
        }
    }

    /// The request has ended.
    pub(in crate::dashboard) fn answered(
        &mut self,
        outcome: Result<DeploymentList, Failure>,
        shell: &Shell,
    ) {
        self.asking = None;
        match outcome {
            Ok(all) => self.all = all,
            Err(failure) => self.failure = shell.shared.said_of(&failure),
        }
        self.search_changed();
    }

    /// Finds the deployments again.
    fn search_changed(&mut self) {
        self.found = found(&self.all.deployments, self.chooser.search.text());
    }

    /// The deployment under the cursor.
    fn chosen(&self) -> Option<&ListedDeployment> {
        let index = self.found.get(self.chooser.table.cursor)?;
        self.all.deployments.get(*index)
    }

    /// Marks the deployment under the cursor, or takes its mark away.
    fn mark(&mut self, shell: &Shell) {
        let Some(chosen) = self.chosen() else { return };
        let id = chosen.id.clone();
        if !is_watched(shell, listed_id(shell, chosen).uuid) && !self.marked.remove(&id) {
            self.marked.insert(id);
        }
    }

    /// Adds the marked deployments, or without marks the selected one, and
    /// fetches their tracks; `None` if nothing is selected.
    fn add(&self, shell: &mut Shell) -> Option<()> {
        let all = self.all.deployments.iter();
        let mut meant: Vec<_> = all
            .filter(|deployment| self.marked.contains(&deployment.id))
            .collect();
        if meant.is_empty() {
            meant.push(self.chosen()?);
        }
        shell.show_tab(TabId::Deployments);
        let mut count = 0;
        for deployment in meant {
            let id = listed_id(shell, deployment);
            let uuid = id.uuid;
            if is_watched(shell, uuid) {
                shell.tabs.deployments.select(uuid);
                continue;
            }
            shell.add_deployment(Deployment {
                label: deployment.label.clone(),
                ..Deployment::new(id)
            });
            shell.shared.deployments.agenda.ask(uuid, shell.shared.now);
            count += 1;
        }
        shell.shared.refresh_due();
        if count > 1 {
            shell
                .shared
                .notify(format!("{} deployments added", text::count(count)));
        }
        Some(())
    }

    /// The line below the search: what it takes, or how much it finds.
    fn counted(&self) -> String {
        let mut all = text::counted(self.all.deployments.len(), "deployment", "deployments");
        if self.all.without_id > 0 {
            all = format!("{all}, {} without an id", text::count(self.all.without_id));
        }
        let marked = match self.marked.len() {
            0 => String::new(),
            count => format!(", {} marked", text::count(count)),
        };
        match self.chooser.search.text().trim() {
            "" => format!("{all}{marked}; name or id"),
            _ => format!("{} of {all}{marked}", text::count(self.found.len())),
        }
    }

    /// The cells of a row: mark, name, id and position, then age.
    fn row_cells(&self, deployment: &ListedDeployment, shell: &Shell, theme: Theme) -> [String; 5] {
        let mark = if self.marked.contains(&deployment.id) {
            theme.glyph("●", "*")
        } else {
            ""
        };
        let fit = |name: &str| text::fit(&text::clean(name), NAME);
        let id = deployment.label.as_ref().map(|_| fit(&deployment.id));
        let position = deployment
            .position
            .map(|at| shell.shared.settings.notation().position(at));
        let age = deployment
            .time_stamp
            .map(|at| format::age(&shell.shared, at));
        let watched =
            is_watched(shell, listed_id(shell, deployment).uuid).then(|| "on the list".to_owned());
        let last = [age, watched].into_iter().flatten();
        [
            mark.to_owned(),
            fit(deployment.name()),
            id.unwrap_or_default(),
            position.unwrap_or_default(),
            last.collect::<Vec<_>>().join(", "),
        ]
    }
}

impl Component for ListedDialog {
    fn labels(&self) -> Labels {
        Labels::new(
            "What the service lists",
            if self.all.deployments.is_empty() {
                &[("Esc", "close")]
            } else {
                &[("Tab", "mark"), ("Enter", "add"), ("Esc", "close")]
            },
        )
    }

    fn awaits(&self) -> Option<RequestId> {
        self.asking
    }

    fn key(&mut self, key: Key, shell: &mut Shell) -> Outcome {
        let rows = self.found.len();
        let height = height(shell);
        if key.code == KeyCode::Tab {
            self.mark(shell);
            self.chooser.table.step(Step::Rows(1), rows, height);
            return Outcome::Stay;
        }
        match self.chooser.key(key, rows, height) {
            Choice::Nothing => {}
            Choice::Searched => self.search_changed(),
            Choice::Chosen => {
                if self.add(shell).is_some() {
                    return Outcome::Close;
                }
            }
        }
        Outcome::Stay
    }

    fn lines(&self, sheet: &mut Sheet, shell: &Shell, theme: Theme) {
        if self.asking.is_some() {
            form::waiting(sheet, "asking the service", shell, theme);
            return;
        }
        if !self.failure.is_empty() {
            sheet.paragraph(0, &self.failure, theme.bad());
            return;
        }
        let cursor = sheet.field("find ", theme.dim(), &self.chooser.search, theme);
        sheet.set_cursor(cursor);
        sheet.line(&[(&self.counted(), theme.dim())]);
        let rows: Vec<([String; 5], bool)> =
            visible(&self.found, self.chooser.table, height(shell))
                .filter_map(|(index, is_chosen)| {
                    let deployment = self.all.deployments.get(*index)?;
                    Some((self.row_cells(deployment, shell, theme), is_chosen))
                })
                .collect();
        let width = |column: usize| {
            let widths = rows.iter().map(|(row, _)| cells(&row[column]));
            widths.max().unwrap_or(0)
        };
        let widths: [u16; 5] = std::array::from_fn(width);
        for (row, is_chosen) in &rows {
            sheet.blank();
            let mut x = 0;
            for (column, cell) in row.iter().enumerate() {
                let style = match column {
                    0 => theme.heading(),
                    1 => theme.text(),
                    _ => theme.dim(),
                };
                sheet.at(x, cell, style);
                // The mark always has a column; an empty column takes no room.
                if column == 0 || widths[column] > 0 {
                    x += widths[column].max(1) + if column == 0 { 1 } else { GAP };
                }
            }
            if *is_chosen {
                sheet.choose();
            }
        }
    }

    fn step(&mut self, step: Step, shell: &Shell) {
        let rows = self.found.len();
        let height = height(shell);
        self.chooser.table.step(step, rows, height);
    }

    fn press(&mut self, below: i32, shell: &Shell) {
        self.chooser.press(below, self.found.len(), height(shell));
    }

    fn paste(&mut self, text: &str, _shell: &mut Shell) {
        self.chooser.paste(text);
        self.search_changed();
    }

    fn dismissed(&mut self, shell: &mut Shell) {
        shell.shared.cancel(self.asking);
    }
}

/// Rows that it shows: a line of a search has a line below it.
fn height(shell: &Shell) -> usize {
    shell.shared.dialog_rows() - 1
}

/// The id of a listed deployment.
fn listed_id(shell: &Shell, listed: &ListedDeployment) -> DeploymentId {
    let service = shell.shared.service.remote.as_ref();
    DeploymentId::new(service.map_or("", |service| &service.name), &listed.id)
}

fn is_watched(shell: &Shell, uuid: Uuid) -> bool {
    let known = shell.shared.deployments.get(uuid);
    known.is_some_and(|known| known.listing != Listing::Shown)
}
