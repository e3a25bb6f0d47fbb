mod columns;
mod cost;
mod ends;
mod plain;
mod records;

use super::*;
use crate::mapping::Mapping;
use crate::track::Records;

fn data(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/services");
    std::fs::read_to_string(format!("{folder}/{name}")).unwrap()
}

fn mapped(table: &str) -> Mapping {
    Mapping::read(&table.parse().unwrap()).unwrap()
}

/// The content of a body that comes in pieces of this size.
fn in_pieces(table: &str, body: &str, size: usize) -> Result<Content, AnswerFault> {
    let mut reader = TrackReader::new(&mapped(table).answer, "petrel 1", None, &[]);
    for piece in body.as_bytes().chunks(size) {
        reader.take(piece);
    }
    reader.finish()
}

fn read(table: &str, body: &str) -> Result<Content, AnswerFault> {
    // It comes in pieces of any length.
    let whole = in_pieces(table, body, body.len().max(1));
    for size in [1, 13] {
        match (&whole, in_pieces(table, body, size)) {
            (Ok(whole), Ok(parts)) => {
                assert_eq!(whole.records, parts.records, "{size}");
                assert_eq!(whole.next, parts.next, "{size}");
            }
            (whole, parts) => assert_eq!(whole.as_ref().err(), parts.err().as_ref(), "{size}"),
        }
    }
    whole
}

#[test]
fn an_error_in_a_line_is_an_error_whatever_came_before_it() {
    let table = "format = 'ndjson'\nerror = '/error'";
    let good = "{\"time_stamp\":1.7e9,\"latitude\":60,\"longitude\":5,\"error\":null}\n";
    let error = "{\"error\":\"quota exceeded\"}";
    for body in [
        error.to_owned(),
        format!("{good}{error}\n"),
        format!("{error}\n{good}"),
    ] {
        let read = read(table, &body);
        assert!(
            read.as_ref().err() == Some(&AnswerFault::said("quota exceeded".to_owned())),
            "{body}"
        );
    }
    assert_eq!(read(table, good).unwrap().records.transmissions.len(), 1);
}

#[test]
fn recorded_answers_of_real_servers_are_read_by_their_mappings() {
    let mappings: toml::Table = data("mappings.toml").parse().unwrap();
    // By `check.py` next to the recorded answers, which is not of this project.
    let petrel = (1_670_718_579.0, -71.625923, 4.733935);
    let later = (1_671_236_991.0, -68.702319, 10.85741);
    for (name, file, fixes, unusable, first) in [
        (
            "datasette",
            "ds-array.body",
            40,
            0,
            (1_671_148_819.718, 55.55448333333334, 16.36205),
        ),
        ("datasette_csv", "ds-csv.body", 3, 0, petrel),
        ("datasette_ndjson", "ds-nl.body", 3, 0, petrel),
        ("datasette_rows", "ds-arrays.body", 2, 0, petrel),
        ("influxdb", "influx-ms.body", 9, 0, later),
        ("influxdb_csv", "influx-csv.body", 9, 0, later),
        (
            "signalk",
            "sk-vessel-position.body",
            1,
            0,
            (1_795_431_607.0, 60.107, 24.9),
        ),
        ("ogcapi", "pg-items.body", 2, 0, petrel),
        ("json_server", "js-all.body", 21, 0, later),
        ("kinto", "kinto-page.body", 2, 0, later),
        ("roapi", "roapi-json.body", 3, 0, petrel),
        (
            "iabp",
            "iabp.dat",
            125,
            0,
            (1_670_718_578.976, -71.6259, 4.7339),
        ),
        (
            "gpsd",
            "gpspipe.ndjson",
            7,
            1,
            (1_795_428_000.0, 78.20005, 15.5001),
        ),
        ("postgresql", "psql.ndjson", 3, 0, later),
        ("sqlite", "sqlite3-json.txt", 2, 0, petrel),
        (
            "mqtt",
            "mosquitto.ndjson",
            1,
            0,
            (1_795_428_002.0, 78.202, 15.5),
        ),
    ] {
        let read = read(&toml::to_string(&mappings[name]).unwrap(), &data(file));
        let read = read.unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        let records = &read.records;
        assert_eq!(records.transmissions.len(), fixes, "{name}");
        assert_eq!(records.unusable_count(), unusable, "{name}");
        let fix = records.transmissions[0];
        let place = (
            fix.time_stamp,
            fix.position.latitude,
            fix.position.longitude,
        );
        assert_eq!(place, first, "{name}");
        assert_eq!(!read.notes.is_empty(), name == "roapi", "{name}");
    }
}

