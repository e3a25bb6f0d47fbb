//! The use cases: one asynchronous function each, called by the dashboard and
//! by the commands alike, so that the two cannot drift apart. Nothing here
//! prints.

pub mod export;
pub mod failure;
pub mod fetch;
pub mod ledger;
#[cfg(test)]
mod ledger_tests;
pub mod login;
pub mod output;
pub mod plants;
#[cfg(test)]
mod service_tests;
pub mod session;
pub mod store;

pub use export::{can_write, export_archive, export_file, picture_file, write_track};
pub use failure::{Failure, FailureKind, ServiceError};
pub use fetch::{
    Fetched, KeptAnswer, RecordsAnswer, TrackAnswer, assemble, charted, fetch, fetch_and_keep,
    fetch_records, fetch_track, keep, make_ready, make_sketch, reassembled, refined, sketched,
    within,
};
pub use login::{
    LoggedOut, TokenKept, TokenStatus, Tried, authenticate, login, logout, token_status, try_token,
};
pub use plants::{
    Created, Deleted, change_is_under_way, check_plant_id, create_plant, delete_plant,
};
pub use session::{Session, Setup, TokenFrom, extra_roots};
pub use store::Store;

// The vocabulary of the floors below, for those who may import this one alone.
pub use crate::api::{Address, AddressError, Exchange, Observer, Progress, ProgressSink};
pub use crate::archive::{FetchDelta, StoredRecords, Watched};
pub use crate::auth::{KeyringError, Source, Token, TokenError};
pub use crate::chart::ColourBy;
pub use crate::export::image::{PictureFormat, SIDES as PICTURE_SIDES, Style as PictureStyle};
pub use crate::export::{Format, Subject};
pub use crate::geo::{CoordinateFormat, Position, Units, WatchCircle, units};
pub use crate::plant::ledger::{Entry as LedgerEntry, Operation, Outcome, PlantState, standing};
pub use crate::plant::table::{TableError, drafts};
pub use crate::plant::{Draft, PlantId};
pub use crate::text;
pub use crate::track::{
    Flag, FlagOverrides, Health, Limits, Platform, Records, State, Summary, Track, TrackOptions,
    Transmission, time,
};
