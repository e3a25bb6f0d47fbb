//! The formats of the files that the dashboard writes.

use strum::VariantArray;

use crate::formats::Format;
use crate::formats::image::ImageFormat;

/// A format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileFormat {
    /// Of the fixes of a track.
    Track(Format),
    /// Of the map of a track.
    Map(ImageFormat),
}

impl FileFormat {
    /// The formats that this build writes, the pictures last.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let built = Format::VARIANTS.iter().filter(|format| format.is_built());
        let pictures = [ImageFormat::Svg, ImageFormat::Png].map(Self::Map);
        built.map(|format| Self::Track(*format)).chain(pictures)
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Track(format) => format.name(),
            Self::Map(ImageFormat::Svg) => "svg",
            Self::Map(ImageFormat::Png) => "png",
        }
    }

    /// The extension of its file names.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Track(format) => format.extension(),
            Self::Map(_) => self.name(),
        }
    }
}
