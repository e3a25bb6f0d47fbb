//! Servers and programs that others wrote, each asked by a mapping of
//! `tests/data/services/mappings.toml`. `tests/run --long` installs and runs them; their
//! recorded answers are read in every run.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::driver::home::Home;
use crate::driver::recorded;
use crate::driver::run::{Answer, Run};
use crate::driver::{PATIENCE, until};
use crate::gpsd::{Gpsd, Receiver, free_ports};
use crate::mapped::{add_profile, home};

const MAPPINGS: &str = include_str!("../data/services/mappings.toml");
const GLIDER: &str = "SMILLA-77";
const PETREL: &str = "petrel 1";
const SECRET: &str = "track-secret";

/// The members of one mapping.
fn mapping(name: &str) -> &'static str {
    let all = MAPPINGS.split("\n[").skip(1);
    let mut named = all.filter_map(|section| section.split_once(']'));
    named.find(|(title, _)| *title == name).unwrap().1
}

/// A fix as a set holds it: milliseconds, and degrees as they are written.
type Fix = (i64, String, String);

fn fixes(records: &[Value]) -> BTreeSet<Fix> {
    let fix = |record: &Value| {
        let time = (record["time_stamp"].as_f64().unwrap() * 1000.0).round();
        let degrees = |member: &str| record[member].as_f64().unwrap().to_string();
        (time as i64, degrees("latitude"), degrees("longitude"))
    };
    records.iter().map(fix).collect()
}

/// The records of a recorded track.
fn records(id: &str) -> Vec<Value> {
    let name = match id {
        GLIDER => "glider_voto_smilla77",
        _ => "gps_snow_petrel",
    };
    serde_json::from_slice(&recorded::track(name)).unwrap()
}

/// Both tracks as a database of SQLite, as others would keep them.
fn database(folder: &TempDir) -> PathBuf {
    let mut sql = String::from(
        "create table fixes(pk integer primary key, id text, time text, lat real, lon real, battery real);
         create table deployments(id text primary key, label text);
         begin;",
    );
    for (id, label) in [(GLIDER, "Smilla"), (PETREL, "Snow petrel")] {
        writeln!(sql, "insert into deployments values('{id}', '{label}');").unwrap();
        for record in records(id) {
            let [time, lat, lon] =
                ["time_stamp", "latitude", "longitude"].map(|name| &record[name]);
            writeln!(
                sql,
                "insert into fixes(id, time, lat, lon, battery) values('{id}',
                 strftime('%Y-%m-%dT%H:%M:%fZ', {time}, 'unixepoch'), {lat}, {lon}, 12.5);"
            )
            .unwrap();
        }
    }
    sql.push_str("commit;");
    let (script, file) = (
        folder.path().join("tracks.sql"),
        folder.path().join("tracks.db"),
    );
    std::fs::write(&script, sql).unwrap();
    let run = Command::new("sqlite3")
        .arg(&file)
        .stdin(std::fs::File::open(&script).unwrap())
        .status();
    assert!(run.unwrap().success());
    file
}

/// What `tests/run` put beside the build.
fn tool(path: &str) -> PathBuf {
    let tools = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/test-tools");
    tools.join(path)
}

/// A server that ends with the test.
struct Server {
    process: Child,
    port: u16,
}

impl Server {
    /// Starts a server in a folder and waits until it listens at its port.
    fn start(
        folder: &TempDir,
        program: impl Into<PathBuf>,
        port: u16,
        arguments: &[&str],
    ) -> Server {
        let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default());
        let process = Command::new(program.into())
            .args(arguments)
            .current_dir(folder.path())
            .env("PATH", path)
            .env("HOME", folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Server { process, port };
        let listens = || TcpStream::connect(("127.0.0.1", port)).ok();
        assert!(until(PATIENCE, listens).is_some(), "nothing listens");
        server
    }

    fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        crate::driver::signal(self.process.id(), rustix::process::Signal::TERM);
        self.process.wait().ok();
    }
}

/// A port at which nobody listens.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn go_with(home: &Home, token: &str, arguments: &[&str]) -> Answer {
    let run = Run::driftline(home, arguments.iter().chain(&["--profile", "sea"]));
    run.env("DRIFTLINE_TOKEN", token).go()
}

