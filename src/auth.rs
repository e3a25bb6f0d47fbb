//! The token and its two sources: the environment variable `DRIFTLINE_TOKEN`,
//! else the keyring of the operating system. It is never read from a file.

pub(crate) mod keyring;
pub(crate) mod token;

pub(crate) use keyring::{Account, KeyringError};
pub(crate) use token::{Source, Token, TokenError};
