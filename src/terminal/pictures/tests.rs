//! The pictures of a dashboard, as a terminal with the protocol receives them.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use flate2::read::ZlibDecoder;
use proptest::prelude::*;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use uuid::Uuid;

use crate::dashboard::Dashboard;
use crate::dashboard::draw::{Memory, draw};
use crate::dashboard::effect::{Effect, Fetch};
use crate::dashboard::event::Event;
use crate::dashboard::key::{Key, KeyCode};
use crate::dashboard::shared::Pixels;
use crate::dashboard::tab::Pane;
use crate::dashboard::theme::Theme;
use crate::dashboard::update::update;
use crate::map::{FieldCharts, GlyphSet};
use crate::terminal::pictures::*;
use crate::testing::dashboard::{loaded, opened, updated};
use crate::testing::fields::ice_buoy;
use crate::track::Platform;
use crate::watch::Deployment;

const NOW: f64 = 1_790_000_000.0;
const CELL: (u16, u16) = (6, 12);

/// A part of a picture on the screen: its cells, its pixels of the picture, and its depth.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    cells: Rect,
    pixels: [u32; 4],
    depth: i32,
}

/// A picture that a terminal has: its size, and its pixels of four bytes, row by row.
#[derive(Debug)]
struct Image {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

/// A terminal with the protocol: the pictures that it has, and where they are seen.
#[derive(Debug, Default)]
struct Terminal {
    images: BTreeMap<u32, Image>,
    parts: BTreeMap<(u32, u32), Part>,
    /// The picture that is being received: its number, its size and its letters.
    receiving: Option<(u32, [u32; 2], String)>,
    /// How many pictures it has received.
    received: usize,
}

/// The bytes of letters by RFC 4648.
fn decoded(letters: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{other} is no letter of it"),
    };
    let of_four = |four: &[u8]| {
        let letters = four.iter().filter(|letter| **letter != b'=');
        let bits = letters.fold(0u32, |bits, letter| bits << 6 | u32::from(value(*letter)));
        let count = four.iter().filter(|letter| **letter != b'=').count();
        let bits = bits << (6 * (4 - count));
        bits.to_be_bytes()[1..count].to_vec()
    };
    letters.as_bytes().chunks(4).flat_map(of_four).collect()
}

impl Terminal {
    /// Receives what a program writes; only the sequences of pictures are held against it.
    fn take(&mut self, written: &[u8]) {
        let written = std::str::from_utf8(written).unwrap();
        let mut cursor = (0, 0);
        for sequence in written.split('\x1b').skip(1) {
            if let Some(place) = sequence.strip_prefix('[') {
                let place = place.strip_suffix('H').expect("only the cursor is moved");
                let (row, column) = place.split_once(';').unwrap();
                cursor = (column.parse().unwrap(), row.parse().unwrap());
            } else if let Some(command) = sequence.strip_prefix("_G") {
                let (keys, payload) = command.split_once(';').unwrap_or((command, ""));
                assert!(payload.len() <= CHUNK, "{} letters", payload.len());
                let keys = keys.split(',').map(|key| key.split_once('=').unwrap());
                self.command(&keys.collect(), payload, cursor);
            } else {
                assert_eq!(sequence, "\\", "the end of a sequence");
            }
        }
    }

    fn command(&mut self, keys: &BTreeMap<&str, &str>, payload: &str, cursor: (u16, u16)) {
        let number = |key: &str| keys.get(key).map_or(0, |value| value.parse().unwrap());
        // An answer would come among the keys.
        assert_eq!(keys.get("q"), Some(&"2"), "{keys:?}");
        match (keys.get("a"), self.receiving.take()) {
            (Some(&"t"), None) => {
                assert_eq!(
                    (keys["f"], keys["o"]),
                    ("32", "z"),
                    "bytes of RGBA, by zlib"
                );
                let size = ["s", "v"].map(number);
                self.receiving = Some((number("i"), size, payload.to_owned()));
            }
            (None, Some((image, size, letters))) => {
                self.receiving = Some((image, size, letters + payload));
            }
            (Some(&"p"), None) => {
                assert!(self.images.contains_key(&number("i")), "{keys:?}");
                assert_eq!(keys["C"], "1", "the cursor stays");
                let size = |key| u16::try_from(number(key)).unwrap();
                let part = Part {
                    cells: Rect::new(cursor.0 - 1, cursor.1 - 1, size("c"), size("r")),
                    pixels: ["x", "y", "w", "h"].map(number),
                    depth: keys["z"].parse().unwrap(),
                };
                self.parts.insert((number("i"), number("p")), part);
            }
            (Some(&"d"), None) => {
                self.parts.retain(|(image, _), _| *image != number("i"));
                if keys["d"] == "I" {
                    self.images.remove(&number("i"));
                }
            }
            other => panic!("{other:?}: {keys:?}"),
        }
        if keys.get("m") == Some(&"0") {
            let (image, [width, height], letters) = self.receiving.take().unwrap();
            self.parts.retain(|(other, _), _| *other != image);
            let (packed, mut pixels) = (decoded(&letters), Vec::new());
            let mut unpacked = ZlibDecoder::new(packed.as_slice());
            unpacked.read_to_end(&mut pixels).unwrap();
            assert_eq!(pixels.len(), (4 * width * height) as usize);
            let received = Image {
                width,
                height,
                pixels,
            };
            self.images.insert(image, received);
            self.received += 1;
        }
    }
}