#[test]
fn fields_are_the_other_members_also_within_an_object_that_a_pointer_goes_through() {
    let mappings: toml::Table = data("mappings.toml").parse().unwrap();
    let names = |name: &str, file: &str| {
        let read = read(&toml::to_string(&mappings[name]).unwrap(), &data(file)).unwrap();
        let names = read
            .records
            .fields
            .columns()
            .map(|column| column.name().to_owned());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names("datasette", "ds-array.body"), "pk id battery");
    assert_eq!(names("influxdb", "influx-ms.body"), "battery");
    assert_eq!(
        names("iabp", "iabp.dat"),
        "BuoyID Hour Min POS_DOY BP Ts Ta"
    );
    assert!(names("ogcapi", "pg-items.body").contains("battery"));
    // The units of a position are no value of it.
    assert!(names("signalk", "sk-vessel-position.body").contains("meta"));
    let kind = "kind = 'signalk'";
    let fields = read(kind, &data("sk-vessel-position.body"))
        .unwrap()
        .records
        .fields;
    let columns: Vec<&str> = fields.columns().map(|column| column.name()).collect();
    assert!(
        !columns.contains(&"meta") && columns.contains(&"$source"),
        "{columns:?}"
    );
}

#[test]
fn an_answer_without_records_says_why() {
    let mappings: toml::Table = data("mappings.toml").parse().unwrap();
    let influx = toml::to_string(&mappings["influxdb"]).unwrap();
    let none = read(&influx, &data("influx-empty.body")).unwrap();
    assert_eq!(none.records.count(), 0);
    let said = read(&influx, &data("influx-nodb.body")).unwrap_err();
    assert_eq!(
        said,
        AnswerFault::said("database not found: nope".to_owned())
    );
    // A member that says that nothing failed is no error.
    let table = "items = '/data'\nerror = '/error'";
    for error in ["\"\"", "\" \"", "false", "null", "0", "[]", "{}"] {
        let body = format!("{{\"error\":{error},\"data\":[]}}");
        assert!(read(table, &body).is_ok(), "{error}");
    }
    for error in ["\"no\"", "true", "1", "[\"no\"]"] {
        let body = format!("{{\"error\":{error},\"data\":[]}}");
        let said = read(table, &body).unwrap_err();
        assert!(matches!(said, AnswerFault::Error(_)), "{error}: {said:?}");
    }
    for (table, body, said) in [
        ("items = '/data'", "{\"rows\":[]}", "no records at /data"),
        ("items = '/data'", "{\"data\":null}", "no records at /data"),
        ("items = '/data'", "{\"data\":7}", "no records at /data"),
        ("", "7", "neither a record nor an array"),
        ("", "{\"data\":[]}", "neither a record nor an array"),
        ("", "nonsense", "no JSON"),
        (
            "format = 'ndjson'",
            "usage: x\nand y\n",
            "no line of the answer is JSON",
        ),
        (
            "format = 'csv'",
            "time,lat\n1,2\n",
            "no column time_stamp; its columns are time, lat",
        ),
        (
            "format = 'table'",
            "Year Lat\n1 2\n",
            "no column time_stamp",
        ),
    ] {
        match read(table, body) {
            Err(AnswerFault::Unlike(words)) => assert!(words.contains(said), "{table}: {words}"),
            other => panic!("{table}: {other:?}"),
        }
    }
}

#[test]
fn one_record_that_cannot_be_used_spoils_no_other() {
    let table =
        "items = '/m'\ntime = 't'\nlatitude = '/at/1'\nlongitude = '/at/0'\nmissing = [-99999]";
    let body = r#"{"m":[{"t":"60","at":["5.5",78.25]},{"t":61,"at":[-99999,1]},{"t":62},7,{"t":"x","at":[1,1]}]}"#;
    let read = read(table, body).unwrap();
    assert_eq!(read.records.transmissions.len(), 1);
    let faults = read
        .records
        .unusable
        .iter()
        .map(|record| record.fault.to_string());
    let faults: Vec<String> = faults.collect();
    assert_eq!(faults.len(), 4, "{faults:?}");
    assert!(faults[0].contains("longitude is null"), "{faults:?}");
    assert!(faults[3].contains("'x' is no time"), "{faults:?}");
    for (format, body, fault) in [
        (
            "json",
            r#"[{"t":1,"a":1,"o":1,"a":2},{"t":2,"a":1,"o":1}]"#,
            "a twice",
        ),
        (
            "csv",
            "t,a,o\n1,1,5,1\n2,1,1\n",
            "it has 4 cells under 3 names",
        ),
    ] {
        let table = format!("format = '{format}'\ntime = 't'\nlatitude = 'a'\nlongitude = 'o'");
        let records = self::read(&table, body).unwrap().records;
        assert_eq!(records.unusable[0].fault.to_string(), fault);
        assert_eq!(records.transmissions.len(), 1);
    }
}

