//! The mouse on tabs, map, timeline and tables.

use crate::app::effect::Effect;
use crate::app::key::{Key, KeyCode, Mouse, MouseKind};
use crate::app::keymap::Action;
use crate::app::state::Model;
use crate::app::state::dialog::Dialog;
use crate::app::state::dialog::alarms::AlarmList;
use crate::app::state::tab::{Pane, Tab};
use crate::app::state::table::{Direction, Step};
use crate::app::state::track::Drag;
use crate::app::targets::{self, FooterTarget, Heading};
use crate::geo::{Position, geodesic};
use crate::track::TrackSort;

impl Model {
    /// Handles a mouse event.
    pub(super) fn mouse(&mut self, mouse: Mouse) -> Vec<Effect> {
        if !matches!(
            mouse.kind,
            MouseKind::Move | MouseKind::Drag | MouseKind::Release
        ) {
            self.deployments.to_export = None;
        }
        if mouse.kind == MouseKind::Press
            && let Some(target) = targets::at(&self.targets.footer, mouse.column, mouse.row)
        {
            return self.press_on_footer(target);
        }
        if mouse.kind == MouseKind::Press && !self.dialogs.is_empty() {
            let (column, row) = (mouse.column, mouse.row);
            let dialog = self.targets.dialog;
            return match dialog.is_some_and(|area| !area.contains(column, row)) {
                true => self.key(Key::plain(KeyCode::Esc)),
                false => Vec::new(),
            };
        }
        let height = self.dialog_rows();
        if let Some(dialog) = self.dialogs.last_mut() {
            let step = match mouse.kind {
                MouseKind::WheelUp => Step::Rows(-3),
                MouseKind::WheelDown => Step::Rows(3),
                _ => return Vec::new(),
            };
            match dialog {
                Dialog::Alarms(list) => {
                    let rows = AlarmList::height(self.height);
                    list.step(step, &self.alarms, rows);
                }
                Dialog::Help(help) => {
                    let rows = help.lines().len();
                    help.table.step(step, rows, height);
                }
                Dialog::Fields(list) => list.table.step(step, list.lines.len(), height),
                Dialog::Columns(form) => form.table.step(step, form.rows.len(), height),
                Dialog::Platform(list) => list.step(step),
                Dialog::Settings(list) => list.table.step(step, self.settings.len(), height),
                Dialog::Palette(palette) => palette.table.step(step, palette.matches.len(), height),
                _ => {}
            }
            return Vec::new();
        }
        self.track.pointer = Some((mouse.column, mouse.row));
        if mouse.kind == MouseKind::Press {
            self.end_message();
        }
        let layout = self.layout();
        if mouse.kind == MouseKind::Press && layout.tabs.contains(mouse.column, mouse.row) {
            let clicked = layout
                .tab_spans()
                .find(|(_, area)| area.contains(mouse.column, mouse.row));
            return clicked.map_or_else(Vec::new, |(tab, _)| self.act(tab_action(tab)));
        }
        if mouse.kind == MouseKind::Press
            && let Some(heading) = targets::at(&self.targets.headings, mouse.column, mouse.row)
        {
            return self.sort_by(heading);
        }
        if mouse.kind == MouseKind::Release {
            let pressed = self.track.drag.take();
            if pressed.is_some_and(|drag| !drag.has_moved)
                && let Some(position) = self.position_in(mouse.column, mouse.row)
            {
                self.cursor_nearest(position);
            }
            return self.time_range_dragged();
        }
        if !layout.map.contains(mouse.column, mouse.row) {
            self.track.pointer = None;
        }
        let pane = match (mouse.kind, self.track.drag) {
            (MouseKind::Drag, Some(_)) => Some(Pane::Map),
            (MouseKind::Drag, None) if self.track.selecting.is_some() => Some(Pane::Timeline),
            _ => layout.pane_at(mouse.column, mouse.row),
        };
        match pane {
            Some(Pane::Map) => self.mouse_on_map(mouse),
            Some(Pane::Table) => return self.mouse_on_table(mouse),
            Some(Pane::Timeline) => self.mouse_on_timeline(mouse),
            Some(Pane::Summary) | None => {}
        }
        Vec::new()
    }

    /// Does what an entry of the footer says; a click confirms no question.
    fn press_on_footer(&mut self, target: FooterTarget) -> Vec<Effect> {
        match (target, self.dialogs.last()) {
            (FooterTarget::Act(action), None) => {
                if action != Action::Dismiss {
                    self.end_message();
                }
                self.act(action)
            }
            (FooterTarget::Press(key), Some(dialog))
                if key.code == KeyCode::Esc || !dialog.is_question() =>
            {
                self.key(key)
            }
            _ => Vec::new(),
        }
    }

    /// Sorts by a column; by the same one again, the other way round.
    fn sort_by(&mut self, heading: Heading) -> Vec<Effect> {
        match heading {
            Heading::Deployments(sort) if self.deployments.sort != sort => {
                self.deployments.sort = sort;
                self.deployments.direction = Direction::default();
                self.deployments.arrange_rows(self.now);
                Vec::new()
            }
            Heading::Fixes(sort) if self.track.arrangement.sort != sort => {
                self.track.arrangement.sort = sort;
                self.track.arrangement.descending = false;
                match sort {
                    TrackSort::Field => self.sort_by_shown_field(),
                    _ => self.arrange_rows(),
                }
            }
            Heading::Deployments(_) | Heading::Fixes(_) | Heading::Plants => {
                self.act(Action::SortDirection)
            }
            Heading::Unsorted => {
                self.notify("the rows cannot be sorted by this column");
                Vec::new()
            }
        }
    }