/// The Track tab of an ice buoy, on a terminal that draws pictures.
fn buoy() -> Dashboard {
    let deployment = Deployment {
        platform: Platform::Drifter,
        ..Deployment::new(Uuid::from_u128(4))
    };
    let mut model = opened(vec![deployment], NOW);
    resize(&mut model, (120, 36));
    let effects = update(&mut model, Event::Now(NOW));
    let request = effects.iter().find_map(|effect| match effect {
        Effect::Update(Fetch { request, .. }) => Some(*request),
        _ => None,
    });
    let records = ice_buoy(NOW - 216_000.0, 60, 20);
    let fetched = (request.unwrap(), Uuid::from_u128(4));
    update(&mut model, updated(fetched, Ok(loaded(records, NOW))));
    press(&mut model, '2');
    model.shell.shared.screen.pixels = Some(Pixels {
        cell: CELL,
        are_near: true,
    });
    model
}

fn resize(model: &mut Dashboard, (width, height): (u16, u16)) {
    let cell_aspect = 2.0;
    update(
        model,
        Event::Resized {
            width,
            height,
            cell_aspect,
        },
    );
}

/// Presses a key, and reads the fields that are asked for then.
fn press(model: &mut Dashboard, key: char) {
    let key = match key {
        '\x1b' => Key::plain(KeyCode::Esc),
        '↓' => Key::plain(KeyCode::Down),
        '↑' => Key::plain(KeyCode::Up),
        key => Key::char(key),
    };
    for effect in update(model, Event::Key(key)) {
        if let Effect::ReadFields { track, .. } = effect {
            let whole = Arc::clone(track.track());
            let rows = whole.fields().clone();
            let outcome = Ok(Arc::new(FieldCharts::new(whole, rows)));
            update(model, Event::FieldsRead { track, outcome });
        }
    }
}

/// A screen that draws frames, and the terminal behind it.
#[derive(Default)]
struct Seen {
    memory: Memory,
    pictures: Pictures,
    terminal: Terminal,
}

impl Seen {
    /// The number of the picture that is seen in a pane.
    fn number(&self, pane: Pane) -> u32 {
        let mut placed = self.pictures.placed.iter();
        placed.find(|(_, placed)| placed.pane == pane).unwrap().0
    }

    /// The parts that it is seen in.
    fn parts(&self, pane: Pane) -> Vec<&Part> {
        let parts = self.terminal.parts.iter();
        let mine = parts.filter(|((image, _), _)| *image == self.number(pane));
        mine.map(|(_, part)| part).collect()
    }

    /// Draws a frame; returns its cells, and how many pictures and bytes it sends.
    fn frame(&mut self, model: &mut Dashboard) -> (Buffer, usize, usize) {
        model.before_frame();
        let screen = &model.shell.shared.screen;
        let mut buffer = Buffer::empty(Rect::new(0, 0, screen.width, screen.height));
        draw(&mut buffer, model, Theme::default(), &mut self.memory);
        let mut written = Vec::new();
        let before = self.terminal.received;
        let change = self.pictures.change(&self.memory.pictures, &mut written);
        assert_eq!(change.unwrap(), !written.is_empty());
        self.terminal.take(&written);
        (buffer, self.terminal.received - before, written.len())
    }
}

#[test]
fn a_picture_has_the_pixels_of_its_panes_cells_and_is_seen_below_all_of_them() {
    let (mut model, mut seen) = (buoy(), Seen::default());
    for size in [(120, 36), (160, 48), (100, 30)] {
        resize(&mut model, size);
        assert_eq!(seen.frame(&mut model).1, 2, "map and timeline at {size:?}");
        let map = model.shell.layout().map;
        for (pane, area) in [(Pane::Map, Some(map)), (Pane::Timeline, None)] {
            let [part] = seen.parts(pane)[..] else {
                panic!("{pane:?} in parts");
            };
            assert_eq!(area.unwrap_or(part.cells), part.cells);
            let width = u32::from(part.cells.width) * u32::from(CELL.0);
            let height = u32::from(part.cells.height) * u32::from(CELL.1);
            let image = &seen.terminal.images[&seen.number(pane)];
            assert_eq!((image.width, image.height), (width, height));
            assert_eq!(part.pixels, [0, 0, width, height]);
            assert!(part.depth < i32::MIN / 2);
            let opacities = image.pixels.iter().skip(3).step_by(4);
            let drawn = opacities.clone().filter(|opacity| **opacity > 0);
            let share = drawn.count() * 100 / opacities.count();
            assert!((1..=100).contains(&share), "{share} % of {pane:?} is drawn");
        }
    }
}

