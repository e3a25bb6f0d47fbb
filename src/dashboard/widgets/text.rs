//! Words in two forms, and lines of items that are shortened by rank.

use ratatui::style::Style;

use super::sheet::cells;
use crate::text;

/// Words with a shorter form for where they have no room.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Text {
    pub long: String,
    pub short: Option<String>,
}

impl<S: Into<String>> From<S> for Text {
    fn from(words: S) -> Self {
        Self {
            long: words.into(),
            short: None,
        }
    }
}

/// The cells of a short form that is next to the tabs at 80 columns, with the key for the long one
/// behind it; and those of a name that says something.
const SHORT: usize = 41;
const LEAST_NAME: usize = 8;

impl Text {
    /// Words with a name, of which the short form has as much as there is room for.
    pub(crate) fn named(name: &str, words: impl Fn(&str) -> String) -> Self {
        let room = SHORT.saturating_sub(text::width(&words("")));
        Self::from(words(name)).or(words(&text::fit_name(name, room.max(LEAST_NAME))))
    }

    /// With a shorter form.
    #[must_use]
    pub(crate) fn or(mut self, short: impl Into<String>) -> Self {
        self.short = Some(short.into());
        self
    }

    /// The shortest form.
    pub(crate) fn shortest(&self) -> &str {
        self.short.as_ref().unwrap_or(&self.long)
    }

    /// The form for so many cells, which the short one may be longer than.
    pub(crate) fn fit(&self, room: u16) -> &str {
        if cells(&self.long) <= room {
            &self.long
        } else {
            self.shortest()
        }
    }
}

/// Words of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub text: Text,
    pub style: Style,
    /// Items with the greatest number are shortened first if there is no room for all.
    pub rank: u8,
}

impl Item {
    pub(crate) fn new(text: impl Into<Text>, style: Style, rank: u8) -> Self {
        Self {
            text: text.into(),
            style,
            rank,
        }
    }
}

/// The words of the items of a line with so many cells, `apart` blanks between two: all in
/// their long form, or from the greatest rank down in their short one, as far as they need. An
/// item whose short form is empty gives its blanks, too.
pub(crate) fn line(items: &[Item], room: u16, apart: u16) -> Vec<&str> {
    let is_wider = |forms: &[&str]| {
        let shown = forms.iter().filter(|words| !words.is_empty());
        let needed: u16 = shown.map(|words| cells(words) + apart).sum();
        needed > room + apart
    };
    let mut ranks: Vec<u8> = items.iter().map(|item| item.rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let mut forms: Vec<&str> = items.iter().map(|item| item.text.shortest()).collect();
    for rank in ranks {
        let longer = forms.iter().zip(items).map(|(words, item)| {
            if item.rank == rank {
                item.text.long.as_str()
            } else {
                *words
            }
        });
        let longer: Vec<&str> = longer.collect();
        if !is_wider(&longer) {
            forms = longer;
        }
    }
    forms
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn item(long: &str, short: &str, rank: u8) -> Item {
        Item::new(Text::from(long).or(short), Style::new(), rank)
    }

    #[test]
    fn the_greatest_rank_is_shortened_first_and_an_empty_short_form_leaves_its_blanks() {
        let items = [
            item("alarms", "a", 1),
            item("overdue", "overdue", 0),
            item("date", "", 2),
        ];
        let shown = |room| line(&items, room, 2).join("|");
        assert_eq!(shown(21), "alarms|overdue|date");
        assert_eq!(shown(20), "alarms|overdue|");
        assert_eq!(shown(15), "alarms|overdue|");
        assert_eq!(shown(14), "a|overdue|");
        // What has no shorter form stays, whatever the room.
        assert_eq!(shown(3), "a|overdue|");
    }

    #[test]
    fn what_was_shortened_first_comes_back_where_a_longer_text_has_left_room_for_it() {
        let items = [
            item("driftline", "", 2),
            item("service fails: no route", "fails", 1),
            item("lost", "lost", 0),
        ];
        let shown = |room| line(&items, room, 2).join("|");
        assert_eq!(shown(40), "driftline|service fails: no route|lost");
        assert_eq!(shown(29), "|service fails: no route|lost");
        assert_eq!(shown(28), "driftline|fails|lost");
        assert_eq!(shown(21), "|fails|lost");
    }

    proptest! {
        #[test]
        fn a_line_is_no_wider_than_its_room_unless_all_is_short(
            words in proptest::collection::vec(("[a-z]{1,12}", "[a-z]{0,4}", 0u8..4), 0..8),
            room in 0u16..80,
            apart in 0u16..3,
        ) {
            let items: Vec<Item> = words.iter().map(|(long, short, rank)| item(long, short, *rank)).collect();
            let forms = line(&items, room, apart);
            let shown = forms.iter().filter(|words| !words.is_empty());
            let needed: u16 = shown.map(|words| cells(words) + apart).sum();
            let is_shortest = forms.iter().zip(&items).all(|(words, item)| *words == item.text.shortest());
            prop_assert!(needed <= room + apart || is_shortest);
        }
    }
}
