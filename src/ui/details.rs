//! Everything that is known of a deployment or a fix, on the pages of a dialog.

use ratatui::style::Style;

use super::sheet::{Sheet, cells};
use super::theme::Theme;
use super::wrap::wrap;
use super::{deployment_detail, fix_detail};
use crate::app::Model;
use crate::app::state::dialog::details::{Details, Subject};

/// The fewest cells of the labels with the blank behind them.
const LABELS: u16 = 10;

/// Adds a page to a sheet. A value that does not fit on a line goes on below it.
pub(super) fn lines(sheet: &mut Sheet, details: Details, model: &Model, theme: Theme) {
    let known = match details.subject {
        Subject::Deployment(uuid) => deployment_detail::facts(uuid, model, theme),
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
    let mut all: Vec<(String, String, Style)> = Vec::new();
    for (label, value, style) in facts {
        // A long name of a field stands whole above its value.
        let label = if cells(&label) < labels {
            label
        } else {
            let above = wrap(&label, usize::from(sheet.width()));
            all.extend(above.into_iter().map(|line| (line, String::new(), style)));
            String::new()
        };
        for (number, words) in wrap(&value, room).into_iter().enumerate() {
            let label = if number == 0 {
                label.clone()
            } else {
                String::new()
            };
            all.push((label, words, style));
        }
    }
    sheet.line(&[(&heading, theme.heading())]);
    // The heading, and the number of the page.
    let height = model.dialog_rows().saturating_sub(1).max(1);
    let pages = all.len().div_ceil(height).max(1);
    let count = isize::try_from(pages).unwrap_or(1);
    let page = usize::try_from(details.page.rem_euclid(count)).unwrap_or(0);
    let widest = all.iter().map(|(_, words, _)| cells(words)).max();
    sheet.want(labels + widest.unwrap_or(0));
    for (label, words, style) in all.iter().skip(page * height).take(height) {
        sheet.line(&[(label, theme.dim())]);
        sheet.at(labels, words, *style);
    }
    if pages > 1 {
        // The frame keeps its height from page to page.
        sheet.cut_or_fill(u16::try_from(height + 1).unwrap_or(u16::MAX));
        let words = format!("page {} of {pages}", page + 1);
        sheet.line(&[(&words, theme.dim())]);
    }
}
