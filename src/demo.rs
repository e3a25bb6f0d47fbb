//! The embedded service: a simulated world behind the real interface, on loopback.