#[test]
fn twenty_steps_of_the_cursor_send_nothing_and_a_zoom_sends_the_map() {
    let (mut model, mut seen) = (buoy(), Seen::default());
    // Of a measurement and of rings the lines follow the cursor, too.
    for keys in ["", "R", " ↑↑"] {
        keys.chars().for_each(|key| press(&mut model, key));
        seen.frame(&mut model);
        for step in 0..20 {
            press(&mut model, if step < 10 { '↑' } else { '↓' });
            assert_eq!(
                seen.frame(&mut model).2,
                0,
                "bytes at step {step} after {keys:?}"
            );
        }
    }
    // The terminal still has the picture of the first view.
    for (key, sent) in [('+', 1), ('H', 1), ('0', 0), ('m', 1)] {
        press(&mut model, key);
        assert_eq!(seen.frame(&mut model).1, sent, "pictures after {key}");
        assert_eq!(seen.frame(&mut model).2, 0);
    }
    // Another quantity is another curve; a profile leaves the map less room.
    for _ in 0..4 {
        press(&mut model, 'v');
        assert!(seen.frame(&mut model).1 <= 2);
        assert_eq!(seen.frame(&mut model).2, 0);
    }
}

#[test]
fn what_is_drawn_anew_and_is_the_same_is_not_sent_again() {
    let (mut model, mut seen) = (buoy(), Seen::default());
    assert_eq!(seen.frame(&mut model).1, 2);
    seen.memory = Memory::default();
    assert_eq!(seen.frame(&mut model).2, 0);
}

#[test]
fn a_dialog_is_read_on_blank_cells_and_no_picture_is_sent_for_it() {
    let (mut model, mut seen) = (buoy(), Seen::default());
    seen.frame(&mut model);
    let whole = seen.terminal.parts.clone();
    press(&mut model, 'i');
    let (_, sent, bytes) = seen.frame(&mut model);
    assert!(sent == 0 && bytes > 0 && bytes < 2000, "{bytes} bytes");
    let dialog = seen.memory.targets.dialog.expect("the details of a fix");
    let (mut hidden, mut left) = (0, 0);
    for pane in [Pane::Map, Pane::Timeline] {
        let parts = seen.parts(pane);
        let area = whole[&(seen.number(pane), 1)].cells;
        for cell in area.positions() {
            let at = |part: &&&Part| part.cells.contains(cell);
            let of: Vec<_> = parts.iter().filter(at).collect();
            assert_eq!(of.len(), usize::from(!dialog.contains(cell)), "{cell:?}");
            hidden += usize::from(of.is_empty());
            left += of.len();
        }
        for part in parts {
            // The pixels are those of the cells.
            let x = u32::from(part.cells.x - area.x) * u32::from(CELL.0);
            let y = u32::from(part.cells.y - area.y) * u32::from(CELL.1);
            assert_eq!(part.pixels[..2], [x, y]);
        }
    }
    assert!(hidden > 100 && left > 100, "{hidden} {left}");
    press(&mut model, '\x1b');
    assert_eq!(seen.frame(&mut model).1, 0);
    assert_eq!(seen.terminal.parts, whole);
}

#[test]
fn the_map_of_a_search_is_a_picture_beside_its_card() {
    let (mut model, mut seen) = (buoy(), Seen::default());
    seen.frame(&mut model);
    press(&mut model, 'W');
    assert_eq!(seen.frame(&mut model).1, 1);
    let [part] = seen.parts(Pane::Map)[..] else {
        panic!("the map is in parts, or there is none");
    };
    assert_eq!(part.cells, model.shell.layout().map);
    // The prompt for the own ship is over both.
    press(&mut model, 's');
    seen.frame(&mut model);
    assert!(seen.parts(Pane::Map).len() > 1);
}

