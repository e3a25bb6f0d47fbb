//! NetCDF classic as it is on disk ("The NetCDF Classic Format Specification", Unidata), in 32
//! and 64 bits. It is read here and not by the crate that writes it: that one takes memory for
//! as many items as a header says, and reads a long header from its start again and again.

use crate::formats::read::fault::ReadError;

/// A file, whose header has been read.
pub(super) struct Classic<'a> {
    bytes: &'a [u8],
    dimensions: Vec<Dimension>,
    pub(super) attributes: Attributes,
    pub(super) variables: Vec<Variable>,
    /// The number of records, and the bytes from one to the next.
    records: u64,
    record_size: u64,
}

/// A dimension; the length of that of the records is 0.
struct Dimension {
    name: String,
    length: u64,
}

pub(super) struct Variable {
    pub(super) name: String,
    /// Its dimensions by their numbers, the slowest first.
    pub(super) dimensions: Vec<usize>,
    pub(super) attributes: Attributes,
    pub(super) kind: Kind,
    begin: u64,
}

impl Variable {
    /// `true` if it is along all dimensions of another, which has some.
    pub(super) fn is_along(&self, other: &Self) -> bool {
        let mut dimensions = other.dimensions.iter();
        dimensions.len() > 0 && dimensions.all(|dimension| self.dimensions.contains(dimension))
    }
}

/// Attributes with their names.
#[derive(Default)]
pub(super) struct Attributes(Vec<(String, Values)>);

/// Values of an attribute or a variable.
pub(super) enum Values {
    Text(Vec<u8>),
    Numbers(Vec<f64>),
}

/// The types of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Byte,
    Text,
    Short,
    Int,
    Float,
    Double,
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Self::Byte | Self::Text => 1,
            Self::Short => 2,
            Self::Int | Self::Float => 4,
            Self::Double => 8,
        }
    }

    fn values(self, bytes: &[u8]) -> Values {
        fn numbers<const N: usize>(bytes: &[u8], number: fn([u8; N]) -> f64) -> Values {
            let (all, _) = bytes.as_chunks::<N>();
            Values::Numbers(all.iter().map(|bytes| number(*bytes)).collect())
        }
        match self {
            Self::Text => Values::Text(bytes.to_vec()),
            Self::Byte => numbers(bytes, |bytes| i8::from_be_bytes(bytes).into()),
            Self::Short => numbers(bytes, |bytes| i16::from_be_bytes(bytes).into()),
            Self::Int => numbers(bytes, |bytes| i32::from_be_bytes(bytes).into()),
            Self::Float => numbers(bytes, |bytes| f32::from_be_bytes(bytes).into()),
            Self::Double => numbers(bytes, f64::from_be_bytes),
        }
    }
}

impl Attributes {
    fn get(&self, name: &str) -> Option<&Values> {
        let mut all = self.0.iter();
        all.find_map(|(known, values)| (known == name).then_some(values))
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        match self.get(name)? {
            Values::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Values::Numbers(_) => None,
        }
    }

    /// The first number of an attribute.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Values::Numbers(numbers) => numbers.first().copied(),
            Values::Text(_) => None,
        }
    }
}

