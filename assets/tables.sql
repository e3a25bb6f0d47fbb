-- The tables of the archive, each after those that its rows refer to: a column in each line, as SQLite
-- defines it. The columns after ORDER BY identify a row, unless a column does so.
--
-- `deployment.revision` is higher after every change of the stored records, `deployment.edits` after every
-- change of what a user entered, in SQL too.

TABLE deployment ORDER BY id
    id INTEGER PRIMARY KEY AUTOINCREMENT
    uuid TEXT NOT NULL UNIQUE
    label TEXT
    platform TEXT NOT NULL DEFAULT 'generic'
    watched INTEGER NOT NULL DEFAULT 0
    added_at REAL NOT NULL
    notes TEXT
    max_age REAL
    circle TEXT
    max_speed REAL
    valid_from REAL
    valid_until REAL
    state TEXT
    field_limits TEXT
    group_name TEXT
    unkept INTEGER NOT NULL DEFAULT 0
    revision INTEGER NOT NULL DEFAULT 0
    edits INTEGER NOT NULL DEFAULT 0

-- The services of deployments with the ids there: of a service with UUIDs the UUID.
TABLE origin ORDER BY uuid
    uuid TEXT PRIMARY KEY
    service TEXT NOT NULL
    id TEXT NOT NULL

TABLE fetch ORDER BY id
    id INTEGER PRIMARY KEY
    deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE
    began REAL NOT NULL DEFAULT 0
    at REAL NOT NULL
    status INTEGER NOT NULL
    bytes INTEGER NOT NULL
    new INTEGER NOT NULL
    late INTEGER NOT NULL
    source TEXT
    etag TEXT
    modified TEXT
    fetches INTEGER NOT NULL DEFAULT 1
    asked TEXT

TABLE received ORDER BY deployment
    deployment INTEGER PRIMARY KEY REFERENCES deployment(id) ON DELETE CASCADE
    number INTEGER NOT NULL
    process INTEGER
    run TEXT

TABLE transmission ORDER BY deployment, time, latitude, longitude
    deployment INTEGER NOT NULL
    time REAL NOT NULL
    latitude REAL NOT NULL
    longitude REAL NOT NULL
    first_seen INTEGER NOT NULL
    place INTEGER NOT NULL DEFAULT 0
    times INTEGER NOT NULL DEFAULT 1

TABLE unusable ORDER BY deployment, place
    deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE
    place INTEGER NOT NULL
    reason TEXT NOT NULL
    excerpt TEXT NOT NULL

-- The times of unusable records.
TABLE invalid_time ORDER BY deployment
    deployment INTEGER PRIMARY KEY REFERENCES deployment(id) ON DELETE CASCADE
    body BLOB NOT NULL

TABLE overruled ORDER BY deployment, time, latitude, longitude
    deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE
    time REAL NOT NULL
    latitude REAL NOT NULL
    longitude REAL NOT NULL
    flag INTEGER NOT NULL

-- The transmissions that are absent from the latest response.
TABLE unsent ORDER BY deployment, time, latitude, longitude
    deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE
    time REAL NOT NULL
    latitude REAL NOT NULL
    longitude REAL NOT NULL
    since INTEGER NOT NULL

TABLE ledger ORDER BY sequence
    sequence INTEGER PRIMARY KEY AUTOINCREMENT
    at REAL NOT NULL
    operation TEXT NOT NULL
    plant TEXT NOT NULL
    name TEXT
    tag TEXT
    outcome TEXT NOT NULL
    answered_name TEXT
    answered_tag TEXT
    words TEXT
    process INTEGER NOT NULL
    run TEXT
    service TEXT

TABLE field_batch ORDER BY id
    id INTEGER PRIMARY KEY AUTOINCREMENT
    deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE
    rows INTEGER NOT NULL
    body BLOB NOT NULL

TABLE overview ORDER BY deployment
    deployment INTEGER PRIMARY KEY REFERENCES deployment(id) ON DELETE CASCADE
    basis INTEGER NOT NULL
    until REAL
    body BLOB NOT NULL

TABLE alarm ORDER BY id
    id TEXT PRIMARY KEY
    deployment INTEGER REFERENCES deployment(id) ON DELETE CASCADE
    service TEXT
    label TEXT
    kind TEXT NOT NULL
    field TEXT NOT NULL DEFAULT ''
    raised_at REAL NOT NULL
    seen_at REAL NOT NULL
    acknowledged_at REAL
    snoozed_until REAL
    cleared_at REAL
    fix_time REAL
    value REAL
    threshold REAL
    text TEXT NOT NULL
    cause TEXT
    ended TEXT
    told_at REAL
    reminders INTEGER NOT NULL DEFAULT 0

TABLE alarm_event ORDER BY id
    id INTEGER PRIMARY KEY AUTOINCREMENT
    alarm TEXT NOT NULL REFERENCES alarm(id) ON DELETE CASCADE
    at REAL NOT NULL
    seen_at REAL NOT NULL
    event TEXT NOT NULL
    to_tell INTEGER NOT NULL
    process INTEGER
    run TEXT
    claimed_at REAL
    due REAL
    failures INTEGER NOT NULL DEFAULT 0
    message TEXT

TABLE alarm_rule ORDER BY deployment, kind, field
    deployment INTEGER NOT NULL REFERENCES deployment(id) ON DELETE CASCADE
    kind TEXT NOT NULL
    field TEXT NOT NULL DEFAULT ''
    rule TEXT NOT NULL
    basis TEXT NOT NULL
    since REAL NOT NULL
    unjudged TEXT

TABLE unreached ORDER BY service, deployment
    service TEXT NOT NULL
    deployment TEXT NOT NULL
    at REAL NOT NULL
    state INTEGER NOT NULL DEFAULT 0
