//! The table as DuckDB reads it: the same records as the archive has.

use std::path::Path;
use std::time::Duration;

use crate::driver::home::Home;
use crate::driver::run::Run;
use crate::driver::service::Service;
use crate::driver::until;
use crate::exports::python;

/// Prints the numbers of records, of different ones and of deployments, the sums of
/// time and position, and the files.
const READ: &str = "
import duckdb, glob, sys
# A sum of whole numbers is the same in whatever order the threads add.
total = lambda name: f\"sum(round({name} * 1e7)::HUGEINT) / 1e7\"
table = f\"read_parquet('{sys.argv[1]}/**/*.parquet', hive_partitioning=true)\"
row = duckdb.sql(f\"SELECT count(*), count(DISTINCT (deployment, time_stamp, latitude, longitude)), count(DISTINCT deployment), {total('time_stamp')}, {total('latitude')}, {total('longitude')}, count(fields), count(label) FROM {table} WHERE strftime(time AT TIME ZONE 'UTC', '%Y-%m') = month AND bbox.xmin <= longitude AND longitude <= bbox.xmax AND bbox.ymin <= latitude AND latitude <= bbox.ymax AND received_by IS NOT NULL\").fetchall()[0]
print(*(str(value) for value in row))
# The bucket is one that SQL works out from the deployment.
wrong = duckdb.sql(f\"SELECT count(*) FROM {table} WHERE bucket::INT <> ('0x' || left(sha256(deployment), 2))::INT % 1\").fetchall()[0][0]
assert wrong == 0, wrong
";

/// What DuckDB reads of a folder.
#[derive(Debug, PartialEq)]
struct Table {
    counts: [u64; 3],
    sums: [f64; 3],
    fields: u64,
    labels: u64,
}

impl Table {
    fn of(home: &Home, folder: &Path) -> Self {
        let answer = Run::program(home, python(), ["-c", READ, folder.to_str().unwrap()])
            .go()
            .ends_with(0);
        let values: Vec<f64> = answer
            .stdout
            .split_whitespace()
            .map(|value| value.parse().unwrap())
            .collect();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // counts
        let count = |index: usize| values[index] as u64;
        Self {
            counts: [count(0), count(1), count(2)],
            sums: [values[3], values[4], values[5]],
            fields: count(6),
            labels: count(7),
        }
    }

    /// Holds it against the archive: `archive info`, and the sums of all tracks.
    fn is_of(&self, home: &Home, archive: &[&str], service: &Service) {
        let run = |arguments: &[&str]| {
            let all = arguments.iter().chain(archive);
            let answer = Run::driftline(home, all).go().ends_with(0);
            answer.stdout
        };
        let info = run(&["archive", "info"]);
        let (records, deployments) = (number(&info, "transmissions"), number(&info, "deployments"));
        assert_eq!(self.counts, [records, records, deployments]);
        let (mut sums, mut fields) = ([0.0; 3], 0);
        for (uuid, _) in &service.deployments {
            let lines = run(&["track", uuid, "--offline", "--format", "ndjson"]);
            for line in lines.lines() {
                let fix: serde_json::Value = serde_json::from_str(line).unwrap();
                for (sum, name) in sums.iter_mut().zip(["time_stamp", "latitude", "longitude"]) {
                    *sum += fix[name].as_f64().unwrap();
                }
                fields += u64::from(fix.get("fields").is_some());
            }
        }
        for (read, sum) in self.sums.iter().zip(sums) {
            assert!((read - sum).abs() <= 1e-9 * sum.abs(), "{read} {sum}");
        }
        assert_eq!((self.fields, self.labels), (fields, records));
    }
}

/// The number in one line of `archive info`.
fn number(info: &str, name: &str) -> u64 {
    let line = info.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().last().unwrap().parse().unwrap()
}

/// A home whose archive has all deployments of a service.
fn collected(service: &Service) -> Home {
    let home = Home::new();
    for (uuid, label) in &service.deployments {
        Run::driftline(&home, ["deployments", "add", uuid, "--label", label])
            .go()
            .ends_with(0);
    }
    refreshed(&home, service);
    home
}

fn refreshed(home: &Home, service: &Service) {
    Run::driftline(home, ["collect", "--once"])
        .env("DRIFTLINE_BASE_URL", &service.base_url)
        .env("DRIFTLINE_TOKEN", &service.token)
        .go()
        .ends_with(0);
}

#[test]
fn a_table_in_a_folder_has_the_records_of_the_archive_before_and_after_new_ones() {
    let service = Service::start();
    let home = collected(&service);
    let folder = home.file("table");
    let address = format!("file://{}", folder.display());
    let export = || {
        Run::driftline(&home, ["archive", "export", &address])
            .go()
            .ends_with(0);
        let table = Table::of(&home, &folder);
        table.is_of(&home, &[], &service);
        table
    };
    let first = export();
    assert_eq!(export(), first);
    // One deployment has a fix every quarter of a minute.
    let records = || {
        let info = Run::driftline(&home, ["archive", "info"]).go().ends_with(0);
        number(&info.stdout, "transmissions")
    };
    let before = records();
    let grown = until(Duration::from_secs(60), || {
        std::thread::sleep(Duration::from_secs(2));
        refreshed(&home, &service);
        (records() > before).then_some(())
    });
    assert!(grown.is_some(), "no new record within a minute");
    let second = export();
    assert!(second.counts[0] > first.counts[0], "{second:?}");
}

#[cfg(feature = "postgres")]
#[test]
fn an_archive_on_a_server_gives_the_same_table() {
    use crate::driver::database::{SERVER, new_database};

    let service = Service::start();
    let home = collected(&service);
    let file = home.file(".local/share/driftline/archive.db");
    for pooled in [false, true] {
        let url = SERVER.url(&new_database(), pooled);
        Run::driftline(&home, ["archive", "copy", file.to_str().unwrap(), &url])
            .go()
            .ends_with(0);
        let folder = home.file(if pooled { "pooled" } else { "plain" });
        let address = format!("file://{}", folder.display());
        for _ in 0..2 {
            let arguments = ["--archive", &url, "archive", "export", &address];
            Run::driftline(&home, arguments).go().ends_with(0);
        }
        Table::of(&home, &folder).is_of(&home, &["--archive", &url], &service);
    }
}

/// Starts moto's server, makes the bucket, runs what it is told with the bucket in
/// its environment, and fetches all objects into a folder. Google Cloud Storage has
/// the same XML for objects, lists and uploads in parts; of its users moto knows
/// none, so each is taken for one of S3.
const MOTO: &str = "
import boto3, os, pathlib, subprocess, sys, threading
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server
moto = DomainDispatcherApplication(create_backend_app)
asked = []
def app(environ, start):
    if environ.get('HTTP_AUTHORIZATION') == 'Bearer sesame':
        asked.append(environ['PATH_INFO'])
        environ['HTTP_AUTHORIZATION'] = 'AWS4-HMAC-SHA256 Credential=reader/20260101/eu-central-1/s3/aws4_request, SignedHeaders=host, Signature=0'
    return moto(environ, start)
class Quiet(WSGIRequestHandler):
    def log(self, *_): pass
server = make_server('127.0.0.1', 0, app, threaded=True, request_handler=Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f'http://127.0.0.1:{server.server_port}'
os.environ.update(AWS_ENDPOINT_URL=address, AWS_ALLOW_HTTP='true', AWS_REGION='eu-central-1', AWS_DEFAULT_REGION='eu-central-1', AWS_ACCESS_KEY_ID='reader', AWS_SECRET_ACCESS_KEY='sesame')
os.environ.update(GOOGLE_BASE_URL=address, GOOGLE_ALLOW_HTTP='true', GOOGLE_BEARER_TOKEN='sesame')
store = boto3.client('s3')
store.create_bucket(Bucket='buoys', CreateBucketConfiguration={'LocationConstraint': 'eu-central-1'})
folder, programs = pathlib.Path(sys.argv[1]), ' '.join(sys.argv[2:]).split(' -- ')
for program in programs:
    subprocess.run(program.split(' '), check=True)
assert bool(asked) == ('gs://' in programs[0]), asked
assert not store.list_multipart_uploads(Bucket='buoys').get('Uploads')
for page in store.get_paginator('list_objects_v2').paginate(Bucket='buoys'):
    for one in page['Contents']:
        file = folder / one['Key']
        file.parent.mkdir(parents=True, exist_ok=True)
        store.download_file('buoys', one['Key'], str(file))
server.shutdown()
";

/// Exports an archive twice to a bucket, and holds what is there against it.
fn a_bucket_has_the_records_of(home: &Home, service: &Service, scheme: &str) {
    let folder = home.file("fetched");
    let driftline = env!("CARGO_BIN_EXE_driftline");
    let address = format!("{scheme}://buoys/north/sea");
    let export = [driftline, "archive", "export", &address];
    // Twice: the second finds nothing new.
    let arguments = ["-c", MOTO, folder.to_str().unwrap()]
        .into_iter()
        .chain(export)
        .chain(["--"])
        .chain(export);
    Run::program(home, python(), arguments).go().ends_with(0);
    Table::of(home, &folder.join("north/sea")).is_of(home, &[], service);
    // Nothing but the files of the months.
    let months = std::fs::read_dir(folder.join("north/sea")).unwrap();
    let names = months.map(|month| month.unwrap().file_name().into_string().unwrap());
    let other: Vec<String> = names.filter(|name| !name.starts_with("month=")).collect();
    assert_eq!(other, [""; 0]);
}

#[test]
fn a_table_in_a_bucket_has_the_records_of_the_archive() {
    let service = Service::start();
    let home = collected(&service);
    a_bucket_has_the_records_of(&home, &service, "s3");
}

#[test]
fn a_table_in_a_bucket_of_google_has_the_records_of_the_archive() {
    let service = Service::start();
    let home = collected(&service);
    a_bucket_has_the_records_of(&home, &service, "gs");
}
