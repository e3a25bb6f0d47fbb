//! The position of the own ship by gpsd: lost and found again without a message, since
//! only the retrieval card shows it.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

use crate::dashboard::event::Event;
use crate::geo::Position;
use crate::text;
use crate::track::forecast::Ship;

/// Wait before a lost connection is opened again.
const AGAIN: Duration = Duration::from_secs(5);
/// gpsd reports each second: after this time without a line it is gone.
const SILENCE: Duration = Duration::from_secs(15);
/// A ship is shown at most this often.
const EVERY: Duration = Duration::from_secs(2);
/// The longest line that is read, bytes. The longest of gpsd, about satellites, has
/// about 10 kB.
const LONGEST: u64 = 1 << 16;
/// Below this speed, m/s, a ship is on station: its speed says nothing about its
/// passage.
const ON_STATION_M_S: f64 = 0.5;

/// Follows a gpsd until the program ends.
pub(super) async fn follow(address: String, send: impl Fn(Event)) {
    loop {
        let why = listen(&address, &send).await;
        send(Event::OwnShip(Err(why)));
        sleep(AGAIN).await;
    }
}

/// Sends the reports of a gpsd; returns why it stopped.
async fn listen(address: &str, send: &impl Fn(Event)) -> String {
    let mut stream = match timeout(SILENCE, TcpStream::connect(address)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return format!("gpsd at {address} cannot be reached: {error}"),
        Err(_) => return format!("gpsd at {address} does not answer"),
    };
    let watch = b"?WATCH={\"enable\":true,\"json\":true};\n";
    if let Err(error) = stream.write_all(watch).await {
        return format!("gpsd at {address} has gone: {error}");
    }
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    let mut sent: Option<Instant> = None;
    loop {
        line.clear();
        let mut bounded = (&mut reader).take(LONGEST);
        match timeout(SILENCE, bounded.read_until(b'\n', &mut line)).await {
            Ok(Ok(0)) => return format!("gpsd at {address} has ended"),
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return format!("gpsd at {address} has gone: {error}"),
            Err(_) => return format!("gpsd at {address} is silent"),
        }
        let Some(report) = Report::parse(&line) else {
            let shown = text::excerpt(&String::from_utf8_lossy(&line), 40);
            return format!("{address} is no gpsd: {shown}");
        };
        if report.is_of_ship() && sent.is_none_or(|at| at.elapsed() >= EVERY) {
            let ship = report
                .ship()
                .map_err(|why| format!("gpsd at {address} {why}"));
            send(Event::OwnShip(ship));
            sent = Some(Instant::now());
        }
    }
}

/// A report of gpsd: a JSON object with a `class`. Its members may be missing or of any type.
struct Report(Map<String, Value>);

impl Report {
    fn parse(line: &[u8]) -> Option<Self> {
        match serde_json::from_slice(line) {
            Ok(Value::Object(members)) if members.contains_key("class") => Some(Self(members)),
            Ok(_) => None,
            // Old ones write `nan`, which no JSON has: such a report says nothing of the ship.
            Err(_) => line.starts_with(b"{\"class\"").then(|| Self(Map::new())),
        }
    }

    /// `true` if it is about time, position and velocity, or cannot be read.
    fn is_of_ship(&self) -> bool {
        (self.0.get("class")).is_none_or(|class| class.as_str() == Some("TPV"))
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_f64()
    }

