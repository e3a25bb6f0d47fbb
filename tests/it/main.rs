//! The one integration test binary: the house held against its plan, and the
//! built program driven as a person or a script drives it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may unwrap: its failure is its message, and its figures are for whoever asks"
)]

#[macro_use]
#[path = "../../src/testing/needs.rs"]
mod needs;

mod alarm_screen;
mod alarms;
mod alarms_said;
mod another_program;
mod answers;
mod archive;
mod archive_faults;
mod areas;
mod bounds;
mod collecting;
mod command_line;
mod damaged_files;
mod destinations;
mod django;
mod driver;
mod entries;
mod exit_status;
mod exports;
mod fields;
mod fields_on_screen;
mod files;
mod first_light;
mod first_run;
mod fleet;
mod fleet_screen;
mod found;
mod gpsd;
mod hostile;
mod hostile_files;
mod idle;
mod imported;
mod keyrings;
mod killed_collector;
mod layers;
mod life;
mod limits;
mod links;
mod lost_archive;
mod manners;
mod manual;
mod mapped;
mod maps;
mod memory;
mod mistyped;
mod multiplexer;
mod names;
mod noise;
mod other_user;
mod outages;
mod own_files;
mod packaging;
mod plain_lines;
mod plant_imports;
mod plant_services;
mod plants;
mod postgres;
mod power_loss;
mod printed;
mod questions;
mod real_servers;
mod refused;
mod remapped_keys;
mod repeated;
mod requested_fields;
mod requests;
mod requirements;
mod scheduled;
mod secrets;
mod settings_dialog;
mod settings_faults;
mod shared_file;
mod shell;
mod silent;
mod slow_disk;
mod soak;
mod standard_output;
mod syscall_faults;
mod terminal;
mod tls;
mod together;
mod token;
mod told_again;
mod traffic;
mod truth;
mod typed;
mod unmet;
mod r#where;
