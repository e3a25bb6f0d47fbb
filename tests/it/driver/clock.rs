//! A clock that runs faster than the computer's, for the service of a test and for the
//! program: hours go by in a test of seconds.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::alarms::unix_now;

/// A clock that begins at the present.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    began: Instant,
    start: f64,
    rate: u32,
}

impl Clock {
    /// A clock that runs `rate` times as fast as the computer's.
    pub(crate) fn times(rate: u32) -> Clock {
        Clock {
            began: Instant::now(),
            start: unix_now(),
            rate,
        }
    }

    /// Its time, UNIX seconds.
    pub(crate) fn now(&self) -> f64 {
        self.start + self.began.elapsed().as_secs_f64() * f64::from(self.rate)
    }

    /// Waits until its time is `at`, UNIX seconds.
    pub(crate) fn wait_until(&self, at: f64) {
        let left = (at - self.now()).max(0.0) / f64::from(self.rate);
        std::thread::sleep(Duration::from_secs_f64(left));
    }

    /// What a program that starts now needs in its environment to have this clock.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        if self.rate == 1 {
            return Vec::new();
        }
        let ahead = self.now() - unix_now();
        let time = format!("{ahead:+.3} x{}", self.rate);
        vec![("LD_PRELOAD", library().into()), ("FAKETIME", time.into())]
    }
}

/// libfaketime of the Debian package faketime, for programs with several threads.
fn library() -> PathBuf {
    let folders = fs::read_dir("/usr/lib").unwrap().flatten();
    let mut paths = folders.map(|one| one.path().join("faketime/libfaketimeMT.so.1"));
    paths.find(|path| path.exists()).unwrap()
}