    /// The ship and the time of its fix, UNIX seconds.
    ///
    /// # Errors
    /// Why it is none, after the words "gpsd".
    fn ship(&self) -> Result<(Ship, f64), &'static str> {
        if !matches!(self.0.get("mode").and_then(Value::as_u64), Some(2 | 3)) {
            return Err("has no fix");
        }
        let degrees = self.number("lat").zip(self.number("lon"));
        let known = degrees.and_then(|(latitude, longitude)| Position::new(latitude, longitude));
        let position = known.ok_or("has no position")?;
        // A receiver that has none yet.
        if position.latitude == 0.0 && position.longitude == 0.0 {
            return Err("has the position 0, 0, which is none");
        }
        let time = self.0.get("time").and_then(Value::as_str);
        let at = time
            .and_then(|at| at.parse::<Timestamp>().ok())
            .ok_or("has a position without a time")?;
        let speed = self.number("speed");
        let ship = Ship {
            position,
            speed_m_s: speed.filter(|speed| *speed >= ON_STATION_M_S),
        };
        Ok((ship, at.as_duration().as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ship(line: &str) -> Result<(Ship, f64), &'static str> {
        Report::parse(line.as_bytes()).unwrap().ship()
    }

    /// A report with these members.
    fn tpv(members: &str) -> String {
        format!("{{\"class\":\"TPV\",{members}}}\n")
    }

    const TIME: &str = r#""time":"2026-11-28T10:00:00.500Z""#;

    #[test]
    fn a_fix_in_two_or_three_dimensions_is_a_ship_at_its_time() {
        for mode in [2, 3] {
            let line = format!(r#""mode":{mode},{TIME},"lat":78.2014,"lon":15.5028,"speed":5.968"#);
            let (found, at) = ship(&tpv(&line)).unwrap();
            assert_eq!(
                (found.position.latitude, found.speed_m_s),
                (78.2014, Some(5.968))
            );
            assert_eq!(at, 1_795_860_000.5);
        }
        let on_station = format!(r#""mode":2,{TIME},"lat":78.2,"lon":0.0,"speed":0.1"#);
        assert_eq!(ship(&tpv(&on_station)).unwrap().0.speed_m_s, None);
        // A speed of another type is none.
        let odd = format!(r#""mode":3,{TIME},"lat":0.0,"lon":15.5,"speed":"5""#);
        assert_eq!(ship(&tpv(&odd)).unwrap().0.speed_m_s, None);
    }

    #[test]
    fn what_is_no_fix_is_no_ship() {
        let place = r#""lat":60.0,"lon":4.0"#;
        for (members, why) in [
            (r#""mode":1"#.to_owned(), "no fix"),
            // The last position again after the fix was lost.
            (format!(r#""mode":1,{TIME},{place}"#), "no fix"),
            (format!(r#""mode":0,{TIME},{place}"#), "no fix"),
            (format!(r#""mode":4,{TIME},{place}"#), "no fix"),
            (format!(r#""mode":-2,{TIME},{place}"#), "no fix"),
            (format!(r#""mode":"3",{TIME},{place}"#), "no fix"),
            (format!(r#""mode":null,{TIME},{place}"#), "no fix"),
            (format!("{TIME},{place}"), "no fix"),
            (
                format!(r#""mode":3,{TIME},"lat":91.0,"lon":4.0"#),
                "no position",
            ),
            (format!(r#""mode":3,{TIME},"lat":60.0"#), "no position"),
            (
                format!(r#""mode":3,{TIME},"lat":"60","lon":"4""#),
                "no position",
            ),
            (format!(r#""mode":3,{TIME},"lat":NaN,"lon":4.0"#), "no fix"),
            (format!(r#""mode":3,{TIME},"lat":nan,"lon":nan"#), "no fix"),
            (format!(r#""mode":3,{TIME},"lat":0,"lon":0"#), "0, 0"),
            (format!(r#""mode":3,{TIME},"lat":-0.0,"lon":0.0"#), "0, 0"),
            (format!(r#""mode":3,{place}"#), "without a time"),
            (format!(r#""mode":3,"time":"",{place}"#), "without a time"),
            (
                format!(r#""mode":3,"time":1795860000,{place}"#),
                "without a time",
            ),
        ] {
            let found = ship(&tpv(&members));
            assert!(
                found.is_err_and(|told| told.contains(why)),
                "{members}: {found:?}"
            );
        }
    }

    #[test]
    fn what_is_no_report_is_no_gpsd() {
        for line in [
            "220 mail.example ESMTP",
            "[]",
            "3",
            "{}",
            "$GPRMC,120000,A",
            "",
        ] {
            assert!(Report::parse(line.as_bytes()).is_none(), "{line}");
        }
        let version = Report::parse(br#"{"class":"VERSION","release":"3.25"}"#).unwrap();
        assert!(!version.is_of_ship());
    }
}