#[test]
fn the_only_record_may_come_without_its_array() {
    let table = "items = '/messages/message'";
    let body = r#"{"messages":{"message":{"time_stamp":1,"latitude":2,"longitude":3}}}"#;
    assert_eq!(read(table, body).unwrap().records.transmissions.len(), 1);
}

#[test]
fn a_whole_number_is_the_same_id_however_it_is_written() {
    let shape = mapped("format = 'csv'\nsame = 'wmo'").answer;
    for (id, written, is_own) in [
        ("4900001", "4900001", true),
        ("4900001", "4900001.0", true),
        ("4900001", "4900001.5", false),
        ("4900001", "4900002", false),
        ("007", "007", true),
        ("007", "7", false),
        ("4900001.0", "4900001.0", true),
    ] {
        let mut reader = TrackReader::new(&shape, id, None, &[]);
        let body = format!("time_stamp,latitude,longitude,wmo\n1.7e9,60,5,{written}\n");
        reader.take(body.as_bytes());
        let content = reader.finish().unwrap();
        let taken = (content.records.transmissions.len(), content.others);
        let expected = if is_own { (1, 0) } else { (0, 1) };
        assert_eq!(taken, expected, "{id} {written}");
    }
}

#[test]
fn records_of_others_are_counted_and_those_of_another_kind_are_none() {
    let table = "format = 'ndjson'\nsame = 'dep'\nwhere = { class = 'TPV', mode = 3 }";
    let fix = |dep: &str, class: &str, mode: u8| {
        format!(
            "{{\"dep\":\"{dep}\",\"class\":\"{class}\",\"mode\":{mode},\"time_stamp\":1,\"latitude\":2,\"longitude\":3}}\n"
        )
    };
    let body = [
        fix("petrel 1", "TPV", 3),
        fix("Petrel 1", "TPV", 3),
        fix("petrel 1", "SKY", 3),
        fix("petrel 1", "TPV", 0),
    ];
    let read = read(table, &body.concat()).unwrap();
    assert_eq!((read.records.count(), read.others), (1, 1));
}

#[test]
fn times_are_read_as_they_are_written() {
    // 2022-12-11T00:29:39Z by `date -u +%s`.
    let expected = 1_670_718_579.0;
    for (format, written) in [
        ("unix", "1670718579"),
        ("unix_ms", "1670718579000"),
        ("iso", "2022/12/11 00:29:39+00"),
        ("%d.%m.%Y %H:%M:%S", "11.12.2022 00:29:39"),
        ("%Y-%m-%dT%H:%M:%S%z", "2022-12-11T01:29:39+0100"),
    ] {
        let table = format!("format = 'csv'\ntime_format = '{format}'");
        let body = format!("time_stamp,latitude,longitude\n{written},1,2\n");
        let read = read(&table, &body).unwrap();
        let times = read
            .records
            .transmissions
            .iter()
            .map(|record| record.time_stamp);
        assert_eq!(times.collect::<Vec<_>>(), [expected], "{format}");
    }
    let table = "format = 'csv'\ntime = ['d', 't']\ntime_format = 'iso'";
    let body = "d,t,latitude,longitude\n2022-12-11,00:29:39,1,2\n";
    assert_eq!(
        read(table, body).unwrap().records.transmissions[0].time_stamp,
        expected
    );
    // A day beyond the year, and the first of a year.
    let table = "format = 'table'\ntime = ['y', 'd']\ntime_format = 'year_doy'";
    let read = read(table, "y d latitude longitude\n2022 1 1 2\n2022 400 1 2\n").unwrap();
    assert_eq!(read.records.transmissions[0].time_stamp, 1_640_995_200.0);
    assert_eq!(read.records.unusable_count(), 1);
}

#[test]
fn a_row_of_cells_between_blanks_that_lacks_one_is_no_position() {
    let body = "time_stamp latitude battery longitude sst\n1 54 12 7 9\n2 54 7 9\n3 54 12 7 9\n";
    let read = read("format = 'table'", body).unwrap();
    assert_eq!(read.records.transmissions.len(), 2);
    let fault = read.records.unusable[0].fault.to_string();
    assert_eq!(fault, "it has 4 cells under 5 names");
}

#[test]
fn a_row_of_units_below_the_names_is_no_record() {
    let body = "time,latitude,longitude,sst\nUTC,degrees_north,degrees_east,degree_C\n2022-12-11T00:29:39Z,1,2,NaN\n";
    let table = "format = 'csv'\ntime = 'time'\ntime_format = 'iso'";
    let read = read(table, body).unwrap();
    assert_eq!(
        (
            read.records.transmissions.len(),
            read.records.unusable_count()
        ),
        (1, 0)
    );
}

