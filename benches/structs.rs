//! The minimum work on a response: parses standard input into structs with
//! serde_json. `benches/peers.py` compares the program with it.

use std::io::Read;

#[derive(serde::Deserialize)]
struct Record {
    time_stamp: f64,
    latitude: f64,
    longitude: f64,
}

fn main() -> std::io::Result<()> {
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body)?;
    let records: Vec<Record> = serde_json::from_slice(&body)?;
    let sum: f64 = records
        .iter()
        .map(|record| record.time_stamp + record.latitude + record.longitude)
        .sum();
    assert!(sum.is_finite());
    Ok(())
}
