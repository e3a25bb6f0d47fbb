//! Tests.

use super::*;

fn read(text: &str) -> Query {
    let reading = Reading {
        wording: Wording::default(),
        now: 1_000_000.0,
        speed_unit: SpeedUnit::Knots,
        fields: vec!["battery", "Battery_current", "air_temperature"],
        texts: &[],
        times: &|typed| (typed == "11-06 12:00").then_some(500.0..f64::INFINITY),
    };
    Query::new(text, reading)
}

#[test]
fn blanks_separate_words_and_quotes_keep_them_together() {
    let read = |filter: &str| words(filter).join("|");
    assert_eq!(read(""), "");
    assert_eq!(read("  "), "");
    assert_eq!(
        read("group:Ice status:overdue  buoy"),
        "group:ice|status:overdue|buoy"
    );
    assert_eq!(
        read("group:\"Fram Strait\" \"old buoy\""),
        "group:fram strait|old buoy"
    );
    // While it is typed.
    assert_eq!(read("group:\"Fram S"), "group:fram s");
    assert_eq!(read("group:"), "group:");
    assert_eq!(
        read("group: ice status: \"on time\""),
        "group:ice|status:on time"
    );
    assert_eq!(read("sog > 2 kn flag: fail"), "sog>2kn|flag:fail");
    assert_eq!(read("gap >= 6 h  @11-06 12:00 x"), "gap>=6h|@11-06 12:00|x");
}

#[test]
fn a_comparison_is_read_with_its_unit() {
    let term = |text: &str| read(text).terms.first().cloned();
    let compared = |quantity, side, value| Some(Term::Compared(quantity, side, value));
    let battery = || Quantity::Field("battery".to_owned());
    assert_eq!(term("battery<12"), compared(battery(), Side::Below, 12.0));
    assert_eq!(
        term("Battery < 12 V"),
        compared(battery(), Side::Below, 12.0)
    );
    let air = Quantity::Field("air_temperature".to_owned());
    assert_eq!(term("air>-1.5"), compared(air, Side::Above, -1.5));
    assert_eq!(
        term("sog>18km/h"),
        compared(Quantity::Speed, Side::Above, 5.0)
    );
    assert_eq!(
        term("gap>6h"),
        compared(Quantity::Gap, Side::Above, 21_600.0)
    );
    assert_eq!(
        term("leg>2km"),
        compared(Quantity::Distance, Side::Above, 2000.0)
    );
    let equal = read("battery = 12 V").terms;
    let [above, below] = [11.999_999_999_999_998, 12.000_000_000_000_002];
    assert_eq!(
        equal,
        [
            Term::Compared(battery(), Side::Above, above),
            Term::Compared(battery(), Side::Below, below)
        ]
    );
    assert_eq!(
        term("age>1d"),
        compared(Quantity::Age, Side::Above, 86_400.0)
    );
    let Some(Term::Compared(Quantity::Speed, Side::Above, knots)) = term("sog>2") else {
        panic!("no speed");
    };
    assert!((knots - 2.0 * 1852.0 / 3600.0).abs() < 1e-9);
}

#[test]
fn what_is_not_understood_is_said_and_holds_for_no_row() {
    for (text, fault) in [
        ("volts<12", "no field is named volts"),
        ("batt<12", "batt: battery or Battery_current?"),
        ("@noon", "noon: not a time"),
        ("#x", "x: not the number of a fix"),
        ("battery<", "a comparison is such as battery<12"),
        ("battery!=13", "a comparison is such as battery<12"),
        ("battery != 13", "a comparison is such as battery<12"),
        ("battery=<13", "a comparison is such as battery<12"),
        ("<12", "a comparison is such as battery<12"),
        (
            "flag:x",
            "x: no flag; there are pass, not evaluated, suspect, fail, missing",
        ),
    ] {
        let query = read(text);
        assert_eq!(query.fault, fault);
        assert_eq!(query.admits(|_| true, |_, _| Some(0.0)), Some(false));
    }
    // A number without a unit is no span of time.
    assert!(!read("gap>6").fault.is_empty());
    for text in ["buoy battery<12", "flag:fail", "flag:failed", "flag:"] {
        assert_eq!(read(text).fault, "");
    }
}

#[test]
fn a_limit_is_in_where_the_sign_says_so() {
    for (text, below, at, above) in [
        ("battery<12", true, false, false),
        ("battery<=12", true, true, false),
        ("battery = 12", false, true, false),
        ("battery >= 12", false, true, true),
        ("battery>12", false, false, true),
    ] {
        let query = read(text);
        let admits = |value: f64| query.admits(|_| false, |_, _| Some(value)) == Some(true);
        assert_eq!(
            [admits(11.99), admits(12.0), admits(12.01)],
            [below, at, above],
            "{text}"
        );
        assert_eq!(query.field(), Some("battery"));
    }
}

#[test]
fn every_word_and_comparison_is_required() {
    let query = read("buoy sog<2 #3");
    let admits = |word: &str, speed: Option<f64>, number: f64| {
        query.admits(
            |typed| typed == word,
            |_, quantity| match quantity {
                Quantity::Number => Some(number),
                _ => speed,
            },
        )
    };
    assert_eq!(admits("buoy", Some(1.0), 3.0), Some(true));
    assert_eq!(admits("other", Some(1.0), 3.0), Some(false));
    assert_eq!(admits("buoy", Some(2.0), 3.0), Some(false));
    assert_eq!(admits("buoy", Some(1.0), 4.0), Some(false));
    assert_eq!(admits("buoy", None, 3.0), None);
}

#[test]
fn a_comparison_has_a_name_a_sign_and_a_value() {
    let of = |typed| Comparison::parse(typed).map(|read| (read.name, read.sign, read.value));
    assert_eq!(of("battery<12"), Some(("battery", Sign::Less, "12")));
    assert_eq!(of(" sog > 2 kn"), Some(("sog", Sign::Greater, "2 kn")));
    assert_eq!(of("gap>=6h"), Some(("gap", Sign::AtLeast, "6h")));
    assert_eq!(of("battery=12"), Some(("battery", Sign::Equal, "12")));
    for none in [
        "",
        "battery",
        "<12",
        "battery<",
        "battery!=12",
        "battery<>12",
    ] {
        assert_eq!(of(none), None, "{none}");
    }
}
