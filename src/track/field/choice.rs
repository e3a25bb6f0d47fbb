//! The choice of fields for a file or a request.

use std::str::FromStr;

/// A choice of fields by their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldChoice {
    /// Names, in which `*` matches any characters.
    patterns: Vec<String>,
}

/// The longest query of field names that a request gets, bytes: many a server refuses a
/// request line over 8 kB.
const LONGEST_QUERY: usize = 6000;

impl FieldChoice {
    /// The fields with these names, in which `*` matches any characters.
    pub(crate) fn new(patterns: Vec<String>) -> Self {
        Self { patterns }
    }

    /// The same, and the fields with these names.
    pub(crate) fn with(&self, names: &[String]) -> Self {
        let new = names.iter().filter(|name| !self.patterns.contains(name));
        Self::new(self.patterns.iter().chain(new).cloned().collect())
    }

    /// `true` if it has a name with `*`.
    pub(crate) fn has_patterns(&self) -> bool {
        self.patterns.iter().any(|pattern| pattern.contains('*'))
    }

    /// The names to request, with those of the `known` fields that are like a pattern.
    /// `None` requests whole records: no name is known yet, or there are too many.
    pub(crate) fn names(&self, known: &[String]) -> Option<Vec<String>> {
        if !self.has_patterns() {
            return Some(self.patterns.clone());
        }
        let plain = self.patterns.iter().filter(|name| !name.contains('*'));
        let like = known.iter().filter(|name| self.takes(name));
        let names: Vec<String> = plain.chain(like).cloned().collect();
        let length: usize = names.iter().map(|name| "&field=".len() + name.len()).sum();
        (!known.is_empty() && length <= LONGEST_QUERY).then_some(names)
    }

    /// Its text: the names with commas between them.
    pub(crate) fn text(&self) -> String {
        self.patterns.join(",")
    }

    /// `true` if it takes the field with this name.
    pub(crate) fn takes(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| is_like(pattern, name))
    }

    /// `true` if it takes no field, whatever its name.
    pub(crate) fn is_none(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The names and patterns that match none of `names`.
    pub(crate) fn without<'a, 'b, Names: Iterator<Item = &'b str>>(
        &'a self,
        names: impl Fn() -> Names,
    ) -> impl Iterator<Item = &'a str> {
        let patterns = self.patterns.iter().map(String::as_str);
        patterns.filter(move |pattern| !names().any(|name| is_like(pattern, name)))
    }
}

/// Why a text is no choice of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct FieldChoiceError(&'static str);

impl FromStr for FieldChoice {
    type Err = FieldChoiceError;

    /// A choice from names with commas between them, or `none`.
    fn from_str(typed: &str) -> Result<Self, Self::Err> {
        if typed == "none" {
            return Ok(Self {
                patterns: Vec::new(),
            });
        }
        let patterns: Vec<String> = typed
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        if patterns.is_empty() {
            return Err(FieldChoiceError("names no field; `none` writes none"));
        }
        if patterns.iter().any(|name| name == "none") {
            return Err(FieldChoiceError(
                "`none` may not be given with names: it writes no field; a field of that name is `none*`",
            ));
        }
        Ok(Self { patterns })
    }
}

/// `true` if a name matches a pattern.
fn is_like(pattern: &str, name: &str) -> bool {
    // A field may have a star in its own name.
    if pattern == name {
        return true;
    }
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    let Some(mut between) = rest.strip_suffix(last) else {
        return false;
    };
    // The first match leaves most text for the other parts.
    parts.all(|part| match between.find(part) {
        Some(at) => {
            between = between.get(at + part.len()..).unwrap_or_default();
            true
        }
        None => false,
    })
}
