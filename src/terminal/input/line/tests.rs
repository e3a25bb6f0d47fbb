//! Keys, pastes and replies of the terminal, in pieces of any size.

use crate::terminal::input::line::*;

/// The events of pieces, each followed by a pause.
fn heard(pieces: &[&[u8]]) -> Vec<String> {
    let (events, mut happenings) = tokio::sync::mpsc::unbounded_channel();
    let mut line = Line::default();
    for piece in pieces {
        line.take(piece, &events);
    }
    if line.patience().is_some() {
        line.nothing_followed(&events);
    }
    std::iter::from_fn(|| match happenings.try_recv() {
        Ok(LoopEvent::Event(event)) => Some(told(event)),
        _ => None,
    })
    .collect()
}

fn told(event: Event) -> String {
    match event {
        Event::Key(key) => format!("{:?}", key.code),
        Event::Paste(text) => format!("paste {text:?}"),
        other => format!("{other:?}"),
    }
}

fn key(code: KeyCode) -> String {
    format!("{code:?}")
}

#[test]
fn a_paste_behind_an_escape_or_half_a_sequence_is_text_and_never_keys() {
    assert_eq!(
        heard(&[b"\x1b\x1b[200~qD\x1b[201~"]),
        ["Esc", "paste \"qD\""]
    );
    assert_eq!(heard(&[b"\x1b\x1b"]), ["Esc", "Esc"]);
    assert_eq!(heard(&[b"\x1b\x1b[A"]), ["Esc", "Up"]);
    for begun in [&b"\x1b]"[..], b"\x1bP", b"\x1b_", b"\x1b[<0;1"] {
        let (events, mut happenings) = tokio::sync::mpsc::unbounded_channel();
        let mut line = Line::default();
        line.take(begun, &events);
        std::thread::sleep(SEQUENCE);
        line.take(b"\x1b[200~q\x1b[201~", &events);
        line.take(b"j", &events);
        let mut told_last = None;
        while let Ok(LoopEvent::Event(event)) = happenings.try_recv() {
            told_last = Some(told(event));
        }
        assert_eq!(told_last.as_deref(), Some("Char('j')"), "{begun:?}");
    }
}

#[test]
fn the_terminals_ground_is_read_among_keys_whatever_ends_its_reply() {
    for reply in [
        &b"j\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\k"[..],
        b"j\x1b]11;rgb:fdfd/f6f6/e3e3\x07k",
    ] {
        let (events, mut inbox) = tokio::sync::mpsc::unbounded_channel();
        let mut line = Line::default();
        // A reply may be split anywhere.
        for byte in reply {
            line.take(std::slice::from_ref(byte), &events);
        }
        let mut seen = Vec::new();
        while let Ok(event) = inbox.try_recv() {
            seen.push(match event {
                LoopEvent::Event(event) => told(event),
                LoopEvent::Background(Rgb(red, green, blue)) => format!("{red} {green} {blue}"),
                _ => String::new(),
            });
        }
        let keys = ["Char('j')", "253 246 227", "Char('k')"];
        assert_eq!(seen, keys);
    }
}

/// What a line makes of the pieces of a reply, each followed by a pause, once it was asked.
fn heard_after_the_question(pieces: &[&[u8]]) -> Vec<String> {
    let (events, mut inbox) = tokio::sync::mpsc::unbounded_channel();
    let mut line = Line::default();
    line.asked_at.set(Instant::now()).unwrap();
    for piece in pieces {
        line.take(piece, &events);
    }
    std::iter::from_fn(|| inbox.try_recv().ok())
        .map(|event| match event {
            LoopEvent::Event(event) => told(event),
            LoopEvent::DrawsPictures => "pictures".to_owned(),
            LoopEvent::Background(_) => "background".to_owned(),
            _ => String::new(),
        })
        .collect()
}

#[test]
fn the_reply_about_pictures_is_read_among_keys_and_only_a_good_one_counts() {
    let background = &b"\x1b]11;rgb:0000/0000/0000\x07k"[..];
    for (reply, counts) in [
        (&b"j\x1b_Gi=31;OK\x1b\\"[..], true),
        (b"j\x1b_Gi=31;OK\x07", true),
        (b"j\x1b_Gi=31;ENOTSUPPORTED:no q here\x1b\\", false),
        (b"j\x1b_Gi=32;OK\x1b\\", false),
    ] {
        let mut expected = vec!["Char('j')", "background", "Char('k')"];
        if counts {
            expected.insert(1, "pictures");
        }
        for cut in 0..reply.len() {
            let (first, rest) = reply.split_at(cut);
            assert_eq!(
                heard_after_the_question(&[first, rest, background]),
                expected
            );
        }
    }
    // Without a question, and after the last reply, its begin is a key.
    let alt = [key(KeyCode::Char('_')), key(KeyCode::Char('j'))];
    assert_eq!(heard(&[b"\x1b_j"]), alt);
    let after = heard_after_the_question(&[background, b"\x1b_j"]);
    assert_eq!(after[2..], alt);
}

#[test]
fn a_reply_in_single_bytes_of_control_is_read_and_no_byte_of_it_is_a_key() {
    let (events, mut inbox) = tokio::sync::mpsc::unbounded_channel();
    let mut line = Line::default();
    for byte in b"j\x9d11;rgb:fdfd/f6f6/e3e3\x9ck" {
        line.take(&[*byte], &events);
    }
    let mut seen = Vec::new();
    while let Ok(event) = inbox.try_recv() {
        seen.push(match event {
            LoopEvent::Event(event) => told(event),
            LoopEvent::Background(background) => format!("{background:?}"),
            _ => String::new(),
        });
    }
    let background = format!("{:?}", Rgb(253, 246, 227));
    assert_eq!(seen, ["Char('j')", &background, "Char('k')"]);
}

