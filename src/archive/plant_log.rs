//! The plant log: a line is written before its request is sent, and completed with the
//! outcome.

use super::Archive;
use super::connection::Connection;
use super::sql::{Result, params};
use crate::plant::log::{Entry, Operation, Outcome, PlantService, Reply, WrittenEntry};
use crate::plant::state;

/// How long a claim on a server is valid without being renewed, seconds.
const CLAIM_S: f64 = 30.0;

/// How often such a claim is renewed, seconds.
pub(crate) const RENEW_CLAIM_S: u64 = 10;

/// The condition on which a line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BeginIf {
    /// The plant is not known to exist, and no outcome of its requests is unknown.
    Free,
    /// The last line of the plant has this number: no request about it has ended since.
    LastLine(i64),
    /// No request for the plant is being sent, and no outcome of one is unknown.
    NotOpen,
}

impl Archive {
    /// Writes the line of a request to be sent; returns it with its number. It is on the disk
    /// when this returns. The other programs see it as being sent while the result lives.
    ///
    /// # Errors
    /// When it cannot be written; nothing may be sent then.
    pub(crate) fn begin(&mut self, entry: &Entry) -> Result<WrittenEntry> {
        let claim = self.connection.claim(&entry.sender)?;
        WrittenEntry::write(entry.clone(), claim, |entry| {
            self.writing(|transaction| insert(transaction, entry))
        })
    }

    /// As [`Archive::begin`], on a condition: if it is not met, nothing is written and the
    /// result is `None`. Of two programs that call this at once, one gets `None`.
    ///
    /// # Errors
    /// As [`Archive::begin`].
    pub(crate) fn begin_if(
        &mut self,
        entry: &Entry,
        condition: BeginIf,
    ) -> Result<Option<WrittenEntry>> {
        let claim = self.connection.claim(&entry.sender)?;
        self.writing(|transaction| {
            let known = lines(transaction, entry.at, Some(&entry.id))?;
            let plant = state::plant(&known, &entry.service, &entry.id);
            let is_met = match condition {
                BeginIf::Free => plant.is_none_or(|plant| plant.state.is_free()),
                BeginIf::LastLine(line) => plant.map_or(0, |plant| plant.last_line(&known)) == line,
                BeginIf::NotOpen => plant.is_none_or(|plant| !plant.state.is_open()),
            };
            is_met.then(|| insert(transaction, entry)).transpose()
        })?
        .map(|sequence| WrittenEntry::write(entry.clone(), claim, |_| Ok(sequence)))
        .transpose()
    }

    /// Extends the claim of a request that is still being sent, on a server.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn renew_claim(&mut self, entry: &Entry) -> Result<()> {
        let renew = format!(
            "UPDATE plant_log SET claimed_until = {} + {CLAIM_S} WHERE sequence = ?2 AND sender = ?3",
            self.connection.dialect().claim_time
        );
        let values = params![entry.at, entry.sequence, entry.sender.to_string()];
        self.connection.execute(&renew, values).map(drop)
    }

    /// Completes a line with its reply.
    ///
    /// # Errors
    /// When it cannot be written; the line then reads as unknown.
    // If it is missing, because the archive was replaced meanwhile, it is added again: the line
    // that now has its number is of another request.
    pub(crate) fn complete(&mut self, entry: &Entry) -> Result<()> {
        self.writing(|transaction| {
            let mut sequence = entry.sequence;
            let reply = &entry.reply;
            loop {
                let changed = transaction.execute(
                    "UPDATE plant_log SET outcome = ?3, status = ?4, error = ?5, message = ?6,
                     body = ?7, note = ?8 WHERE sequence = ?1 AND sender = ?2",
                    params![
                        sequence,
                        entry.sender.to_string(),
                        reply.outcome.to_string(),
                        reply.status.map(i64::from),
                        reply.error,
                        reply.message,
                        reply.body.map(|body| body.to_string()),
                        reply.note,
                    ],
                )?;
                if changed > 0 {
                    return Ok(());
                }
                sequence = insert(transaction, entry)?;
            }
        })
    }

    /// Takes back the line of a request that was not sent after all.
    ///
    /// # Errors
    /// When it cannot be written; the line then reads as unknown.
    pub(crate) fn withdraw(&mut self, entry: &Entry) -> Result<()> {
        self.writing(|transaction| {
            let values = params![entry.sequence, entry.sender.to_string()];
            let delete = "DELETE FROM plant_log WHERE sequence = ?1 AND sender = ?2";
            transaction.execute(delete, values).map(drop)
        })
    }

    /// Records what a person found out about a plant, whose last line has this number;
    /// returns whether it was done: not if a request about the plant has ended since.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn record_finding(&mut self, finding: &Entry, last_line: i64) -> Result<bool> {
        let written = self.begin_if(finding, BeginIf::LastLine(last_line))?;
        Ok(written.is_some())
    }

    /// All lines, oldest first. One that is being sent by a program that has ended is unknown.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn plant_log(&self, now: f64) -> Result<Vec<Entry>> {
        lines(&self.connection, now, None)
    }

    /// As [`Archive::plant_log`], for the plants with an id.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(crate) fn plant_lines(&self, plant: &str, now: f64) -> Result<Vec<Entry>> {
        lines(&self.connection, now, Some(plant))
    }
}

