//! Configuration: flags, environment, file, defaults, and where each value came from.
