//! The position of the own ship by gpsd: lost and found again without a message, since
//! only the retrieval card shows it.

use std::time::Duration;

use serde::Deserialize;
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
        let report = match serde_json::from_slice::<Report>(&line) {
            Ok(report) => report,
            Err(_) => {
                let shown = text::excerpt(&String::from_utf8_lossy(&line), 40);
                return format!("what answers at {address} is no gpsd: {shown}");
            }
        };
        if report.class == "TPV" && sent.is_none_or(|at| at.elapsed() >= EVERY) {
            let ship = report.ship();
            let ship = ship.ok_or_else(|| format!("gpsd at {address} has no position"));
            send(Event::OwnShip(ship));
            sent = Some(Instant::now());
        }
    }
}

/// The members of a gpsd report about the ship.
#[derive(Debug, Deserialize)]
struct Report {
    class: String,
    /// Degrees; `None` without a position.
    lat: Option<f64>,
    lon: Option<f64>,
    /// Speed over ground, m/s.
    speed: Option<f64>,
}

impl Report {
    fn ship(&self) -> Option<Ship> {
        Some(Ship {
            position: Position::new(self.lat?, self.lon?)?,
            speed_m_s: self.speed.filter(|speed| *speed >= ON_STATION_M_S),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ship(line: &str) -> Option<Ship> {
        serde_json::from_str::<Report>(line).unwrap().ship()
    }

    #[test]
    fn a_report_with_a_position_is_a_ship_and_one_without_is_none() {
        let under_way =
            r#"{"class":"TPV","mode":3,"lat":78.2014,"lon":15.5028,"track":22.2,"speed":5.968}"#;
        let found = ship(under_way).unwrap();
        assert_eq!(
            (found.position.latitude, found.speed_m_s),
            (78.2014, Some(5.968))
        );
        let on_station = r#"{"class":"TPV","mode":2,"lat":78.2,"lon":15.5,"speed":0.1}"#;
        assert_eq!(ship(on_station).unwrap().speed_m_s, None);
        for nothing in [
            r#"{"class":"TPV","mode":1}"#,
            r#"{"class":"TPV","mode":3,"lat":91.0,"lon":15.5}"#,
            r#"{"class":"TPV","mode":3,"lat":78.2}"#,
        ] {
            assert_eq!(ship(nothing), None, "{nothing}");
        }
    }
}
