//! Alarms as terminal notifications: a desktop notification if the terminal shows one,
//! else the bell.
//!
//! There are three control sequences for it, and none is a standard:
//! - OSC 777 (`notify;TITLE;TEXT`) is from an extension of rxvt-unicode. foot
//!   (foot-ctlseqs(7)), Ghostty ("VT reference", OSC 777), WezTerm (its
//!   documentation, "notification_handling"), Contour, and the VTE of Fedora,
//!   Debian and Ubuntu show it; the VTE of its authors does not, which nothing in
//!   the environment shows.
//! - OSC 9 (`TEXT`) is from iTerm2 (its documentation, "Proprietary Escape
//!   Codes"). ConEmu uses the same number, followed by another and `;`, for other
//!   things.
//! - OSC 99 is from kitty (its documentation, "Desktop notifications").
//!
//! tmux passes a sequence on to its terminal within `DCS tmux;`, with each ESC
//! twice, where `allow-passthrough` is on (tmux(1); tmux 3.3 and later, off by
//! default). Its environment has the variables of the terminal that it was started
//! in. So there, and in a VTE, the bell comes as well.

use crate::dashboard::effect::Announcement;
use crate::settings::Notify;
use crate::text;

/// The longest title, characters.
const LONGEST_TITLE: usize = 100;
/// The longest text, characters: OSC 99 takes 2048 bytes at once.
const LONGEST_BODY: usize = 400;
const BELL: &str = "\x07";

/// The sequence that notifies the user as the setting says, in a terminal that these
/// environment variables describe; empty for no notification.
pub(super) fn sequence(
    notify: Notify,
    variable: &dyn Fn(&str) -> String,
    announcement: &Announcement,
) -> String {
    let title = harmless(&announcement.title, LONGEST_TITLE);
    let body = harmless(&announcement.body, LONGEST_BODY);
    let (way, is_unsure) = way(notify, variable);
    let sequence = match way {
        Notify::Off => return String::new(),
        Notify::Auto | Notify::Bell => return BELL.to_owned(),
        Notify::Osc777 => format!("\x1b]777;notify;{title};{body}\x1b\\"),
        Notify::Osc9 => format!("\x1b]9;{title}: {body}\x1b\\"),
        Notify::Osc99 => {
            // The same id replaces an earlier notification of the same alarm.
            let id: String = (announcement.id.chars())
                .filter(char::is_ascii_alphanumeric)
                .collect();
            format!("\x1b]99;i={id}:d=0;{title}\x1b\\\x1b]99;i={id}:d=1:p=body;{body}\x1b\\")
        }
    };
    let mut sequence = if variable("TMUX").is_empty() {
        sequence
    } else {
        format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"))
    };
    if is_unsure {
        sequence.push_str(BELL);
    }
    sequence
}

/// How the user is notified, never by what the terminal is, and whether it may not be shown, so
/// that the bell comes as well.
fn way(notify: Notify, variable: &dyn Fn(&str) -> String) -> (Notify, bool) {
    let (way, is_unsure) = match notify {
        Notify::Auto => known(variable),
        way => (way, false),
    };
    let is_osc = !matches!(way, Notify::Bell | Notify::Off);
    // The Linux console and a plain terminal print the sequence.
    let takes_osc = !matches!(variable("TERM").as_str(), "linux" | "dumb" | "");
    if is_osc && !takes_osc {
        return (Notify::Bell, is_unsure);
    }
    let in_tmux = !variable("TMUX").is_empty();
    (way, is_unsure || in_tmux && notify == Notify::Auto)
}

/// The way of the terminal that the environment names, and whether that terminal
/// may not know it.
fn known(variable: &dyn Fn(&str) -> String) -> (Notify, bool) {
    let term = variable("TERM");
    let program = variable("TERM_PROGRAM");
    let is_set = |name| !variable(name).is_empty();
    // screen would take it for the title of the window.
    if is_set("STY") {
        return (Notify::Bell, false);
    }
    if is_set("KITTY_WINDOW_ID") || term == "xterm-kitty" {
        (Notify::Osc99, false)
    } else if ["foot", "wezterm", "xterm-ghostty", "contour"]
        .iter()
        .any(|name| term.starts_with(name))
        || ["WezTerm", "ghostty", "contour"].contains(&program.as_str())
        || is_set("WEZTERM_PANE")
        || is_set("GHOSTTY_RESOURCES_DIR")
    {
        (Notify::Osc777, false)
    } else if program == "iTerm.app" || variable("LC_TERMINAL") == "iTerm2" {
        (Notify::Osc9, false)
    } else if is_set("VTE_VERSION") {
        (Notify::Osc777, true)
    } else {
        (Notify::Bell, false)
    }
}

