//! The deployments that a service lists, and the search in them.

use crate::geo::Position;
use crate::geo::circle::WatchCircle;
use crate::text;
use crate::track::time;

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

/// A search in a list of deployments.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    /// A part of the id or the label.
    pub text: String,
    /// The circle of the last fix.
    pub near: Option<WatchCircle>,
    /// The time that the last fix is after, UNIX seconds.
    pub since: Option<f64>,
}

impl Wanted {
    /// Reads a search such as `petrel age<7d near:55.5,16.3,50km`.
    ///
    /// # Errors
    /// A description of the fault in a word.
    pub(crate) fn parse(typed: &str, now: f64) -> Result<Self, String> {
        let mut wanted = Self::default();
        let mut words = Vec::new();
        for word in typed.split_whitespace() {
            if let Some(age) = word.strip_prefix("age<") {
                let age = time::parse_duration(age).map_err(|error| error.to_string())?;
                wanted.since = Some(now - age);
            } else if let Some(circle) = word.strip_prefix("near:") {
                let circle = circle.parse();
                let fault = |_| "near: takes LAT,LON,RADIUS, such as 57.92,-2.11,50km".to_owned();
                wanted.near = Some(circle.map_err(fault)?);
            } else {
                words.push(word);
            }
        }
        wanted.text = words.join(" ");
        Ok(wanted)
    }

    /// The indices in a list of the deployments found: the nearest first in a search near a
    /// position, else by name.
    pub(crate) fn found(&self, all: &[ListedDeployment]) -> Vec<usize> {
        let text = self.text.to_lowercase();
        let mut found: Vec<(usize, &ListedDeployment)> = all.iter().enumerate().collect();
        found.retain(|(_, listed)| self.has(listed, &text));
        found.sort_by_cached_key(|(_, listed)| text::natural_key(&listed.name().to_lowercase()));
        if self.near.is_some() {
            let distance = |listed| self.distance_m(listed).unwrap_or(f64::INFINITY);
            found.sort_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
        }
        found.into_iter().map(|(index, _)| index).collect()
    }

    /// The distance of a last fix from the position of the search, metres.
    pub(crate) fn distance_m(&self, listed: &ListedDeployment) -> Option<f64> {
        Some(self.near?.distance_m(listed.position?))
    }

    /// `true` if a deployment matches; `text` is the searched text in lower case.
    fn has(&self, listed: &ListedDeployment, text: &str) -> bool {
        let is_near = |circle: WatchCircle| {
            let distance = self.distance_m(listed);
            distance.is_some_and(|distance| distance <= circle.radius_m)
        };
        let is_new = |since| listed.time_stamp.is_some_and(|time| time >= since);
        [listed.id.as_str(), listed.name()]
            .iter()
            .any(|name| name.to_lowercase().contains(text))
            && self.near.is_none_or(is_near)
            && self.since.is_none_or(is_new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(id: &str, label: Option<&str>, hours: f64, latitude: f64) -> ListedDeployment {
        ListedDeployment {
            id: id.to_owned(),
            label: label.map(str::to_owned),
            time_stamp: Some(1_790_000_000.0 - 3600.0 * hours),
            position: Some(Position {
                latitude,
                longitude: 16.0,
            }),
        }
    }

    fn found(typed: &str) -> Vec<usize> {
        let all = [
            listed("b10", Some("Snow petrel"), 1.0, 55.0),
            listed("b9", None, 100.0, 55.2),
            listed("b2", None, 2.0, 55.1),
            ListedDeployment {
                id: "unheard".to_owned(),
                ..ListedDeployment::default()
            },
        ];
        let wanted = Wanted::parse(typed, 1_790_000_000.0).unwrap();
        wanted.found(&all)
    }

    #[test]
    fn a_list_is_searched_by_name_by_age_and_near_a_position() {
        assert_eq!(found(""), [2, 1, 0, 3]);
        assert_eq!(found("snow  PETREL"), [0]);
        assert_eq!(found("B1"), [0]);
        assert_eq!(found("age<1d"), [2, 0]);
        assert_eq!(found("near:55.2,16,20km"), [1, 2]);
        assert_eq!(found("near:55,16,20km age<90min b"), [0]);
    }

    #[test]
    fn the_fault_in_a_word_is_said() {
        let fault = |typed| Wanted::parse(typed, 0.0).unwrap_err();
        assert!(fault("age<soon").contains("soon"));
        assert!(fault("petrel near:55").contains("LAT,LON,RADIUS"));
    }
}