#[test]
fn no_picture_is_left_behind_another_tab_a_small_screen_other_glyphs_or_the_end() {
    let (mut model, mut seen) = (buoy(), Seen::default());
    let count = |seen: &Seen| (seen.terminal.images.len(), seen.terminal.parts.len());
    assert_eq!((seen.frame(&mut model).1, count(&seen)), (2, (2, 2)));
    press(&mut model, '3');
    seen.frame(&mut model);
    assert_eq!(count(&seen), (2, 0), "on Plants");
    press(&mut model, '2');
    assert_eq!((seen.frame(&mut model).1, count(&seen)), (0, (2, 2)));
    // A pane at full size is alone.
    press(&mut model, 'z');
    seen.frame(&mut model);
    assert_eq!(count(&seen), (3, 1));
    press(&mut model, 'z');
    seen.frame(&mut model);
    resize(&mut model, (20, 5));
    seen.frame(&mut model);
    assert_eq!(count(&seen), (3, 0), "at a glance");
    resize(&mut model, (120, 36));
    seen.frame(&mut model);
    press(&mut model, 'M');
    seen.frame(&mut model);
    assert_eq!(model.shell.shared.markers(), GlyphSet::Octant);
    assert_eq!(count(&seen), (3, 0), "in octants");
    for _ in 0..5 {
        press(&mut model, 'M');
    }
    assert_eq!((seen.frame(&mut model).1, count(&seen)), (0, (3, 2)));
    // Of many views the terminal has some.
    for _ in 0..8 {
        press(&mut model, '+');
        assert_eq!(seen.frame(&mut model).1, 1);
    }
    assert_eq!(count(&seen), (KEPT as usize, 2));
    for _ in 0..2 {
        let mut written = Vec::new();
        delete_all(&mut written).unwrap();
        seen.terminal.take(&written);
        assert_eq!(count(&seen), (0, 0));
    }
}

#[test]
fn where_the_terminal_draws_no_pictures_the_key_and_the_setting_pass_them_by() {
    let mut model = buoy();
    let markers = |model: &Dashboard| model.shell.shared.markers();
    assert_eq!(markers(&model), GlyphSet::Pixels, "auto takes them");
    model.shell.shared.screen.pixels = Some(Pixels {
        cell: CELL,
        are_near: false,
    });
    assert_eq!(markers(&model), GlyphSet::Braille, "auto over ssh");
    model.shell.shared.settings.choose("markers", "pixels");
    assert_eq!(markers(&model), GlyphSet::Pixels, "as it is set");
    model.shell.shared.screen.pixels = None;
    assert_eq!(markers(&model), GlyphSet::Braille);
    assert_eq!(Seen::default().frame(&mut model).2, 0);
    model.shell.shared.settings.choose("markers", "ascii");
    press(&mut model, 'M');
    assert_eq!(markers(&model), GlyphSet::Octant);
}

#[test]
fn the_letters_of_a_picture_are_its_bytes_again() {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    for count in 0..all.len() {
        assert_eq!(decoded(&base64(&all[..count])), all[..count]);
    }
}

/// `true` for a cell of what is drawn in dots or shades, and for one without anything.
fn is_drawn(cell: &Cell) -> bool {
    let is_dots = |letter| {
        matches!(
            letter,
            '\u{2800}'..='\u{28ff}' | '░' | '▒' | '•' | '▀' | '▄' | '·' | '╌' | ' '
        )
    };
    cell.symbol().chars().all(is_dots)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// In pixels a frame has the words, signs and marks of one in dots: only the lines, the
    /// land and the colours of values are gone from its cells.
    #[test]
    fn the_cells_over_a_picture_are_those_of_dots_but_for_what_is_drawn(
        keys in proptest::collection::vec(proptest::sample::select(vec![
            '↑', '↓', 'g', 'v', 'V', 'R', 'o', '+', '-', 'H', '1', '2', 'z', 'w', ' ', 'i', '\x1b', 'T', '[', 'b', 'C', 'f',
        ]), 0..12),
    ) {
        let mut model = buoy();
        keys.iter().for_each(|key| press(&mut model, *key));
        let mut frame = |glyphs: &str| {
            model.shell.shared.settings.choose("markers", glyphs);
            model.before_frame();
            let mut buffer = Buffer::empty(Rect::new(0, 0, 120, 36));
            let mut memory = Memory::default();
            draw(&mut buffer, &model, Theme::default(), &mut memory);
            (buffer, memory.pictures)
        };
        let ((dots, none), (over, pictures)) = (frame("braille"), frame("pixels"));
        prop_assert!(none.is_empty());
        for at in dots.area.positions() {
            let is_over = pictures.iter().any(|placed| placed.area.contains(at));
            let (dots, over) = (&dots[at], &over[at]);
            let is_same = if is_over {
                dots.symbol() == over.symbol() && (dots.fg == over.fg || dots.symbol() == "│")
            } else {
                dots == over
            };
            // Dots may hide the line of the cursor.
            let is_gone = is_drawn(dots) && (is_drawn(over) || over.symbol() == "│");
            prop_assert!(is_same || is_over && is_gone, "{at:?}: {dots:?} {over:?}");
        }
    }
}
