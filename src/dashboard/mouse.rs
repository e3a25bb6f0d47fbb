//! The mouse on tabs, map, timeline and tables.

use super::deployments::deployment::UNJUDGED;
use super::key::{Key, KeyCode, Mouse, MouseKind};
use super::keymap::Action;
use super::shell::Shell;
use super::tab::{Pane, TabId};
use super::targets::{Drag, FooterTarget, Heading, Sum};
use super::widgets::table_state::Step;
use super::{Dashboard, targets};
use crate::track::State;
use crate::track::sort::SortedBy;

impl Dashboard {
    /// Handles a mouse event.
    pub(super) fn mouse(&mut self, mouse: Mouse) {
        let at = (mouse.column, mouse.row);
        let is_press = mouse.kind == MouseKind::Press;
        if is_press && let Some(target) = targets::at(&self.shell.targets.footer, at) {
            return self.press_on_footer(target);
        }
        if let Some(dialog) = self.dialogs.last_mut() {
            let targets = &self.shell.targets;
            match mouse.kind {
                _ if dialog.is_beside_map() => self.shell.mouse_on_picture(mouse),
                MouseKind::Press => {
                    if (targets.dialog).is_some_and(|area| !area.contains(at.into())) {
                        return self.key(Key::plain(KeyCode::Esc));
                    }
                    if let Some(chosen) = targets.chosen {
                        let below = i32::from(mouse.row) - i32::from(chosen);
                        dialog.press(below, &self.shell);
                    }
                }
                MouseKind::WheelUp => dialog.step(Step::Rows(-3), &self.shell),
                MouseKind::WheelDown => dialog.step(Step::Rows(3), &self.shell),
                _ => {}
            }
            return;
        }
        let layout = self.shell.layout();
        if is_press {
            self.shell.shared.end_message();
            if let Some(sum) = targets::at(&self.shell.targets.sums, at) {
                return self.show_counted(sum);
            }
            let mut tabs = layout.tab_spans();
            if let Some((tab, ..)) = tabs.find(|(.., area)| area.contains(at.into())) {
                return self.shell.show_tab(tab);
            }
            if let Some(heading) = targets::at(&self.shell.targets.headings, at) {
                return self.sort_by(heading);
            }
        }
        if mouse.kind == MouseKind::Release {
            let pressed = self.shell.drag.take();
            if pressed.is_some_and(|drag| !drag.has_moved)
                && let Some(position) = self.shell.position_in(at)
            {
                let (tab, shared) = self.shell.tab_mut();
                if let Some(map) = tab.map_mut() {
                    map.go_near(shared, position);
                }
            }
            let track = &mut self.shell.tabs.track;
            return track.time_range_dragged(&mut self.shell.shared);
        }
        let pane = match (mouse.kind, self.shell.drag) {
            (MouseKind::Drag, Some(_)) => Some(Pane::Map),
            (MouseKind::Drag, None) if self.shell.tabs.track.selecting.is_some() => {
                Some(Pane::Timeline)
            }
            _ => layout.pane_at(mouse.column, mouse.row),
        };
        match pane {
            Some(Pane::Map) => self.shell.mouse_on_map(mouse),
            Some(Pane::Table) => self.mouse_on_table(mouse),
            Some(Pane::Timeline) => self
                .shell
                .tabs
                .track
                .mouse_on_timeline(&mut self.shell.shared, mouse),
            Some(Pane::Summary) | None => {}
        }
    }

    /// Performs the action of a footer entry; a click confirms no question.
    fn press_on_footer(&mut self, target: FooterTarget) {
        match (target, self.dialogs.last()) {
            (FooterTarget::Act(action), None) => {
                if action != Action::Dismiss {
                    self.shell.shared.end_message();
                }
                self.act(action)
            }
            (FooterTarget::Press(key), Some(dialog))
                if key.code == KeyCode::Esc || !dialog.is_question() =>
            {
                self.key(key)
            }
            _ => {}
        }
    }

    /// Shows the counted rows; for "on time" the whole list.
    fn show_counted(&mut self, sum: Sum) {
        let filter = match sum {
            Sum::Alarms => return self.act(Action::Alarms),
            Sum::Plants => {
                self.act(Action::Show(TabId::Plants));
                self.shell.shared.screen.full = false;
                return self.shell.set_filter("state:unknown");
            }
            Sum::Fixes(flag) => return self.shell.set_filter(&format!("flag:{}", flag.word())),
            Sum::Status(State::OnTime) => String::new(),
            Sum::Unjudged => format!("status:{UNJUDGED}"),
            Sum::Status(state) => format!("status:{}", state.word()),
        };
        self.act(Action::Show(TabId::Deployments));
        self.shell.set_filter(&filter);
    }

    /// Sorts by a column; reverses the order if it is the same column.
    fn sort_by(&mut self, heading: Heading) {
        if heading == Heading::Unsorted {
            let message = "the rows cannot be sorted by this column";
            self.shell.shared.notify(message);
            return;
        }
        let order = self.shell.tab().order();
        if heading == order.column {
            return self.act(Action::SortDirection);
        }
        self.shell.set_order(SortedBy {
            column: heading,
            is_reversed: false,
        });
    }

    fn mouse_on_table(&mut self, mouse: Mouse) {
        let scroll = match mouse.kind {
            MouseKind::WheelUp => -3,
            MouseKind::WheelDown => 3,
            MouseKind::Press => return self.press_on_table(mouse),
            _ => return,
        };
        let shell = &mut self.shell;
        shell.move_in_table(|table, rows, height| table.scroll(scroll, rows, height));
    }

    fn press_on_table(&mut self, mouse: Mouse) {
        let shell = &mut self.shell;
        let area = shell.layout().rows;
        if !area.contains((mouse.column, mouse.row).into()) {
            return;
        }
        shell.shared.screen.pane = Pane::Table;
        let table = shell.table();
        let Some(row) = table.row_at(mouse.row - area.y, shell.rows()) else {
            return;
        };
        // A second click on the same row opens it.
        if shell.tab().opens_on_click() && table.cursor == row {
            return self.act(Action::Open);
        }
        shell.go_to_row(row);
    }
}

impl Shell {
    /// Zooms and moves the map of a search: nothing else there is chosen by the mouse.
    fn mouse_on_picture(&mut self, mouse: Mouse) {
        let at = (mouse.column, mouse.row);
        if mouse.kind == MouseKind::Release {
            self.drag = None;
        } else if self.drag.is_some() || self.layout().map.contains(at.into()) {
            self.mouse_on_map(mouse);
        }
    }

    fn mouse_on_map(&mut self, mouse: Mouse) {
        let area = self.layout().map;
        let Some(view) = self.view() else {
            return;
        };
        let at = (mouse.column, mouse.row);
        match mouse.kind {
            MouseKind::WheelUp => self.set_view(Some(view.zoomed(1.25, self.position_in(at)))),
            MouseKind::WheelDown => self.set_view(Some(view.zoomed(0.8, self.position_in(at)))),
            // The cursor goes there on release, unless the map was dragged.
            MouseKind::Press => {
                self.shared.screen.pane = Pane::Map;
                let has_moved = false;
                self.drag = Some(Drag { at, has_moved });
            }
            MouseKind::Drag => {
                let Some(drag) = &mut self.drag else {
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
}
