//! The token and where it is kept: the environment variable `DRIFTLINE_TOKEN`,
//! else the keyring of the operating system. Never a file.

pub mod keyring;
pub mod token;

pub use keyring::{Account, KeyringError};
pub use token::{Source, Token, TokenError};