/// A text without control characters and `;`, which separates the parts of a
/// sequence, cut to this many characters.
fn harmless(text: &str, longest: usize) -> String {
    text::excerpt(text, longest).replace(';', ",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(notify: Notify, variables: &[(&str, &str)]) -> String {
        let announcement = Announcement {
            id: "0k3\x1b;f".to_owned(),
            title: "driftline: north; buoy\x1b\\: outside".to_owned(),
            body: "240 m from the centre\x07, limit 200 m\n".to_owned(),
        };
        sequence(notify, &named(variables), &announcement)
    }

    fn named<'a>(variables: &'a [(&str, &str)]) -> impl Fn(&str) -> String + 'a {
        |name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map_or_else(String::new, |(_, value)| (*value).to_owned())
        }
    }

    #[test]
    fn each_terminal_is_told_as_it_understands() {
        let auto = |variables: &[(&str, &str)]| way(Notify::Auto, &named(variables));
        assert_eq!(auto(&[("TERM", "xterm-256color")]), (Notify::Bell, false));
        assert_eq!(auto(&[("TERM", "xterm-kitty")]), (Notify::Osc99, false));
        for name in ["foot", "foot-extra", "wezterm", "xterm-ghostty", "contour"] {
            assert_eq!(auto(&[("TERM", name)]), (Notify::Osc777, false), "{name}");
        }
        assert_eq!(
            auto(&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "iTerm.app")]),
            (Notify::Osc9, false)
        );
        assert_eq!(
            auto(&[("TERM", "xterm-256color"), ("VTE_VERSION", "7600")]),
            (Notify::Osc777, true)
        );
        // What shows letters of a sequence gets none.
        for term in ["linux", "dumb", ""] {
            for notify in [Notify::Auto, Notify::Osc777, Notify::Osc9, Notify::Osc99] {
                let sequence = written(notify, &[("TERM", term), ("VTE_VERSION", "7600")]);
                assert_eq!(sequence, BELL, "{term} {notify:?}");
            }
        }
        // Inside screen the bell alone.
        assert_eq!(
            auto(&[("TERM", "screen"), ("STY", "1.a"), ("KITTY_WINDOW_ID", "1")]),
            (Notify::Bell, false)
        );
    }

    #[test]
    fn no_name_or_text_reaches_the_terminal_as_a_control_character_or_a_separator() {
        let to = |notify| written(notify, &[("TERM", "xterm-256color")]);
        let osc777 = to(Notify::Osc777);
        assert_eq!(osc777.matches('\x1b').count(), 2, "{osc777:?}");
        assert_eq!(osc777.matches(';').count(), 3, "{osc777:?}");
        let osc9 = to(Notify::Osc9);
        assert!(
            osc9.starts_with("\x1b]9;driftline: north, buoy"),
            "{osc9:?}"
        );
        assert_eq!(osc9.matches('\x1b').count(), 2, "{osc9:?}");
        let osc99 = to(Notify::Osc99);
        assert!(
            osc99.starts_with("\x1b]99;i=0k3f:d=0;driftline: "),
            "{osc99:?}"
        );
        assert_eq!(osc99.matches('\x1b').count(), 4, "{osc99:?}");
        for one in [&osc777, &osc9, &osc99] {
            assert!(!one.contains('\x07') && !one.contains('\n'), "{one:?}");
        }
        assert_eq!(to(Notify::Bell), BELL);
        assert_eq!(to(Notify::Off), "");
    }

    #[test]
    fn inside_tmux_a_sequence_is_wrapped_and_the_bell_comes_as_well() {
        let tmux = [
            ("TERM", "tmux-256color"),
            ("TMUX", "/tmp/tmux,1,0"),
            ("KITTY_WINDOW_ID", "1"),
        ];
        let text = written(Notify::Auto, &tmux);
        assert!(text.starts_with("\x1bPtmux;\x1b\x1b]99;"), "{text:?}");
        assert!(text.ends_with("\x1b\x1b\\\x1b\\\x07"), "{text:?}");
        // As it was asked for, and nothing else.
        let text = written(Notify::Osc9, &[("TERM", "tmux-256color"), ("TMUX", "1")]);
        assert!(text.starts_with("\x1bPtmux;\x1b\x1b]9;"), "{text:?}");
        assert!(text.ends_with("\x1b\x1b\\\x1b\\"), "{text:?}");
    }
}