/// Reads a track twice, which asks for its news alone the second time, and holds it
/// against what the server was given.
fn has_its_track(home: &Home, token: &str, id: &str) {
    go_with(home, token, &["deployments", "add", id]).ends_with(0);
    for _ in 0..2 {
        let answer = go_with(home, token, &["track", id, "--format", "json"]).ends_with(0);
        let track: Value = serde_json::from_str(&answer.stdout).unwrap();
        let read = fixes(track["fixes"].as_array().unwrap());
        let given = fixes(&records(id));
        let differing: Vec<_> = read.symmetric_difference(&given).take(3).collect();
        assert!(differing.is_empty(), "{id}: {differing:?}");
        assert!(
            !answer
                .stdout
                .contains("\"absent_from_latest_response\": true")
        );
    }
}

#[test]
fn datasette_is_read_page_by_page_as_json_lines_and_csv() {
    needs!("sqlite3", "datasette");
    let folder = tempfile::tempdir().unwrap();
    database(&folder);
    let port = free_port();
    let port_text = port.to_string();
    let arguments = [
        "serve",
        "tracks.db",
        "-h",
        "127.0.0.1",
        "-p",
        port_text.as_str(),
    ];
    let server = Server::start(&folder, tool("servers/bin/datasette"), port, &arguments);
    for shape in ["datasette_csv", "datasette_ndjson", "datasette_rows"] {
        let home = home(&server.base_url(), mapping(shape));
        for id in [GLIDER, PETREL] {
            has_its_track(&home, "", id);
        }
        // Rows of an id that it does not have are none.
        go_with(&home, "", &["track", "nobody"]).ends_with(0);
    }
}

#[test]
fn datasette_with_a_token_refuses_others_with_a_web_page() {
    needs!("sqlite3", "datasette");
    let folder = tempfile::tempdir().unwrap();
    database(&folder);
    let metadata = format!(
        r#"{{"plugins":{{"datasette-auth-tokens":{{"tokens":[{{"token":"{SECRET}","actor":{{"id":"driftline"}}}}]}}}},
            "databases":{{"tracks":{{"allow":{{"id":"driftline"}}}}}}}}"#
    );
    std::fs::write(folder.path().join("metadata.json"), metadata).unwrap();
    let port = free_port();
    let port_text = port.to_string();
    let arguments = [
        "serve",
        "tracks.db",
        "-m",
        "metadata.json",
        "-h",
        "127.0.0.1",
        "-p",
        port_text.as_str(),
    ];
    let server = Server::start(&folder, tool("servers/bin/datasette"), port, &arguments);
    let home = home(&server.base_url(), mapping("datasette"));
    go_with(&home, "another", &["track", GLIDER])
        .ends_with(3)
        .says("Forbidden");
    let found = go_with(&home, SECRET, &["deployments", "find", "petrel"]).ends_with(0);
    found.prints(PETREL);
    assert!(!found.stdout.contains(GLIDER), "{found:#?}");
    has_its_track(&home, SECRET, GLIDER);
    assert!(home.files_holding(SECRET).is_empty());
}

