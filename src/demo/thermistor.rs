//! A station on sea ice: air temperature, battery voltage, and a string of
//! thermistors from the air through snow and ice into the sea.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use super::random::Chance;

/// Thermistors of the string, the first on top.
pub(super) const THERMISTORS: u32 = 80;

const DAY: f64 = 86_400.0;
/// Distance of two thermistors, metres.
const SPACING_M: f64 = 0.04;
/// Height of the first above the ice, and depth of the snow, metres.
const ABOVE_ICE_M: f64 = 0.7;
const SNOW_M: f64 = 0.1;
/// Thickness of the ice at the start, metres.
const FIRST_THICKNESS_M: f64 = 0.75;
/// Temperature at which the sea freezes, degrees Celsius.
const FREEZING_C: f64 = -1.75;
/// Conductivity of ice and of snow, W/(m K).
const ICE_CONDUCTS: f64 = 2.1;
const SNOW_CONDUCTS: f64 = 0.3;
/// Heat that freezes a cubic metre of ice, J: 917 kg of 334 kJ.
const HEAT_OF_ICE: f64 = 917.0 * 334e3;
/// The resolution of a thermistor, degrees Celsius.
const STEP_C: f64 = 0.0625;
/// Mean temperature of the air, degrees Celsius.
const MEAN_AIR_C: f64 = -24.0;

/// A station on sea ice. Times are seconds from the simulation's midnight.
#[derive(Debug, Clone)]
pub(super) struct IceStation {
    /// Its random numbers.
    pub(super) chance: Chance,
    /// When it was installed.
    pub(super) installed: f64,
}

impl IceStation {
    /// The members of the `number`-th report, sent at a time: JSON that follows
    /// other members.
    pub(super) fn members(&self, number: i64, time: f64) -> String {
        let daily = self.weather(time) + 2.0 * (TAU * time / DAY).sin();
        let air = daily + 0.3 * self.chance.bell(40, number);
        let days = (time - self.installed) / DAY;
        // A cold battery has a lower voltage.
        let mean_voltage = 14.3 - 0.013 * days + 0.012 * (air - MEAN_AIR_C);
        let battery = mean_voltage + 0.01 * self.chance.bell(41, number);
        let mut members = format!(",\"air_temp\":{air:.2},\"battery_voltage\":{battery:.2}");
        for sensor in 0..THERMISTORS {
            let noise = 0.04 * self.chance.bell(50 + u64::from(sensor), number);
            let exact = self.temperature(time, air, f64::from(sensor) * SPACING_M) + noise;
            let read = (exact / STEP_C).round() * STEP_C;
            // Writing to a String cannot fail.
            let _ = write!(members, ",\"dtc_values_{sensor}\":{read}");
        }
        members
    }

    /// The temperature of the air without that of the day, degrees Celsius.
    fn weather(&self, time: f64) -> f64 {
        let wave = |period: f64, about: u64| {
            let phase = TAU * self.chance.unit(about, 0);
            (TAU * time / (period * DAY) + phase).sin()
        };
        MEAN_AIR_C + 5.0 * wave(9.0, 42) + 2.5 * wave(4.3, 43)
    }

    /// The thickness of the ice in metres, which grows by the heat that goes up
    /// through ice and snow (Stefan's law; Leppäranta, Atmosphere-Ocean 31,
    /// 1993).
    pub(super) fn thickness_m(&self, time: f64) -> f64 {
        let snow = SNOW_M * ICE_CONDUCTS / SNOW_CONDUCTS;
        let rate = 2.0 * ICE_CONDUCTS * (FREEZING_C - MEAN_AIR_C) / HEAT_OF_ICE;
        let passed = (time - self.installed).max(0.0);
        ((FIRST_THICKNESS_M + snow).powi(2) + rate * passed).sqrt() - snow
    }

    /// The temperature at a distance below the first thermistor, degrees
    /// Celsius: the heat that goes up is the same in snow and in ice.
    fn temperature(&self, time: f64, air: f64, below_m: f64) -> f64 {
        let thickness = self.thickness_m(time);
        // Snow keeps the ice from the changes of a day.
        let surface = self.weather(time);
        let snow = SNOW_M / SNOW_CONDUCTS;
        let ice = thickness / ICE_CONDUCTS;
        let between = (surface * ice + FREEZING_C * snow) / (ice + snow);
        let depth = below_m - ABOVE_ICE_M;
        if depth < -SNOW_M {
            air
        } else if depth < 0.0 {
            between + (surface - between) * -depth / SNOW_M
        } else if depth < thickness {
            between + (FREEZING_C - between) * depth / thickness
        } else {
            FREEZING_C
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ice_grows_downwards_and_the_string_goes_from_air_to_sea() {
        let station = IceStation {
            chance: Chance::new(7, "buoy"),
            installed: 0.0,
        };
        let read = |day: f64| -> Vec<f64> {
            let members = station.members(1, day * DAY);
            let json = format!("{{{}}}", members.trim_start_matches(','));
            let json: serde_json::Value = serde_json::from_str(&json).unwrap();
            (0..THERMISTORS)
                .map(|place| json[format!("dtc_values_{place}")].as_f64().unwrap())
                .collect()
        };
        // How many thermistors are in the sea.
        let wet = |string: &[f64]| {
            let wet = string.iter().rev();
            wet.take_while(|one| (**one - FREEZING_C).abs() < 0.2)
                .count()
        };
        let (first, last) = (read(0.0), read(42.0));
        assert!(wet(&first) > wet(&last) + 5, "{first:?} {last:?}");
        assert!(wet(&last) > 20);
        for string in [first, last] {
            assert!(string[0] < -10.0 && string.len() == 80);
            // Warmer downwards through snow and ice, up to noise.
            let ice = &string[18..];
            assert!(
                ice.windows(2).all(|two| two[1] > two[0] - 0.3),
                "{string:?}"
            );
        }
        let grown = station.thickness_m(42.0 * DAY) - station.thickness_m(0.0);
        assert!((0.2..0.6).contains(&grown), "{grown}");
    }
}
