//! What is known of a rule before a track is judged by it, and what is found then.

/// How far a track has been judged by a rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Progress {
    /// The rule as text.
    pub rule: String,
    /// The time of the last fix that was judged, UNIX seconds.
    pub until: f64,
}

/// What is known of a rule before a track is judged by it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Seen {
    /// How far it was judged; `None` before the first time.
    pub progress: Option<Progress>,
    /// When the alarm that stands was raised, UNIX seconds.
    pub open: Option<f64>,
    /// The time of the fix that raised it, UNIX seconds.
    pub open_fix: Option<f64>,
}

/// What is found when a track is judged by a rule.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Found {
    /// An alarm.
    Raised {
        /// When it happened, UNIX seconds.
        at: f64,
        /// The fix that raised it, UNIX seconds.
        fix_time: f64,
        /// What was measured.
        value: f64,
        /// Its limit, in the unit of the value.
        limit: f64,
        /// What happened, with value and limit.
        text: String,
    },
    /// That the alarm that stands does so by a rule that has changed.
    Still {
        /// What was measured.
        value: f64,
        /// The present limit, in the unit of the value.
        limit: f64,
        /// What happened, with value and limit.
        text: String,
    },
    /// The end of the alarm that stands.
    Cleared {
        /// When, UNIX seconds.
        at: f64,
    },
    /// The end of the alarm that stands, for another reason than a fix.
    Ended {
        /// When, UNIX seconds.
        at: f64,
        /// Why, in words: "the service corrected its fixes".
        why: &'static str,
    },
}