#[test]
fn nginx_serves_a_table_again_only_once_it_has_changed() {
    needs!("nginx");
    let folder = tempfile::tempdir().unwrap();
    let (port, other) = (free_port(), free_port());
    let table = include_bytes!("../data/services/iabp.dat");
    std::fs::create_dir(folder.path().join("static")).unwrap();
    std::fs::write(folder.path().join("static/300234.dat"), table).unwrap();
    // user:s3cret, by `openssl passwd -apr1`.
    std::fs::write(folder.path().join("htpasswd"), "user:{PLAIN}s3cret\n").unwrap();
    let configuration = format!(
        "daemon off; pid nginx.pid; error_log stderr; events {{}}
         http {{ access_log off; default_type text/plain; gzip on; gzip_types text/plain; gzip_min_length 100;
         client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;
         limit_req_zone $binary_remote_addr zone=z:1m rate=1r/m; limit_req_status 429;
         server {{ listen 127.0.0.1:{port}; root static;
           location /slow/ {{ alias static/; limit_req zone=z; }}
           location /auth/ {{ alias static/; auth_basic tracks; auth_basic_user_file htpasswd; }}
           location /old/ {{ return 301 http://127.0.0.1:{other}$request_uri; }} }} }}"
    );
    std::fs::write(folder.path().join("nginx.conf"), configuration).unwrap();
    let prefix = format!("{}/", folder.path().display());
    let arguments = ["-p", prefix.as_str(), "-c", "nginx.conf", "-e", "stderr"];
    let server = Server::start(&folder, "nginx", port, &arguments);
    let base = server.base_url();
    let open = home(&base, mapping("iabp"));
    go_with(&open, "", &["deployments", "add", "300234"]).ends_with(0);
    let first = go_with(&open, "", &["track", "300234", "-v"]).ends_with(0);
    // A line of names before them here and there.
    let rows = table
        .split(|byte| *byte == b'\n')
        .filter(|row| !row.is_empty());
    assert_eq!(first.stdout.lines().count(), rows.count());
    let second = go_with(&open, "", &["track", "300234", "-v"]).ends_with(0);
    second.says("304");
    assert_eq!(first.stdout, second.stdout);
    let at = |path: &str, auth: &str| {
        let text = mapping("iabp").replace("{base_url}", &format!("{{base_url}}{path}"));
        home(&base, &text.replace("\"none\"", &format!("\"{auth}\"")))
    };
    go_with(&at("/auth", "basic"), "user:s3cret", &["track", "300234"]).ends_with(0);
    go_with(&at("/auth", "basic"), "user:wrong", &["track", "300234"]).ends_with(3);
    go_with(&at("/auth", "none"), "", &["track", "300234"]).ends_with(3);
    go_with(&at("/old", "none"), "", &["track", "300234"])
        .ends_with(5)
        .says(&other.to_string());
    let slow = at("/slow", "none");
    go_with(&slow, "", &["track", "300234"]).ends_with(0);
    go_with(&slow, "", &["track", "300234"]).says("429");
}

#[test]
fn influxdb_answers_with_rows_and_an_error_with_200() {
    needs!("influxdb");
    let folder = tempfile::tempdir().unwrap();
    let (port, inner) = (free_port(), free_port());
    let configuration = format!(
        "reporting-disabled = true\nbind-address = \"127.0.0.1:{inner}\"\n\
         [meta]\ndir = \"meta\"\n[data]\ndir = \"data\"\nwal-dir = \"wal\"\nquery-log-enabled = false\n\
         [http]\nbind-address = \"127.0.0.1:{port}\"\nlog-enabled = false\nauth-enabled = true\n\
         [monitor]\nstore-enabled = false\n"
    );
    std::fs::write(folder.path().join("influx.conf"), configuration).unwrap();
    let server = Server::start(&folder, "influxd", port, &["-config", "influx.conf"]);
    let base = server.base_url();
    let post = |path: &str, data: &str| {
        let answer = Command::new("curl")
            .args(["-sSf", "-u", "root:s3cret", "--data-binary", data])
            .arg(format!("{base}{path}"))
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(answer.status.success(), "{data}: {answer:?}");
    };
    let user = "CREATE%20USER%20root%20WITH%20PASSWORD%20's3cret'%20WITH%20ALL%20PRIVILEGES";
    post(&format!("/query?q={user}"), "");
    post("/query?q=CREATE%20DATABASE%20tracks", "");
    let mut lines = String::new();
    for id in [GLIDER, PETREL] {
        for record in records(id) {
            let time = (record["time_stamp"].as_f64().unwrap() * 1000.0).round();
            let [lat, lon] = [&record["latitude"], &record["longitude"]];
            let tag = id.replace(' ', "\\ ");
            writeln!(
                lines,
                "fix,id={tag} lat={lat},lon={lon},battery=12.5 {time}"
            )
            .unwrap();
        }
    }
    std::fs::write(folder.path().join("lines"), lines).unwrap();
    post("/write?db=tracks&precision=ms", "@lines");
    let open = home(&base, mapping("influxdb"));
    let token = "root:s3cret";
    for id in [GLIDER, PETREL] {
        has_its_track(&open, token, id);
    }
    go_with(&open, token, &["track", "nobody"]).ends_with(0);
    go_with(&open, "root:wrong", &["track", GLIDER]).ends_with(3);
    // A database that it does not have is an error in a 200.
    let wrong = home(&base, &mapping("influxdb").replace("db=tracks", "db=nope"));
    go_with(&wrong, token, &["track", GLIDER])
        .ends_with(4)
        .says("database not found: nope");
    // An id cannot become part of the query.
    go_with(&open, token, &["track", "x' OR id='petrel 1"]).ends_with(2);
}

#[test]
fn json_server_sends_everybodys_rows_where_a_parameter_is_misspelt() {
    needs!("json-server");
    let folder = tempfile::tempdir().unwrap();
    let mut rows = Vec::new();
    for id in [GLIDER, PETREL] {
        for record in records(id) {
            let (lat, lon) = (&record["latitude"], &record["longitude"]);
            let ms = (record["time_stamp"].as_f64().unwrap() * 1000.0).round();
            rows.push(serde_json::json!({"dep": id, "t": ms, "pos": {"lat": lat, "lon": lon}}));
        }
    }
    let all = serde_json::json!({"fixes": rows, "deployments": [{"id": GLIDER}, {"id": PETREL}]});
    std::fs::write(folder.path().join("db.json"), all.to_string()).unwrap();
    let port = free_port();
    let port_text = port.to_string();
    let arguments = [
        "db.json",
        "--host",
        "127.0.0.1",
        "--port",
        &port_text,
        "--ro",
    ];
    let program = tool("servers/node_modules/.bin/json-server");
    let server = Server::start(&folder, program, port, &arguments);
    let members = mapping("json_server")
        .replace("{since}", "{since:unix_ms}")
        .replace("\"iso\"", "\"unix_ms\"");
    let open = home(&server.base_url(), &members);
    has_its_track(&open, "", PETREL);
    add_profile(
        &open,
        "misspelt",
        &server.base_url(),
        &members.replace("?_sort=t&dep={id}&t_gte=", "?dpe={id}&of="),
    );
    let arguments = [
        "track",
        PETREL,
        "--profile",
        "misspelt",
        "--format",
        "json",
        "-v",
    ];
    let misspelt = Run::driftline(&open, arguments).ends_with(0);
    let track: Value = serde_json::from_str(&misspelt.stdout).unwrap();
    assert_eq!(
        fixes(track["fixes"].as_array().unwrap()),
        fixes(&records(PETREL))
    );
    let others = records(GLIDER).len();
    let figures: String = misspelt.stderr.chars().filter(|one| *one != ',').collect();
    assert!(figures.contains(&others.to_string()), "{misspelt:#?}");
}

#[test]
fn sqlite3_prints_a_track_as_json_and_nothing_where_there_is_none() {
    needs!("sqlite3");
    let folder = tempfile::tempdir().unwrap();
    let file = database(&folder);
    let file = file.to_str().unwrap();
    let members = mapping("sqlite").replace("tracks.db", file);
    let open = home("", &members);
    has_its_track(&open, "", GLIDER);
    go_with(&open, "", &["track", "nobody"]).ends_with(0);
}

#[cfg(feature = "postgres")]
#[test]
fn psql_prints_a_track_and_an_id_cannot_become_part_of_its_query() {
    needs!("postgres");
    use crate::driver::database::{SERVER, new_database};
    let folder = tempfile::tempdir().unwrap();
    let name = new_database();
    let mut sql =
        String::from("create table fixes(id text, time timestamptz, lat float8, lon float8);");
    for record in records(PETREL) {
        let [time, lat, lon] = ["time_stamp", "latitude", "longitude"].map(|name| &record[name]);
        write!(
            sql,
            "insert into fixes values('{PETREL}', to_timestamp({time}), {lat}, {lon});"
        )
        .unwrap();
    }
    SERVER.run(&name, &sql);
    let query = folder.path().join("track.sql");
    std::fs::write(
        &query,
        "select row_to_json(t) from (select time, lat, lon from fixes where id = :'id' and time >= :'since' order by time) t;",
    )
    .unwrap();
    let (port, host) = (SERVER.port.to_string(), SERVER.folder.as_str());
    let server = format!(
        "\"psql\", \"-U\", \"driftline\", \"-h\", \"{host}\", \"-p\", \"{port}\", \"-d\", \"{name}\""
    );
    let members = mapping("postgresql")
        .replace("\"psql\"", &server)
        .replace("track.sql", query.to_str().unwrap());
    let open = home("", &members);
    has_its_track(&open, "", PETREL);
    go_with(&open, "", &["track", "x' OR id='petrel 1"]).ends_with(0);
    std::fs::write(&query, "select nothing from nowhere;").unwrap();
    go_with(&open, "", &["track", PETREL])
        .ends_with(4)
        .says("nowhere");
}

#[test]
fn gpspipe_prints_records_among_other_lines() {
    needs!("gpsd", "gpspipe");
    let (port, feed) = free_ports();
    let receiver = Receiver::on(feed);
    let gpsd = Gpsd::start(port, feed);
    let gpspipe = tool("gpsd-clients/usr/bin/gpspipe");
    let members = mapping("gpsd")
        .replace("gpspipe\"", &format!("{}\"", gpspipe.display()))
        .replace("localhost:2947", &format!("127.0.0.1:{port}"));
    let open = home("", &members);
    go_with(&open, "", &["deployments", "add", "ship"]).ends_with(0);
    let fixes = || {
        let answer = go_with(&open, "", &["track", "ship"]);
        (answer.status == 0 && answer.stdout.contains(",78.2,15.5,")).then_some(())
    };
    assert!(until(PATIENCE, fixes).is_some());
    drop((gpsd, receiver));
    // Away, it fails and what was read stays.
    go_with(&open, "", &["track", "ship"])
        .ends_with(4)
        .says("gpspipe");
}
