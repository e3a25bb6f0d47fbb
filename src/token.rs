//! The token and its two sources: the environment variable `DRIFTLINE_TOKEN`,
//! else the keyring of the operating system. It is never read from a file.

pub(crate) mod keyring;
pub(crate) mod secret;
mod system_store;
mod withholding;

pub(crate) use keyring::{Account, KeyringError};
pub(crate) use secret::{Source, Token, TokenError};
