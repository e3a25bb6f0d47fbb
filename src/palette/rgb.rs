//! A colour in figures, and how well it can be read on another.

/// The contrast of text that is easy to read (WCAG 2.1, success criterion
/// 1.4.3).
pub(crate) const READABLE: f64 = 4.5;

/// A colour as red, green and blue, 0 to 255 each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Black.
    pub(crate) const BLACK: Self = Self(0, 0, 0);
    /// White.
    pub(crate) const WHITE: Self = Self(255, 255, 255);

    /// The relative luminance, 0 to 1 (WCAG 2.1).
    pub(crate) fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// The contrast with another colour, 1 to 21 (WCAG 2.1).
    pub(crate) fn contrast(self, other: Self) -> f64 {
        contrast_ratio(self.luminance(), other.luminance())
    }

    /// `true` if black is easier to read on it than white.
    pub(crate) fn is_light(self) -> bool {
        self.contrast(Self::BLACK) > self.contrast(Self::WHITE)
    }

    /// The colour at a fraction of the way to another, 0 to 1.
    pub(crate) fn mixed(self, other: Self, part: f64) -> Self {
        let mix = |from: u8, to: u8| {
            let value = f64::from(from) + (f64::from(to) - f64::from(from)) * part.clamp(0.0, 1.0);
            // Between two bytes.
            value.round() as u8
        };
        Self(
            mix(self.0, other.0),
            mix(self.1, other.1),
            mix(self.2, other.2),
        )
    }

    /// The colour, mixed with black or white until it has this contrast on a
    /// ground, as far as that is possible.
    pub(crate) fn readable_on(self, ground: Self, contrast: f64) -> Self {
        let end = if ground.is_light() {
            Self::BLACK
        } else {
            Self::WHITE
        };
        (0..=20)
            .map(|step| self.mixed(end, f64::from(step) / 20.0))
            .find(|mixed| mixed.contrast(ground) >= contrast)
            .unwrap_or(end)
    }
}

/// The contrast of two luminances.
pub(super) fn contrast_ratio(a: f64, b: f64) -> f64 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_is_that_of_the_standard() {
        let close = |one: f64, two: f64| (one - two).abs() < 0.01;
        assert!(close(Rgb::BLACK.contrast(Rgb::WHITE), 21.0));
        // The figure that WCAG's explanation gives for #777 on white.
        assert!(close(Rgb(0x77, 0x77, 0x77).contrast(Rgb::WHITE), 4.48));
        assert!(!Rgb(0, 0x2b, 0x36).is_light() && Rgb(0xfd, 0xf6, 0xe3).is_light());
    }
}
