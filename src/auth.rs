//! The token and its two sources: the environment variable `DRIFTLINE_TOKEN`,
//! else the keyring of the operating system. It is never read from a file.

pub(crate) mod keyring;
mod system_store;
pub(crate) mod token;
mod withholding;

pub(crate) use keyring::{Account, KeyringError};
pub(crate) use token::{Source, Token, TokenError};