/// Writes a line with its outcome, and a claim as if it were sent.
fn insert(connection: &Connection, entry: &Entry) -> Result<i64> {
    end_dead_claims(connection, entry.at)?;
    connection.row(
        &format!(
            "INSERT INTO plant_log (at, operation, plant, name, tag, base, sandbox, address,
                 outcome, sender, claimed_until)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, {} + {CLAIM_S}) RETURNING sequence",
            connection.dialect().claim_time
        ),
        params![
            entry.at,
            entry.operation.to_string(),
            entry.id,
            entry.name,
            entry.tag,
            entry.service.base,
            entry.service.sandbox,
            entry.address,
            entry.outcome().to_string(),
            entry.sender.to_string(),
        ],
        |row| row.get(0),
    )
}

/// Completes the lines of programs that ended while they sent, and removes what they left.
fn end_dead_claims(connection: &Connection, now: f64) -> Result<()> {
    let sending = Outcome::Sending.to_string();
    let is_any = "SELECT count(*) FROM plant_log WHERE outcome = ?1";
    if connection.row(is_any, [&sending], |row| row.get::<i64>(0))? == 0 {
        return Ok(());
    }
    for entry in lines_where(connection, "outcome = ?2", params![now, sending])? {
        if entry.outcome() == Outcome::Unknown {
            connection.execute(
                "UPDATE plant_log SET outcome = ?2 WHERE sequence = ?1",
                params![entry.sequence, Outcome::Unknown.to_string()],
            )?;
            connection.end_claim(&entry.sender);
        }
    }
    Ok(())
}

fn lines(connection: &Connection, now: f64, plant: Option<&str>) -> Result<Vec<Entry>> {
    match plant {
        Some(plant) => lines_where(connection, "plant = ?2", params![now, plant]),
        None => lines_where(connection, "1 = 1", params![now]),
    }
}

/// The lines on a condition, oldest first. Of a damaged line, its readable values.
fn lines_where(
    connection: &Connection,
    condition: &str,
    values: Vec<super::sql::Value>,
) -> Result<Vec<Entry>> {
    let query = format!(
        "SELECT sequence, at, operation, plant, name, tag, base, sandbox, address, outcome,
             status, error, message, body, note, sender,
             CAST(CASE WHEN claimed_until > {} THEN 1 ELSE 0 END AS BIGINT)
         FROM plant_log WHERE {condition} ORDER BY sequence",
        connection.dialect().claim_time
    );
    connection.rows(&query, values, |row| {
        let text = |column| row.text(column).unwrap_or_default();
        let sender = row.uuid(15).unwrap_or_default();
        let mut outcome = text(9).parse().unwrap_or(Outcome::Unknown);
        let is_claimed = || {
            let by_time = row.get::<i64>(16).unwrap_or(0) == 1;
            connection.is_claim_held(&sender).unwrap_or(by_time)
        };
        if outcome == Outcome::Sending && !is_claimed() {
            outcome = Outcome::Unknown;
        }
        let number = |column| row.get::<Option<i64>>(column).unwrap_or_default();
        Ok(Entry {
            sequence: row.get(0)?,
            at: row.number(1).unwrap_or(0.0),
            // Of a damaged name a create: no plant is created twice.
            operation: text(2).parse().unwrap_or(Operation::Create),
            id: text(3),
            name: row.text(4),
            tag: row.text(5),
            service: PlantService::new(text(6), text(7)),
            address: text(8),
            reply: Reply {
                outcome,
                status: number(10).and_then(|status| u16::try_from(status).ok()),
                error: number(11),
                message: row.text(12),
                body: row.text(13).and_then(|body| body.parse().ok()),
                note: row.text(14),
            },
            sender,
        })
    })
}

#[cfg(test)]
mod tests;
