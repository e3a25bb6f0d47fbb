//! The values of all fields at the cursor, for the summary.

use super::label::field_label;
use crate::dashboard::format;
use crate::dashboard::shared::Shared;
use crate::dashboard::track::TrackTab;
use crate::map::{FieldCharts, ShownField};
use crate::text;
use crate::track::Track;
use crate::track::field::{FieldValue, label, profiles};

/// Most cells of a text.
const TEXT: usize = 40;
/// The number of values of a profile on a line, from its first to its last.
const OF_A_PROFILE: usize = 4;

/// More fields than a line has room for.
const ON_A_LINE: usize = 32;
/// The number of fields in a sentence about a fix.
const FIRST: usize = 4;

/// The name of a field and its value with unit.
pub(crate) type Named = (String, String);

/// The field that the timeline shows at the cursor, then the others in their
/// order; of each profile a few values.
pub(crate) fn few(tab: &TrackTab, shared: &Shared) -> Vec<Named> {
    let chosen = tab.shown_field(shared);
    let mut named: Vec<Named> = chosen.iter().map(|shown| one(shown, tab)).collect();
    let Some((charts, fix)) = tab.cursor_fields(shared) else {
        return named;
    };
    let chosen = chosen.as_ref().map(|shown| shown.field().name());
    let single = charts.single_values(fix);
    let unchosen = single.filter(|(name, _)| Some(*name) != chosen);
    let others = unchosen.map(|(name, value)| (field_label(name), words(name, value)));
    named.extend(others.take(ON_A_LINE));
    let profiles = profiles_of(tab, shared, charts);
    let others = profiles.filter(|shown| Some(shown.field().name()) != chosen);
    named.extend(others.map(|shown| one(&shown, tab)));
    named
}

/// The profiles that vary.
fn profiles_of(
    tab: &TrackTab,
    shared: &Shared,
    charts: &FieldCharts,
) -> impl Iterator<Item = ShownField> {
    let profiles = charts.varying().iter().filter(|field| field.is_profile());
    profiles.filter_map(|field| tab.field_named(shared, field.name()))
}

/// A field that varies, at the cursor.
fn one(shown: &ShownField, tab: &TrackTab) -> Named {
    let field = shown.field();
    let fix = tab.cursor;
    let number = |value: Option<f64>| match value {
        Some(value) => format::number(value, field.decimals),
        None => "–".to_owned(),
    };
    let name = field_label(field.name());
    if !field.is_profile() {
        let value = number(shown.value(fix));
        let unit = format::unit_of_field(field.name());
        return (name, format!("{value} {unit}").trim_end().to_owned());
    }
    let values = shown.profile(fix);
    let last = values.len().saturating_sub(1);
    let steps = OF_A_PROFILE - 1;
    let few = (0..OF_A_PROFILE).map(|step| {
        let index = last * step / steps;
        format!("{index}: {}", number(values.get(index).copied().flatten()))
    });
    (name, few.collect::<Vec<_>>().join("  "))
}

/// Every field at the cursor, each value of a profile too.
pub(crate) fn all(tab: &TrackTab, shared: &Shared) -> Vec<Named> {
    let Some((charts, fix)) = tab.cursor_fields(shared) else {
        return Vec::new();
    };
    let single = charts.single_values(fix);
    let mut named: Vec<Named> = single
        .map(|(name, value)| (field_label(name), words(name, value)))
        .collect();
    for shown in profiles_of(tab, shared, charts) {
        let field = shown.field();
        for (index, value) in shown.profile(tab.cursor).into_iter().enumerate() {
            let value = value.map(|value| format::number(value, field.decimals));
            let name = format!("{}_{index}", label(field.name()));
            named.push((name, value.unwrap_or_else(|| "–".to_owned())));
        }
    }
    named
}

/// The first numeric fields of a fix that belong to no profile, as the record has them:
/// "air_temp -29.19 \u{b0}C, battery_voltage 13.71 V"; empty without any.
pub(crate) fn first(track: &Track, fix: usize) -> String {
    let fields = track.fields();
    let profiles = profiles(fields.columns().map(|column| column.name()));
    let is_part = |name: &str| {
        let prefix = name.rsplit_once('_').map(|(prefix, _)| prefix);
        profiles.iter().any(|(profile, _)| Some(*profile) == prefix)
    };
    let numbers = fields
        .of_fix(fix)
        .filter(|(name, value)| value.number().is_some() && !is_part(name));
    let words =
        numbers.map(|(name, value)| format!("{} {}", field_label(name), words(name, value)));
    words.take(FIRST).collect::<Vec<_>>().join(", ")
}

/// A value with the unit of a well-known field.
fn words(name: &str, value: FieldValue<'_>) -> String {
    match value {
        FieldValue::Null => "–".to_owned(),
        FieldValue::Truth(is) => is.to_string(),
        FieldValue::Number(number) => {
            let unit = format::unit_of_field(name);
            // As the service sends it, unless that is very long.
            let text = match (number + 0.0).to_string() {
                long if long.len() > 12 => format::number(number, 4),
                text => text,
            };
            format!("{text} {unit}").trim_end().to_owned()
        }
        FieldValue::Digits(text) | FieldValue::Text(text) => {
            text::clean(&text::excerpt(text, TEXT)).into_owned()
        }
    }
}
