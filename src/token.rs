//! The token and its sources: the environment variable `DRIFTLINE_TOKEN`, else the
//! credential that systemd gives a unit, else the keyring of the operating system.

pub(crate) mod keyring;
pub(crate) mod secret;
mod system_store;
mod withholding;

pub(crate) use keyring::{Account, KeyringError};
pub(crate) use secret::{Source, Token, UnusableToken};