#[test]
fn each_kind_reads_an_answer_of_its_shape() {
    let at = (1_670_718_579.0, -71.625923, 4.733935);
    let signalk = data("sk-vessel-position.body");
    let iabp = data("iabp.dat");
    let rows = [
        (
            "erddap",
            "dataset = 'OSMC_30day'\nid = 'platform_code'",
            "{\"time\":\"2022-12-11T00:29:39Z\",\"latitude\":-71.625923,\"longitude\":4.733935,\"sst\":null}\n",
            1,
            at,
        ),
        (
            "iabp",
            "",
            iabp.as_str(),
            125,
            (1_670_718_578.976, -71.6259, 4.7339),
        ),
        (
            "traccar",
            "",
            r#"[{"id":7,"deviceId":3,"fixTime":"2022-12-11T00:29:39.000+00:00","latitude":-71.625923,"longitude":4.733935,"attributes":{"batteryLevel":80}}]"#,
            1,
            at,
        ),
        (
            "sofar",
            "",
            r#"{"data":{"spotterId":"SPOT-0222","track":[{"latitude":-71.625923,"longitude":4.733935,"timestamp":"2022-12-11T00:29:39.000Z"}]}}"#,
            1,
            at,
        ),
        (
            "spot",
            "",
            r#"{"response":{"feedMessageResponse":{"count":2,"messages":{"message":[
                {"unixTime":1670718579,"latitude":-71.625923,"longitude":4.733935,"batteryState":"GOOD"},
                {"unixTime":1670718580,"latitude":-99999,"longitude":-99999}]}}}}"#,
            1,
            at,
        ),
        (
            "movebank",
            "study = 2911040",
            r#"{"individuals":[{"locations":[{"timestamp":1670718579000,"location_lat":-71.625923,"location_long":4.733935}]}]}"#,
            1,
            at,
        ),
        (
            "argovis",
            "",
            r#"[{"_id":"4903654_001","timestamp":"2022-12-11T00:29:39.000Z","geolocation":{"type":"Point","coordinates":[4.733935,-71.625923]}}]"#,
            1,
            at,
        ),
        (
            "signalk",
            "",
            signalk.as_str(),
            1,
            (1_795_431_607.0, 60.107, 24.9),
        ),
    ];
    let kinds: toml::Table = include_str!("../../../assets/services.toml")
        .parse()
        .unwrap();
    let page = include_str!("../../../docs/src/services.md");
    for kind in kinds.keys() {
        let is_tried = rows.iter().any(|(tried, ..)| tried == kind);
        assert!(is_tried, "{kind} has no row above");
        assert!(page.contains(&format!("| `{kind}` | ")), "{kind}");
    }
    for (kind, more, body, fixes, first) in rows {
        let read = read(&format!("kind = '{kind}'\n{more}"), body);
        let read = read.unwrap_or_else(|fault| panic!("{kind}: {fault:?}"));
        assert_eq!(read.records.transmissions.len(), fixes, "{kind}");
        let fix = read.records.transmissions[0];
        let place = (
            fix.time_stamp,
            fix.position.latitude,
            fix.position.longitude,
        );
        assert_eq!(place, first, "{kind}");
    }
}

#[test]
fn the_time_of_a_mapped_record_without_a_position_is_read_by_its_own_name() {
    let table = "url = '{base_url}/{id}'\nformat = 'json'\ntime = 'when'\ntime_format = 'iso'\n\
        latitude = '/at/lat'\nlongitude = '/at/lon'";
    let body = r#"[{"when":"1970-01-01T00:00:07Z","at":{"lat":null,"lon":2}}]"#;
    let records = read(table, body).unwrap().records;
    let invalid = records.invalid_times[0];
    assert_eq!((invalid.time_stamp, invalid.lacks_position), (7.0, true));
}

#[test]
fn a_next_page_that_is_no_address_is_a_fault_and_none_is_none() {
    let read = |next: &str| {
        let body = format!(r#"{{"r":[{{"time_stamp":1,"latitude":2,"longitude":3}}]{next}}}"#);
        read(
            "url = \"{base_url}/{id}\"\nitems = \"/r\"\nnext = \"/next\"",
            &body,
        )
    };
    for next in [
        "",
        r#","next":null"#,
        r#","next":"""#,
        r#","next":" ""#,
        r#","next":false"#,
    ] {
        let answer = read(next).unwrap();
        assert_eq!((answer.records.count(), answer.next), (1, None), "{next}");
    }
    let answer = read(r#","next":"?page=2""#).unwrap();
    assert_eq!(answer.next.as_deref(), Some("?page=2"));
    for next in ["7", r#"{"page":7}"#, "[7]", "true"] {
        let fault = read(&format!(r#","next":{next}"#)).unwrap_err();
        let words = format!("the next page at /next is no address: {next}");
        assert_eq!(fault, AnswerFault::Unlike(words));
    }
}
