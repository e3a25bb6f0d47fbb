//! Columns by which the source of a file says more of a position: its side, that it is none, or
//! the class of an Argos location.

use super::names::{Role, is_same};
use super::position::is_none;
use crate::track::field::{FieldColumn, FieldRows, FieldValue};
use crate::track::quality::{LocationClass, is_location_class};

/// Names of what is false where a position is invalid, with commas between them.
const VALID: &str = "valid,visible,valid gps fix,valid fix,fix valid,gps valid,is valid,\
    location valid,fix status,gps fix,gps fix attempt,fix type,fix quality,fix";
/// Names of what is true there.
const OUTLIER: &str =
    "manually-marked-outlier,algorithm-marked-outlier,import-marked-outlier,outlier,is outlier";
/// Texts for false and for true, in lower case, with commas between them; `A` and `V` are those
/// of NMEA 0183, the last those of spreadsheets in other languages.
const FALSE: &str = "false,f,no,n,0,invalid,no fix,nofix,not valid,v,void,failed,none,\
    falsch,faux,falso,onwaar,falskt,falsk,usann";
const TRUE: &str = "true,t,yes,y,1,valid,a,\
    wahr,vrai,verdadero,vero,verdadeiro,waar,sant,sand,sann";
/// Names of the quality of a position or its time by Argo's table 2, with commas between them.
const QUALITY: &str = "position qc,pos qc,juld qc,time qc";
/// Bad, in that table.
const BAD: f64 = 4.0;

/// Names of the half of the day (AM or PM), with commas between them.
const HALVES: &str = "am pm,am or pm,meridiem,meridian,time am pm,ante post";

/// Names of the class of Argos locations at vendors.
const CLASSES: &str = "loc quality,loc class,location quality,argos lc,argos class";
/// Names that others have, too: of the class only where the letters of classes occur.
const PERHAPS_CLASSES: &str = "quality,class";

/// `true` if some names have this one in any spelling.
fn has(names: &str, name: &str) -> bool {
    names.split(',').any(|known| is_same(known, name))
}

/// The ends of names of columns with a side: loggers that write degrees without a sign have
/// the side next to them.
const SIDES: &str = "hemisphere,hemi,direction,dir,ref,indicator,ind,side,sign";

/// `true` for the name, in lower case, of a column with the sides, such as `ns`, of degrees, such
/// as `lat`, in any order: `n/s`, `lat_dir`, `hemi_ns`, `n/s indicator`, `GPSLatitudeRef`.
fn is_side(name: &str, sides: &str, degrees: &[&str]) -> bool {
    let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let letters = letters.strip_prefix("gps").unwrap_or(&letters);
    let of_side = |word: &str| word == sides || SIDES.split(',').any(|side| side == word);
    let beside = |of: &str| {
        let rest = letters
            .strip_prefix(of)
            .or_else(|| letters.strip_suffix(of));
        rest.is_some_and(of_side)
    };
    letters == sides || beside(sides) || degrees.iter().any(|of| beside(of))
}

/// The role of a field of this name, in lower case: it may say which side of the equator or of
/// Greenwich a position is on, or that it is none.
pub(super) fn role(name: &str) -> Role {
    if is_side(name, "ns", &["lat", "latitude"]) {
        Role::NorthSouth
    } else if is_side(name, "ew", &["lon", "lng", "long", "longitude"]) {
        Role::EastWest
    } else if has(VALID, name) {
        Role::Valid
    } else if has(OUTLIER, name) {
        Role::Outlier
    } else if has(QUALITY, name) {
        Role::Quality
    } else if has(HALVES, name) {
        Role::HalfOfDay
    } else {
        Role::Field
    }
}

/// `true` for a name of what says if a position is one.
pub(super) fn is_known(name: &str) -> bool {
    let names = [VALID, OUTLIER, QUALITY, HALVES, CLASSES, PERHAPS_CLASSES];
    names.iter().any(|names| has(names, name))
}

/// The truth of a value; `None` of one that is neither true nor false.
pub(crate) fn truth(value: FieldValue<'_>) -> Option<bool> {
    match value {
        FieldValue::Truth(is) => Some(is),
        FieldValue::Number(0.0) => Some(false),
        FieldValue::Number(1.0) => Some(true),
        FieldValue::Text(written) => {
            let lower = written.trim().to_lowercase();
            let is_any = |known: &str| known.split(',').any(|known| known == lower);
            (is_any(FALSE) || is_any(TRUE)).then(|| is_any(TRUE))
        }
        FieldValue::Null | FieldValue::Number(_) | FieldValue::Digits(_) => None,
    }
}

/// `true` for the second half of the day, `false` for the first; `None` of another text.
pub(super) fn is_afternoon(written: &str) -> Option<bool> {
    let letters = written.chars().filter(char::is_ascii_alphabetic);
    match letters.collect::<String>().to_lowercase().as_str() {
        "am" | "a" => Some(false),
        "pm" | "p" => Some(true),
        _ => None,
    }
}

/// `true` if a column with this role says by a value that the position of its row is none.
pub(super) fn is_invalid(role: Role, value: FieldValue<'_>) -> bool {
    match role {
        Role::Valid => truth(value) == Some(false),
        Role::Outlier => truth(value) == Some(true),
        Role::Quality => match value {
            FieldValue::Text(text) | FieldValue::Digits(text) => text.trim().parse() == Ok(BAD),
            value => value.number() == Some(BAD),
        },
        _ => false,
    }
}

/// The field that has the Argos class of every fix under another name than the usual ones.
pub(super) fn class_column(fields: &FieldRows, fixes: usize) -> Option<&FieldColumn> {
    if fields
        .columns()
        .any(|column| is_location_class(column.name()))
    {
        return None;
    }
    fields.columns().find(|column| {
        let is_perhaps = has(PERHAPS_CLASSES, column.name());
        if !is_perhaps && !has(CLASSES, column.name()) {
            return false;
        }
        let values = (0..fixes).filter_map(|fix| fields.value(column, fix));
        let is_there = |value: &FieldValue<'_>| match value {
            FieldValue::Text(text) => !is_none(text.trim()),
            value => !matches!(value, FieldValue::Null),
        };
        let read: Option<Vec<LocationClass>> =
            values.filter(is_there).map(LocationClass::read).collect();
        let classes = read.unwrap_or_default();
        use LocationClass::{A, B, G, Z};
        let has_letter = classes.iter().any(|class| matches!(class, A | B | G));
        let has_digit = classes.iter().any(|class| !matches!(class, A | B | G | Z));
        let is_argos = has_letter && has_digit || classes.contains(&Z);
        !classes.is_empty() && (!is_perhaps || is_argos)
    })
}
