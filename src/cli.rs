//! The command line: one file a command, its output and its exit status.
