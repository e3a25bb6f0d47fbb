//! The token and its stores; alone names the keyring.
