//! Names that are given once each.

use std::collections::HashMap;

/// Names that are given once each: one that is taken gets a number.
#[derive(Debug, Default)]
pub(crate) struct FreeNames {
    /// The names that are taken, each with the number that is tried next for it.
    // A number is tried once for a name, so that thousands of columns of one name cost as much as
    // they are.
    taken: HashMap<String, u64>,
}

impl FreeNames {
    /// The name itself if it is free, else the first free one with a number from 2 on after
    /// `between`; it is taken from now on.
    pub(crate) fn take(&mut self, name: &str, between: &str) -> String {
        let Some(next) = self.taken.get(name) else {
            self.taken.insert(name.to_owned(), 2);
            return name.to_owned();
        };
        let mut number = *next;
        let mut free = format!("{name}{between}{number}");
        while self.taken.contains_key(&free) {
            number += 1;
            free = format!("{name}{between}{number}");
        }
        self.taken.insert(name.to_owned(), number + 1);
        self.taken.insert(free.clone(), 2);
        free
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_that_is_taken_gets_the_first_free_number() {
        let mut names = FreeNames::default();
        let taken = ["a", "a 3", "a", "a", "a 2", ""].map(|name| names.take(name, " "));
        assert_eq!(taken, ["a", "a 3", "a 2", "a 4", "a 2 2", ""]);
    }

    proptest! {
        #[test]
        fn each_name_is_given_once(all in prop::collection::vec("[ab]( [23]){0,2}", 0..60)) {
            let mut names = FreeNames::default();
            let given: Vec<String> = all.iter().map(|name| names.take(name, " ")).collect();
            let different: HashSet<&String> = given.iter().collect();
            prop_assert_eq!(different.len(), all.len());
            // The first of each name keeps it, unless another was given it.
            let taken: HashSet<&str> = all.iter().map(String::as_str).collect();
            prop_assert!(taken.iter().all(|name| different.contains(&(*name).to_owned())));
        }
    }

    #[test]
    fn the_work_grows_with_the_names_whatever_they_are() {
        // Steps beyond the first of each name: all equal, and those that equal ones would get.
        let steps = |all: &[String]| {
            let mut names = FreeNames::default();
            all.iter().for_each(|name| drop(names.take(name, " ")));
            names.taken.values().sum::<u64>()
        };
        let worst = |count: usize| {
            let numbered = (2..count / 2).map(|number| format!("a {number}"));
            let equal = std::iter::repeat_n("a".to_owned(), count - count / 2);
            numbered.chain(equal).collect::<Vec<_>>()
        };
        let (some, many) = (steps(&worst(400)), steps(&worst(4000)));
        assert!(many < 12 * some, "{some} {many}");
    }
}