#[test]
fn a_reply_that_is_cut_anywhere_is_never_taken_as_keys() {
    for reply in [
        &b"\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\"[..],
        b"\x1b_Gi=31;OK\x1b\\",
        b"\x1b]11;rgb:fdfd/f6f6/e3e3\x07",
        b"\x9d11;rgb:fdfd/f6f6/e3e3\x9c",
    ] {
        for cut in 1..reply.len() {
            let (events, mut inbox) = tokio::sync::mpsc::unbounded_channel();
            let mut line = Line::default();
            line.asked_at.set(Instant::now()).unwrap();
            let (first, rest) = reply.split_at(cut);
            line.take(first, &events);
            // The rest comes after the time of a sequence.
            line.nothing_followed(&events);
            line.take(rest, &events);
            line.take(b"j", &events);
            let mut heard = Vec::new();
            while let Ok(event) = inbox.try_recv() {
                if let LoopEvent::Event(event) = event {
                    heard.push(told(event));
                }
            }
            // After a lone escape character nobody knows yet.
            let esc = (first == b"\x1b").then(|| key(KeyCode::Esc));
            let expected: Vec<_> = esc.into_iter().chain(["Char('j')".to_owned()]).collect();
            assert_eq!(heard, expected, "{reply:?} cut at {cut}");
        }
    }
}

#[test]
fn an_escape_after_the_question_is_waited_for_until_the_reply_has_come() {
    let (events, mut inbox) = tokio::sync::mpsc::unbounded_channel();
    let mut line = Line::default();
    line.asked_at.set(Instant::now()).unwrap();
    line.take(b"\x1b", &events);
    assert!(line.patience() > Some(ESCAPE));
    line.take(b"]11;rgb:0000/0000/0000\x07", &events);
    assert!(matches!(inbox.try_recv(), Ok(LoopEvent::Background(_))));
    line.take(b"\x1b", &events);
    assert!(line.patience() <= Some(ESCAPE));
    // Without a reply, a key after the Esc key is a key of its own.
    let mut line = Line::default();
    line.asked_at.set(Instant::now()).unwrap();
    line.take(b"\x1b", &events);
    std::thread::sleep(ESCAPE);
    line.take(b"j", &events);
    let keys: Vec<_> = std::iter::from_fn(|| match inbox.try_recv() {
        Ok(LoopEvent::Event(event)) => Some(told(event)),
        _ => None,
    })
    .collect();
    assert_eq!(keys, ["Esc", "Char('j')"]);
}

#[test]
fn a_paste_without_an_end_can_be_left_by_ctrl_c() {
    let (events, mut happenings) = tokio::sync::mpsc::unbounded_channel();
    let mut line = Line::default();
    line.take(b"\x1b[200~never ended", &events);
    line.take(b"q", &events);
    assert!(happenings.try_recv().is_err());
    line.take(b"\x03", &events);
    let Ok(LoopEvent::Event(Event::Key(key))) = happenings.try_recv() else {
        panic!("Ctrl-C is not heard");
    };
    assert!(key.ctrl && key.code == KeyCode::Char('c'));
}

#[test]
fn an_escape_alone_is_the_key_and_before_a_bracket_it_is_a_sequence() {
    assert_eq!(heard(&[b"\x1b"]), [key(KeyCode::Esc)]);
    assert_eq!(heard(&[b"\x1b", b"[A"]), [key(KeyCode::Up)]);
    assert_eq!(
        heard(&[b"\x1b[", b"", b"5~q"]),
        [key(KeyCode::PageUp), key(KeyCode::Char('q'))]
    );
}

#[test]
fn a_paste_in_pieces_is_one_text_though_it_stops_for_long() {
    let pasted = heard(&[b"\x1b[200~a", b"\r\x1b[", b"b\x1b[201~j"]);
    assert_eq!(
        pasted,
        [format!("paste {:?}", "a\r\x1b[b"), key(KeyCode::Char('j'))]
    );
    let mut line = Line::default();
    let (events, _kept) = tokio::sync::mpsc::unbounded_channel();
    line.take(b"\x1b[200~half", &events);
    assert_eq!(line.patience(), Some(PASTE));
}

#[test]
fn what_is_begun_and_never_ended_does_not_make_the_keyboard_deaf() {
    for begun in [
        &b"\x1bP"[..],
        b"\x1b]",
        b"\x1b[<",
        b"\xf0\x9f",
        b"\x1bO",
        b"\x1b[M",
    ] {
        let (events, mut happenings) = tokio::sync::mpsc::unbounded_channel();
        let mut line = Line::default();
        line.take(begun, &events);
        assert!(line.patience().is_some(), "{begun:?}");
        line.nothing_followed(&events);
        while happenings.try_recv().is_ok() {}
        line.take(b"j", &events);
        let Ok(LoopEvent::Event(event)) = happenings.try_recv() else {
            panic!("deaf after {begun:?}")
        };
        assert_eq!(told(event), key(KeyCode::Char('j')), "{begun:?}");
    }
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_heard_without_a_panic(bytes: Vec<u8>, cut in 0usize..50) {
        let (first, second) = bytes.split_at(cut.min(bytes.len()));
        heard(&[first, second]);
    }

    #[test]
    fn any_sequence_is_heard_without_a_panic(tail in "[0-9;<>?MmuRPc~ \\[\\]A-Z]{0,12}") {
        heard(&[b"\x1b[", tail.as_bytes()]);
        heard(&[b"\x1b", tail.as_bytes()]);
    }
}
