//! Comma-separated values, quoted as RFC 4180 has it, lines ended as a shell's
//! tools expect. Numbers read back the same; a cell of
//! text never starts a formula.

use std::io::{self, Write};

use super::row::{COLUMNS, rows};
use crate::track::Track;

pub(super) fn write(track: &Track, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().from_writer(out);
    writer.write_record(COLUMNS)?;
    let optional = |value: Option<f64>| value.map_or_else(String::new, number);
    for row in rows(track) {
        writer.write_record([
            row.time,
            number(row.time_stamp),
            number(row.latitude),
            number(row.longitude),
            optional(row.distance_m),
            optional(row.speed_m_s),
            optional(row.course_deg),
            optional(row.gap_s),
            row.flag.code().to_string(),
            text(row.reason),
        ])?;
    }
    writer.flush()
}

/// The shortest decimal that reads back the same, whole numbers without a
/// point.
fn number(value: f64) -> String {
    value.to_string()
}

/// Text that no spreadsheet takes for a formula (OWASP, CSV injection).
fn text(value: &str) -> String {
    if value.starts_with(['=', '+', '-', '@', '\t', '\r', '\0']) {
        format!("'{value}")
    } else {
        value.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::tests::track;

    #[test]
    fn the_header_is_the_contracts_and_numbers_read_back_the_same() {
        let track = track(&[
            (
                1_493_025_850.0,
                76.382_598_876_953_12,
                22.868_707_656_860_35,
            ),
            (-2_147_483_647.793, -0.1, -179.999_999_999),
        ]);
        let mut out = Vec::new();
        write(&track, &mut out).unwrap();
        let mut reader = csv::Reader::from_reader(out.as_slice());
        assert_eq!(
            reader.headers().unwrap(),
            &csv::StringRecord::from(COLUMNS.to_vec())
        );
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(&rows[1][1], "1493025850");
        for (row, fix) in rows.iter().zip(track.fixes()) {
            assert_eq!(
                row[1].parse::<f64>().unwrap().to_bits(),
                fix.time_stamp.to_bits()
            );
            assert_eq!(
                row[2].parse::<f64>().unwrap().to_bits(),
                fix.position.latitude.to_bits()
            );
            assert_eq!(
                row[3].parse::<f64>().unwrap().to_bits(),
                fix.position.longitude.to_bits()
            );
        }
        assert_eq!(&rows[0][4], "");
    }

    #[test]
    fn text_never_starts_a_formula() {
        for start in ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1"] {
            assert!(text(start).starts_with('\''));
        }
        assert_eq!(text("two positions"), "two positions");
    }
}
