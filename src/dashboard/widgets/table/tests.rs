//! Widths of columns, and the words of cells.

use crate::dashboard::widgets::table::*;

const COLUMNS: &[Column<&str, ()>] = &[
    Column {
        name: "a",
        cells: |_| [4, 4],
        ..Column::LEFT
    },
    Column {
        name: "b",
        cells: |_| [5, 7],
        rank: 10,
        long_rank: 15,
        fills: true,
        is_text: true,
        ..Column::LEFT
    },
    Column {
        name: "c",
        cells: |_| [6, 8],
        rank: 20,
        long_rank: 25,
        sort: Heading::Column("c"),
        ..Column::RIGHT
    },
    Column {
        name: "d",
        cells: |_| [0, 0],
        ..Column::RIGHT
    },
];

fn widths(width: u16) -> Vec<Option<u16>> {
    let table = Table {
        columns: COLUMNS.iter().collect(),
        rows: Vec::new(),
        cursor: None,
        sorted: None,
    };
    let theme =
        crate::dashboard::theme::Theme::new(crate::dashboard::theme::Capabilities::default());
    let laid = table.laid(&Look::new(&(), theme, width)).places;
    laid.iter()
        .map(|place| place.map(|place| place.width))
        .collect()
}

#[test]
fn columns_have_room_in_the_order_of_their_ranks_and_the_rest_goes_to_the_flexible_one() {
    assert_eq!(widths(30), [Some(4), Some(16), Some(8), None]);
    assert_eq!(widths(19), [Some(4), Some(7), Some(6), None]);
    // Seven cells of the second are worth more than the third.
    assert_eq!(widths(18), [Some(4), Some(13), None, None]);
    assert_eq!(widths(11), [Some(4), Some(6), None, None]);
    assert_eq!(widths(9), [Some(4), None, None, None]);
    // The first has its cells whatever the width.
    assert_eq!(widths(2), [Some(4), None, None, None]);
}

#[test]
fn a_cell_says_what_fits() {
    let style = Style::new();
    let cell = Cell::new("2026-11-20 22:46", style).or("22:46");
    let words = |room| cell.fitted(room, text::fit).remove(0).0;
    assert_eq!(words(16), "2026-11-20 22:46");
    assert_eq!(words(15), "22:46");
    assert_eq!(words(5), "22:46");
    assert_eq!(words(4), "22:…");
    assert_eq!(cell.width(), 16);
}

#[test]
fn no_table_has_two_columns_of_one_name_apart_and_none_without_a_name() {
    let columns = crate::dashboard::components::usual_columns();
    for tab in crate::dashboard::tab::TabId::ALL {
        let names = columns.names(*tab);
        let mut sorted = names.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), names.len(), "{names:?}");
        assert!(!names.contains(&""), "{names:?}");
    }
}
