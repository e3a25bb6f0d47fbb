//! The loop: keys, tasks, signals and the clock in; frames and effects out.
