//! The deployments that a service lists, and the search in them.

use crate::geo::Position;
use crate::text;

/// A deployment that a service lists.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ListedDeployment {
    /// Its id at the service.
    pub id: String,
    /// Its name for people.
    pub label: Option<String>,
    /// The time of its last fix, UNIX seconds.
    pub time_stamp: Option<f64>,
    /// The position of its last fix.
    pub position: Option<Position>,
}

impl ListedDeployment {
    /// Its name for people, else its id.
    pub(crate) fn name(&self) -> &str {
        self.label.as_ref().unwrap_or(&self.id)
    }
}

/// The deployments that a service lists.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DeploymentList {
    pub deployments: Vec<ListedDeployment>,
    /// The number of records without an id that can be used.
    pub without_id: usize,
}

impl DeploymentList {
    /// Adds another page of the list.
    pub(crate) fn append(&mut self, page: Self) {
        self.deployments.extend(page.deployments);
        self.without_id += page.without_id;
    }

    /// The sentence about the records that are left out, if there are any.
    pub(crate) fn note(&self) -> Option<String> {
        let left_out = text::counted(self.without_id, "record", "records");
        (self.without_id > 0)
            .then(|| format!("{left_out} of the list left out, without a usable id"))
    }
}

/// The indices in a list of the deployments with a text in their id or label, by name.
pub(crate) fn found(all: &[ListedDeployment], text: &str) -> Vec<usize> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let sought = words.join(" ").to_lowercase();
    let has = |listed: &ListedDeployment| {
        let names = [listed.id.as_str(), listed.name()];
        names
            .iter()
            .any(|name| name.to_lowercase().contains(&sought))
    };
    let mut found: Vec<(usize, &ListedDeployment)> = all.iter().enumerate().collect();
    found.retain(|(_, listed)| has(listed));
    found.sort_by_cached_key(|(_, listed)| text::natural_key(&listed.name().to_lowercase()));
    found.into_iter().map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_searched_by_name() {
        let listed = |id: &str, label: Option<&str>| ListedDeployment {
            id: id.to_owned(),
            label: label.map(str::to_owned),
            ..ListedDeployment::default()
        };
        let all = [
            listed("b10", Some("Snow petrel")),
            listed("b9", None),
            listed("b2", None),
        ];
        assert_eq!(found(&all, ""), [2, 1, 0]);
        assert_eq!(found(&all, "snow  PETREL"), [0]);
        assert_eq!(found(&all, "B1"), [0]);
    }
}
