//! The dialog of columns.

use super::*;
use crate::dashboard::columns::entry;
use crate::dashboard::components::usual_columns;
use crate::dashboard::dialogs::columns::ColumnsForm;

fn form(model: &Dashboard) -> &ColumnsForm {
    match model.dialogs.last() {
        Some(Dialog::Columns(form)) => form,
        other => panic!("{other:?}"),
    }
}

fn shown(model: &Dashboard, tab: TabId) -> String {
    let (table, columns) = entry(tab, model.screen.columns.shown(tab));
    format!("{table} = {columns}")
}

#[test]
fn columns_are_hidden_and_moved_at_once_and_stay_for_the_session() {
    let mut model = with_track(3);
    press(&mut model, KeyCode::Char(','));
    // Hides the flag, and puts the time behind the position.
    type_text(&mut model, " jJ");
    assert_eq!(
        shown(&model, TabId::Track),
        r#"track = ["position", "time", "SOG COG", "leg", "interval", "reason"]"#
    );
    press(&mut model, KeyCode::Enter);
    assert!(model.dialogs.is_empty());
    let words = model
        .messages
        .notice
        .as_ref()
        .map(|notice| notice.text.as_str());
    assert_eq!(words, Some("columns of Track set for this session"));
    // What is hidden is offered again, after what is shown.
    press(&mut model, KeyCode::Char(','));
    let last = form(&model).rows.last().unwrap();
    assert_eq!((last.name, last.is_shown), ("flag", false));
    type_text(&mut model, "0");
    press(&mut model, KeyCode::Enter);
    assert_eq!(model.screen.columns, usual_columns());
}

#[test]
fn esc_restores_the_columns_and_the_last_one_cannot_be_hidden() {
    let mut model = model(2);
    press(&mut model, KeyCode::Char(','));
    type_text(&mut model, " j j j j j j j j j j j j ");
    assert_eq!(
        shown(&model, TabId::Deployments),
        r#"deployments = ["alarm, next"]"#
    );
    assert_eq!(form(&model).error, "at least one column is needed");
    press(&mut model, KeyCode::Esc);
    assert_eq!(model.screen.columns, usual_columns());
}

#[test]
fn the_columns_that_are_written_are_read_back() {
    for tab in TabId::ALL.iter().copied() {
        let mut model = with_track(3);
        let number = char::from_digit(tab as u32 + 1, 10).unwrap();
        press(&mut model, KeyCode::Char(number));
        press(&mut model, KeyCode::Char(','));
        press(&mut model, KeyCode::Char('J'));
        let effects = press(&mut model, KeyCode::Char('w'));
        let [Effect::WriteSetting(written)] = effects.as_slice() else {
            panic!("{effects:?}");
        };
        let line = format!("{} = {}", written.name, written.value);
        let table: toml::Table = line.parse().unwrap();
        let (_, list) = table.iter().next().unwrap();
        let list: Vec<String> = list.clone().try_into().unwrap();
        let read = model.screen.columns.named(tab, &list).unwrap();
        assert_eq!(read, model.screen.columns.shown(tab), "{line}");
    }
}

#[test]
fn the_rows_of_the_dialog_are_reached_on_the_smallest_screen() {
    let mut model = model(1);
    resize(&mut model, 60, 16);
    press(&mut model, KeyCode::Char(','));
    press(&mut model, KeyCode::End);
    let form = form(&model);
    assert_eq!(form.table.cursor, 12);
    assert_eq!(form.table.top + model.dialog_rows(), 13);
}