impl<'a> Classic<'a> {
    /// Reads the header of a file. Whatever it counts must be in the file: nothing is kept for
    /// what is not.
    ///
    /// # Errors
    /// If it is none.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let mut header = Header { bytes, place: 3 };
        let is_large = match header.take(1)? {
            [1] => false,
            [2] => true,
            _ => {
                return Err(ReadError::of_kind(
                    "a NetCDF file of another version than the classic one",
                    "`nccopy -k classic IN.nc OUT.nc` makes NetCDF classic of it",
                ));
            }
        };
        let records = header.number()?;
        let dimensions = header.list(10, |header| {
            let name = header.name()?;
            let length = header.number()?.into();
            Ok(Dimension { name, length })
        })?;
        let attributes = header.attributes()?;
        let variables = header.list(11, |header| {
            let name = header.name()?;
            let count = header.number()?;
            let number = |header: &mut Header<'_>| Ok(header.number()? as usize);
            let dimensions = header.items(count, number)?;
            let attributes = header.attributes()?;
            let kind = header.kind()?;
            // Its size follows from its dimensions.
            header.number()?;
            let begin = match is_large {
                true => u64::from(header.number()?) << 32 | u64::from(header.number()?),
                false => header.number()?.into(),
            };
            Ok(Variable {
                name,
                dimensions,
                attributes,
                kind,
                begin,
            })
        })?;
        let mut file = Self {
            bytes,
            dimensions,
            attributes,
            variables,
            records: 0,
            record_size: 0,
        };
        file.set_records(records)?;
        Ok(file)
    }

    /// Sets the number and the size of the records. A file whose writer did not know their number
    /// has as many as there is room for.
    fn set_records(&mut self, counted: u32) -> Result<(), ReadError> {
        let of_records = self.variables.iter().filter(|it| self.is_of_records(it));
        let of_records: Vec<&Variable> = of_records.collect();
        let mut size = 0u64;
        for variable in &of_records {
            let part = self.part_size(variable)?;
            // A single variable of small values has no room between its records.
            let is_only = of_records.len() == 1;
            let padded = if is_only {
                part
            } else {
                part.next_multiple_of(4)
            };
            size = size.saturating_add(padded);
        }
        let begin = of_records.iter().map(|variable| variable.begin).min();
        let room = (self.bytes.len() as u64).saturating_sub(begin.unwrap_or(0));
        self.records = match counted {
            u32::MAX => room.checked_div(size).unwrap_or(0),
            counted => counted.into(),
        };
        self.record_size = size;
        Ok(())
    }

    fn is_of_records(&self, variable: &Variable) -> bool {
        let first = variable
            .dimensions
            .first()
            .and_then(|dimension| self.dimensions.get(*dimension));
        first.is_some_and(|dimension| dimension.length == 0)
    }

    /// The bytes of a variable: of a record, if it has some.
    fn part_size(&self, variable: &Variable) -> Result<u64, ReadError> {
        let skipped = usize::from(self.is_of_records(variable));
        let mut size = variable.kind.size() as u64;
        for dimension in variable.dimensions.iter().skip(skipped) {
            let length = self.dimensions.get(*dimension).map(|known| known.length);
            let part = length.and_then(|length| size.checked_mul(length));
            size = part
                .filter(|part| *part > 0)
                .ok_or_else(|| wrong(format!("the variable '{}' has no size", variable.name)))?;
        }
        Ok(size)
    }

    pub(super) fn name(&self, dimension: usize) -> &str {
        let known = self.dimensions.get(dimension);
        known.map_or("", |dimension| dimension.name.as_str())
    }

    /// The number of the dimension with this name.
    pub(super) fn dimension(&self, name: &str) -> Option<usize> {
        self.dimensions.iter().position(|known| known.name == name)
    }

    /// The number of values along a dimension.
    pub(super) fn length(&self, dimension: usize) -> u64 {
        let known = self.dimensions.get(dimension);
        match known.map_or(0, |dimension| dimension.length) {
            0 => self.records,
            length => length,
        }
    }

    /// The values of these variables, by their numbers, in order.
    ///
    /// # Errors
    /// If the file ends before they do, or has fewer bytes than they have in all.
    pub(super) fn values(&self, variables: &[usize]) -> Result<Vec<Values>, ReadError> {
        // Variables of a damaged header may share their bytes.
        let mut left = self.bytes.len() as u64;
        let mut all = Vec::new();
        for variable in variables.iter().filter_map(|at| self.variables.get(*at)) {
            let part = self.part_size(variable)?;
            let parts = if self.is_of_records(variable) {
                self.records
            } else {
                1
            };
            let needed = part.checked_mul(parts);
            left = needed
                .and_then(|needed| left.checked_sub(needed))
                .ok_or_else(|| ends_before(&variable.name))?;
            let mut bytes = Vec::new();
            for number in 0..parts {
                let span = || {
                    let place = number
                        .checked_mul(self.record_size)?
                        .checked_add(variable.begin)?;
                    let end = usize::try_from(place.checked_add(part)?).ok()?;
                    self.bytes.get(usize::try_from(place).ok()?..end)
                };
                bytes.extend_from_slice(span().ok_or_else(|| ends_before(&variable.name))?);
            }
            all.push(variable.kind.values(&bytes));
        }
        Ok(all)
    }
}

/// The rest of a header.
struct Header<'a> {
    bytes: &'a [u8],
    place: usize,
}

impl<'a> Header<'a> {
    fn wrong(&self, what: &str) -> ReadError {
        wrong(format!("{what} at byte {} of its header", self.place))
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        let end = self.place.checked_add(count);
        let span = end
            .and_then(|end| self.bytes.get(self.place..end))
            .ok_or_else(|| self.wrong("the file ends before what is named"))?;
        self.place += count;
        Ok(span)
    }

    fn number(&mut self) -> Result<u32, ReadError> {
        let (bytes, _) = self.take(4)?.as_chunks::<4>();
        Ok(bytes.first().map_or(0, |bytes| u32::from_be_bytes(*bytes)))
    }

    /// So many bytes, which are filled up to a multiple of four.
    fn padded(&mut self, count: usize) -> Result<&'a [u8], ReadError> {
        let bytes = self.take(count)?;
        self.take(count.next_multiple_of(4) - count)?;
        Ok(bytes)
    }

    fn name(&mut self) -> Result<String, ReadError> {
        let length = self.number()? as usize;
        Ok(String::from_utf8_lossy(self.padded(length)?).into_owned())
    }

    fn kind(&mut self) -> Result<Kind, ReadError> {
        Ok(match self.number()? {
            1 => Kind::Byte,
            2 => Kind::Text,
            3 => Kind::Short,
            4 => Kind::Int,
            5 => Kind::Float,
            6 => Kind::Double,
            _ => return Err(self.wrong("an unknown type")),
        })
    }

    /// The items of a list with this tag.
    fn list<T>(
        &mut self,
        tag: u32,
        item: impl FnMut(&mut Self) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        match (self.number()?, self.number()?) {
            (0, 0) => Ok(Vec::new()),
            (found, count) if found == tag => self.items(count, item),
            _ => Err(self.wrong("another list than expected")),
        }
    }

    /// So many items: each is in the file before there is room for it.
    fn items<T>(
        &mut self,
        count: u32,
        mut item: impl FnMut(&mut Self) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        (0..count).map(|_| item(self)).collect()
    }

    fn attributes(&mut self) -> Result<Attributes, ReadError> {
        let all = self.list(12, |header| {
            let name = header.name()?;
            let kind = header.kind()?;
            let count = header.number()? as usize;
            let size = count
                .checked_mul(kind.size())
                .ok_or_else(|| header.wrong("too many values"))?;
            Ok((name, kind.values(header.padded(size)?)))
        })?;
        Ok(Attributes(all))
    }
}

fn wrong(why: String) -> ReadError {
    ReadError::Nothing(format!("it is no whole NetCDF classic file: {why}"))
}

fn ends_before(name: &str) -> ReadError {
    let name = crate::text::excerpt(name, 60);
    wrong(format!("it ends before the values of '{name}'"))
}
