//! Which values of the variables of a file are of which fix: the representations of
//! trajectories of the CF conventions (1.8, section 9.3).

use super::classic::{Classic, Kind, Values, Variable};
use crate::formats::read::fault::ReadError;
use crate::formats::read::names::is_same;
use crate::text;

/// The fixes of a file.
pub(super) struct Layout {
    pub(super) fixes: usize,
    /// The dimensions of what each fix has: more than one in an array of trajectories.
    pub(super) dimensions: Vec<usize>,
    /// Dimensions of the coordinates of each fix, as many as there are fixes: OceanSITES has one
    /// for each of `TIME`, `LATITUDE`, `LONGITUDE` and `POSITION`.
    same: Vec<usize>,
    /// Dimensions of a single coordinate, such as the latitude of a mooring.
    single: Vec<usize>,
    /// The fixes along that of the fixes of one trajectory.
    steps: usize,
    /// `true` if the last of them is that of the trajectories: each is a column.
    are_columns: bool,
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
    /// The layout of a file whose fixes have such a time, latitude and longitude: they are along the
    /// dimensions of the latitude if the time is, else along those of the time.
    ///
    /// # Errors
    /// If it is not known which belong together, or its trajectories cannot be read.
    pub(super) fn read(file: &Classic<'_>, needed: [&Variable; 3]) -> Result<Self, ReadError> {
        let [time, latitude, longitude] = needed;
        let length = |dimension: usize| usize::try_from(file.length(dimension)).unwrap_or(0);
        let is_along = latitude.is_along(time);
        let dimensions = if is_along { latitude } else { time }.dimensions.clone();
        let lengths: Vec<usize> = dimensions
            .iter()
            .map(|dimension| length(*dimension))
            .collect();
        let fixes = lengths.iter().product();
        let mut layout = Self {
            fixes,
            steps: lengths.last().copied().unwrap_or_default().max(1),
            are_columns: false,
            of_trajectory: None,
            trajectories: None,
            same: Vec::new(),
            single: Vec::new(),
            dimensions,
        };
        layout.find_coordinates(file, [latitude, longitude]);
        match layout.dimensions[..] {
            [first, second] => {
                layout.are_columns = are_columns(file, [first, second], time);
                let [trajectory, step] = layout.sorted([first, second]);
                layout.of_trajectory = Some((trajectory, length(trajectory)));
                layout.steps = length(step).max(1);
            }
            [fixes] => layout.find_trajectories(file, fixes)?,
            _ => {}
        }
        for variable in needed {
            let is_placed = match layout.place(variable) {
                Some(Place::Fix | Place::File) => true,
                Some(place) => is_along || layout.count(place) == 1,
                None => false,
            };
            if !is_placed {
                let lengths = variable.dimensions.iter().map(|it| length(*it));
                return Err(ReadError::Nothing(format!(
                    "'{}' has {} along other dimensions than the {}: one for each is expected, or \
                     one for all",
                    text::excerpt(&variable.name, 40),
                    text::counted(lengths.product(), "value", "values"),
                    text::counted(layout.fixes, "time", "times"),
                )));
            }
        }
        Ok(layout)
    }

    /// Two dimensions of the fixes, that of the trajectories first.
    fn sorted(&self, [first, second]: [usize; 2]) -> [usize; 2] {
        match self.are_columns {
            true => [second, first],
            false => [first, second],
        }
    }

    /// Finds the dimensions of a position that stand for those of the fixes. The axes of a grid do
    /// not, however many values they have.
    fn find_coordinates(&mut self, file: &Classic<'_>, position: [&Variable; 2]) {
        let is_long = |dimension: &usize, length: usize| {
            !self.dimensions.contains(dimension) && file.length(*dimension) == length as u64
        };
        let all = position
            .iter()
            .flat_map(|known| known.dimensions.iter().copied());
        self.single = all.filter(|dimension| is_long(dimension, 1)).collect();
        let [fixes] = self.dimensions[..] else {
            return;
        };
        let is_own =
            |known: &&&Variable| file.dimension(&known.name) == known.dimensions.first().copied();
        let own = position.iter().filter(is_own);
        let own = own.flat_map(|known| known.dimensions.iter().copied());
        let all = own.chain(file.dimension("POSITION"));
        let same: Vec<usize> = all
            .filter(|dimension| is_long(dimension, self.fixes))
            .collect();
        let is_axis = |dimension: &&usize| **dimension == fixes || same.contains(*dimension);
        let is_grid = |known: &Variable| known.dimensions.iter().filter(is_axis).count() > 1;
        if !file.variables.iter().any(is_grid) {
            self.same = same;
        }
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
            // Some archives name the dimension of the trajectories, or none.
            let is_count = is_same(&variable.name, "rowsize") && dimension != fixes;
            let own = is_count.then(|| file.name(dimension).to_owned());
            if let Some(of) = attribute("sample_dimension").or(own)
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
        let own = self.place_along(&variable.dimensions, variable.kind);
        own.or_else(|| {
            let several = variable
                .dimensions
                .iter()
                .filter(|it| !self.single.contains(it));
            let of_fixes = several.map(|it| match self.dimensions[..] {
                [fixes] if self.same.contains(it) => fixes,
                _ => *it,
            });
            self.place_along(&of_fixes.collect::<Vec<_>>(), variable.kind)
        })
    }

    /// The owner of each value of a variable along these dimensions.
    fn place_along(&self, along: &[usize], kind: Kind) -> Option<Place> {
        let is_of = |dimensions: &[usize]| {
            // A text has a further dimension, its length.
            let of_text = along.split_last().filter(|_| kind == Kind::Text);
            along == dimensions || of_text.is_some_and(|(_, of_text)| of_text == dimensions)
        };
        let (of_trajectory, _) = self.of_trajectory.unzip();
        match self.dimensions[..] {
            ref dimensions if is_of(dimensions) => Some(Place::Fix),
            [first, second] if is_of(&self.sorted([first, second])[1..]) => Some(Place::Step),
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
            Place::Step if self.are_columns => fix.checked_div(self.count(Place::Trajectory)),
            Place::Step => fix.checked_rem(self.steps),
            Place::Trajectory => self.trajectory(fix),
            Place::File => Some(0),
        }
    }

    /// The number of the trajectory of a fix, if there are several.
    pub(super) fn trajectory(&self, fix: usize) -> Option<usize> {
        match &self.trajectories {
            Some(all) => all.get(fix).copied(),
            None if self.are_columns => fix.checked_rem(self.count(Place::Trajectory)),
            None => self.of_trajectory.and(fix.checked_div(self.steps)),
        }
    }
}

/// `true` if the trajectories of fixes along two dimensions are along the second: that of their
/// ids, and not that of a time for all of them, or one that is named as the fixes are.
fn are_columns(file: &Classic<'_>, [first, second]: [usize; 2], time: &Variable) -> bool {
    let is_id =
        |known: &&Variable| known.attributes.text("cf_role").as_deref() == Some("trajectory_id");
    let id = file.variables.iter().find(is_id);
    let of_id = id.and_then(|known| known.dimensions.first());
    let is_step = |dimension: usize| {
        let names = ["time", "obs", "observation", "sample"];
        names.iter().any(|name| is_same(name, file.name(dimension)))
    };
    match (of_id, &time.dimensions[..]) {
        (Some(of_id), _) if [first, second].contains(of_id) => *of_id == second,
        (_, [of_all]) => *of_all == first,
        _ => is_step(first) && !is_step(second),
    }
}
