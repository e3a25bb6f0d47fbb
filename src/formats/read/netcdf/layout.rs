//! Which values of the variables of a file are of which fix: the representations of
//! trajectories of the CF conventions (1.8, section 9.3).

use super::classic::{Classic, Kind, Values, Variable};
use crate::formats::read::fault::ReadError;

/// The fixes of a file.
pub(super) struct Layout {
    pub(super) fixes: usize,
    /// The dimensions of what each fix has.
    dimensions: Vec<usize>,
    /// The fixes along the last of them.
    steps: usize,
    /// The dimension of values of a trajectory, and their number.
    of_trajectory: Option<(usize, usize)>,
    /// The trajectory of each fix, where the fixes are no array of trajectories.
    trajectories: Option<Vec<usize>>,
}

/// The owner of a value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Fix,
    /// The fixes of all trajectories with this number.
    Step,
    Trajectory,
    /// All fixes.
    File,
}

impl Layout {
    /// The layout of a file whose fixes have such a latitude.
    ///
    /// # Errors
    /// If its trajectories cannot be read.
    pub(super) fn read(file: &Classic<'_>, latitude: &Variable) -> Result<Self, ReadError> {
        let length = |dimension: usize| usize::try_from(file.length(dimension)).unwrap_or(0);
        let dimensions = latitude.dimensions.clone();
        let lengths: Vec<usize> = dimensions
            .iter()
            .map(|dimension| length(*dimension))
            .collect();
        let fixes = lengths.iter().product();
        let mut layout = Self {
            fixes,
            steps: lengths.last().copied().unwrap_or_default().max(1),
            of_trajectory: None,
            trajectories: None,
            dimensions,
        };
        match layout.dimensions[..] {
            [trajectory, _] => layout.of_trajectory = Some((trajectory, length(trajectory))),
            [fixes] => layout.find_trajectories(file, fixes)?,
            _ => {}
        }
        Ok(layout)
    }

    /// Finds the trajectories of the fixes along a dimension: they follow one another, and a
    /// variable counts the fixes of each, or a variable has the trajectory of each fix.
    fn find_trajectories(&mut self, file: &Classic<'_>, fixes: usize) -> Result<(), ReadError> {
        let name = file.name(fixes);
        let numbers = |at: usize| {
            let values = file.values(&[at])?.pop();
            Ok::<_, ReadError>(match values {
                Some(Values::Numbers(numbers)) => numbers,
                _ => Vec::new(),
            })
        };
        // `as` saturates.
        let whole = |number: f64| number as usize;
        for (at, variable) in file.variables.iter().enumerate() {
            let attribute = |name: &str| variable.attributes.text(name);
            let [dimension] = variable.dimensions[..] else {
                continue;
            };
            if let Some(of) = attribute("sample_dimension")
                // Some archives name the dimension of the trajectories.
                && (of == name || of == file.name(dimension))
            {
                let counts = numbers(at)?;
                if of != name && counts.iter().sum::<f64>() != self.fixes as f64 {
                    continue;
                }
                self.of_trajectory = Some((dimension, counts.len()));
                let counts = counts.into_iter().enumerate();
                let all =
                    counts.flat_map(|(number, count)| std::iter::repeat_n(number, whole(count)));
                self.trajectories = Some(all.take(self.fixes).collect());
            } else if dimension == fixes
                && let Some(of) = attribute("instance_dimension")
                && let Some(of) = file.dimension(&of)
            {
                let count = usize::try_from(file.length(of)).unwrap_or(0);
                self.of_trajectory = Some((of, count));
                self.trajectories = Some(numbers(at)?.into_iter().map(whole).collect());
            }
        }
        Ok(())
    }

    /// The owner of each value of a variable; `None` if that is no part of a track.
    pub(super) fn place(&self, variable: &Variable) -> Option<Place> {
        let is_of = |dimensions: &[usize]| {
            // A text has a further dimension, its length.
            let of_text = variable
                .dimensions
                .split_last()
                .filter(|_| variable.kind == Kind::Text);
            variable.dimensions == dimensions
                || of_text.is_some_and(|(_, of_text)| of_text == dimensions)
        };
        let (of_trajectory, _) = self.of_trajectory.unzip();
        match self.dimensions[..] {
            ref dimensions if is_of(dimensions) => Some(Place::Fix),
            [_, step] if is_of(&[step]) => Some(Place::Step),
            _ if of_trajectory.is_some_and(|dimension| is_of(&[dimension])) => {
                Some(Place::Trajectory)
            }
            _ if is_of(&[]) => Some(Place::File),
            _ => None,
        }
    }

    /// The number of values of a variable.
    pub(super) fn count(&self, place: Place) -> usize {
        match place {
            Place::Fix => self.fixes,
            Place::Step => self.steps,
            Place::Trajectory => self.of_trajectory.map_or(0, |(_, count)| count),
            Place::File => 1,
        }
    }

    /// The index of the value of a fix.
    pub(super) fn index(&self, place: Place, fix: usize) -> Option<usize> {
        match place {
            Place::Fix => Some(fix),
            Place::Step => fix.checked_rem(self.steps),
            Place::Trajectory => self.trajectory(fix),
            Place::File => Some(0),
        }
    }

    /// The number of the trajectory of a fix, where there are several.
    pub(super) fn trajectory(&self, fix: usize) -> Option<usize> {
        match &self.trajectories {
            Some(all) => all.get(fix).copied(),
            None => self.of_trajectory.and(fix.checked_div(self.steps)),
        }
    }
}