    fn mouse_on_map(&mut self, mouse: Mouse) {
        let area = self.layout().map;
        let Some(view) = self.view() else {
            return;
        };
        let at = (mouse.column, mouse.row);
        match mouse.kind {
            MouseKind::WheelUp => self.set_view(Some(view.zoomed(1.25, self.pointed_at()))),
            MouseKind::WheelDown => self.set_view(Some(view.zoomed(0.8, self.pointed_at()))),
            // The cursor goes there on release, unless the map was dragged.
            MouseKind::Press => {
                self.pane = Pane::Map;
                let has_moved = false;
                self.track.drag = Some(Drag { at, has_moved });
            }
            MouseKind::Drag => {
                let Some(drag) = &mut self.track.drag else {
                    return;
                };
                let (column, row) = std::mem::replace(&mut drag.at, at);
                drag.has_moved |= (column, row) != at;
                if drag.has_moved {
                    let part = |from: u16, to: u16, size: u16| {
                        (f64::from(from) - f64::from(to)) / f64::from(size.max(1))
                    };
                    let moved = view.panned(
                        part(column, mouse.column, area.width),
                        part(row, mouse.row, area.height),
                    );
                    self.set_view(Some(moved));
                }
            }
            MouseKind::Move | MouseKind::Release => {}
        }
    }

    /// Puts the cursor on the fix or the deployment nearest to a position.
    fn cursor_nearest(&mut self, position: Position) {
        match self.tab {
            Tab::Track => {
                let nearest = self
                    .open_one()
                    .and_then(|track| track.detail().nearest(track, position));
                if let Some(fix) = nearest {
                    self.track.before_filter = None;
                    self.cursor_to_fix(fix);
                    self.track.follow = self
                        .open_one()
                        .and_then(|track| track.latest())
                        .is_some_and(|latest| latest.index == fix);
                }
            }
            Tab::Deployments => {
                let nearest = self
                    .deployments
                    .shown()
                    .filter_map(|deployment| {
                        let fix = deployment.overview()?.latest?;
                        Some((
                            deployment.deployment.uuid,
                            geodesic::inverse(position, fix.position).distance_m,
                        ))
                    })
                    .min_by(|a, b| a.1.total_cmp(&b.1));
                if let Some((uuid, _)) = nearest {
                    self.deployments.before_filter = None;
                    self.deployments.select(uuid);
                    self.settle();
                }
            }
            Tab::Plants | Tab::Activity => {}
        }
    }

    fn mouse_on_table(&mut self, mouse: Mouse) -> Vec<Effect> {
        let layout = self.layout();
        let (rows, height) = (self.rows(), usize::from(layout.rows.height));
        let scroll = match mouse.kind {
            MouseKind::WheelUp => -3,
            MouseKind::WheelDown => 3,
            MouseKind::Press if layout.rows.contains(mouse.column, mouse.row) => {
                self.pane = Pane::Table;
                return self.press_on_row(mouse.row - layout.rows.y, rows, height);
            }
            _ => return Vec::new(),
        };
        match self.tab {
            Tab::Deployments => {
                self.deployments.is_chosen = true;
                self.deployments.before_filter = None;
                self.deployments.table.scroll(scroll, rows, height);
            }
            Tab::Plants => self.plants.table.scroll(scroll, rows, height),
            Tab::Activity => self.activity.scroll(scroll, rows, height),
            Tab::Track => {
                self.track.before_filter = None;
                self.track.table.scroll(scroll, rows, height);
                if let Some(track) = self.open_one().cloned() {
                    self.cursor_from_row(&track);
                }
            }
        }
        Vec::new()
    }

    fn press_on_row(&mut self, line: u16, rows: usize, height: usize) -> Vec<Effect> {
        match self.tab {
            Tab::Deployments => {
                let Some(row) = self.deployments.table.row_at(line, rows) else {
                    return Vec::new();
                };
                // A second click on the same row opens it.
                if self.deployments.table.cursor == row {
                    return self.act(Action::Open);
                }
                self.deployments.is_chosen = true;
                self.deployments.before_filter = None;
                self.deployments.table.go(row, rows, height);
            }
            Tab::Track => {
                if let (Some(row), Some(track)) = (
                    self.track.table.row_at(line, rows),
                    self.open_one().cloned(),
                ) {
                    self.track.before_filter = None;
                    self.track.table.go(row, rows, height);
                    self.cursor_from_row(&track);
                }
            }
            Tab::Plants => {
                if let Some(row) = self.plants.table.row_at(line, rows) {
                    self.plants.table.go(row, rows, height);
                }
            }
            Tab::Activity => {
                if let Some(row) = self.activity.row_at(line, rows) {
                    self.activity.go(row, rows, height);
                }
            }
        }
        Vec::new()
    }
}

fn tab_action(tab: Tab) -> Action {
    match tab {
        Tab::Deployments => Action::ShowDeployments,
        Tab::Track => Action::ShowTrack,
        Tab::Plants => Action::ShowPlants,
        Tab::Activity => Action::ShowActivity,
    }
}
