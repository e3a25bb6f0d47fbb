//! Names and addresses that go wrong, in a network of the test's own: no
//! resolver, one that never answers, an address that leads nowhere, a service
//! that moves.

use std::time::Duration;

use rustix::process::Signal;

use crate::driver::home::{DRIFTLINE, Home};
use crate::driver::pty::{Setting, Terminal};
use crate::driver::run::Run;
use crate::driver::{PATIENCE, SOON, until};
use crate::exit_status::{TOKEN, TRACK, UUID};

/// Answers every GET with the track and writes each down, at each address. It
/// ends with the program that took its parent's place.
const SERVER: &str = r#"
import ctypes, http.server, sys, threading
ctypes.CDLL(None).prctl(1, 9)
track = open("track.json", "rb").read()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open("asked", "a") as log:
            log.write(self.server.server_address[0] + "\n")
        self.send_response(200)
        self.send_header("Content-Length", str(len(track)))
        self.end_headers()
        self.wfile.write(track)
    def log_message(self, *_): pass
servers = [http.server.ThreadingHTTPServer((a, 80), Handler) for a in sys.argv[1:]]
for server in servers:
    threading.Thread(target=server.serve_forever, daemon=True).start()
open("ready", "w").close()
threading.Event().wait()
"#;

/// Takes every question and answers none.
const SILENCE: &str = r#"
import ctypes, socket, threading
ctypes.CDLL(None).prctl(1, 9)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 53))
open("ready", "w").close()
threading.Event().wait()
"#;

/// A home whose network is its own: `hosts` and `resolv.conf` in it are the
/// machine's, and `script`, with the program as `$DRIFTLINE`, runs in it.
struct Network {
    home: Home,
}

impl Network {
    fn new(hosts: &str) -> Network {
        let home = Home::new();
        home.write("hosts", hosts);
        home.write("resolv.conf", "nameserver 127.0.0.1\n");
        home.write("track.json", TRACK);
        home.write("server.py", SERVER);
        home.write("silence.py", SILENCE);
        home.write(
            ".config/driftline/config.toml",
            "[profile.sea]\nbase_url = \"http://svc.example\"\nallow_insecure_http = true\n",
        );
        Network { home }
    }

    fn arguments(&self, before: &str, script: &str) -> [String; 4] {
        let file = |name: &str| self.home.file(name).display().to_string();
        let line = format!(
            "mount --bind {} /etc/hosts && mount --bind {} /etc/resolv.conf || exit 99\n{before}\n\
             exec {DRIFTLINE} {script}",
            file("hosts"),
            file("resolv.conf"),
        );
        ["-rnm".to_owned(), "bash".to_owned(), "-c".to_owned(), line]
    }

    fn run(&self, before: &str, script: &str) -> Run {
        Run::program(&self.home, "unshare", self.arguments(before, script))
            .env("DRIFTLINE_TOKEN", TOKEN)
    }

    fn asked(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.home.file("asked")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }
}

/// Two addresses that answer, in a network that knows no other.
const SERVED: &str =
    "ip link set lo up; ip addr add 10.9.9.1/32 dev lo; ip addr add 10.9.9.2/32 dev lo
python3 server.py 10.9.9.1 10.9.9.2 </dev/null >/dev/null 2>&1 & until [ -e ready ]; do sleep 0.02; done";

#[test]
fn without_a_network_or_a_resolver_a_name_is_not_found_and_nothing_hangs() {
    needs!("python", "network-namespaces");
    let network = Network::new("127.0.0.1 localhost\n");
    for before in ["", "ip link set lo up"] {
        let line = format!("track {UUID} --base-url https://svc.example --timeout 2s");
        let answer = network.run(before, &line).ends_with(5);
        answer.says("svc.example");
        assert!(answer.took < Duration::from_secs(20), "{answer:#?}");
    }
}

#[test]
fn a_resolver_that_never_answers_holds_neither_the_status_nor_an_interruption() {
    needs!("python", "network-namespaces");
    let network = Network::new("127.0.0.1 localhost\n");
    let before = "ip link set lo up; python3 silence.py </dev/null >/dev/null 2>&1 & until [ -e ready ]; do sleep 0.02; done";
    let line = format!("track {UUID} --base-url https://svc.example --timeout 2s");
    let answer = network.run(before, &line).ends_with(5);
    assert!(answer.took < Duration::from_secs(30), "{answer:#?}");
    let line = format!("track {UUID} --base-url https://svc.example --timeout 60s");
    std::fs::remove_file(network.home.file("ready")).unwrap();
    let waiting = network.run(before, &line).start();
    until(PATIENCE, || {
        network.home.file("ready").exists().then_some(())
    });
    std::thread::sleep(Duration::from_millis(500));
    waiting.signal(Signal::INT);
    let answer = waiting.end();
    assert_eq!(answer.status, 130, "{answer:#?}");
    assert!(answer.took < Duration::from_secs(20), "{answer:#?}");
}

#[test]
fn an_address_that_leads_nowhere_is_passed_over_for_one_that_answers() {
    needs!("python", "network-namespaces");
    let network = Network::new("2001:db8::2 svc.example\n10.9.9.1 svc.example\n");
    // What is sent there is neither refused nor delivered.
    let before = format!("{SERVED}\nip -6 route add 2001:db8::/64 dev lo");
    let line = format!("track {UUID} --profile sea --format csv");
    let answer = network.run(&before, &line).ends_with(0);
    assert!(answer.took < SOON, "{answer:#?}");
    assert_eq!(network.asked(), ["10.9.9.1"]);
}

#[test]
fn a_service_that_moves_is_found_at_its_new_address_while_the_dashboard_runs() {
    needs!("python", "network-namespaces");
    let network = Network::new("10.9.9.1 svc.example\n");
    let arguments = network.arguments(SERVED, &format!("{UUID} --profile sea"));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let setting = Setting::default().env("DRIFTLINE_TOKEN", TOKEN);
    let terminal = Terminal::program(&network.home, "unshare", &arguments, setting);
    until(PATIENCE, || (network.asked().len() == 1).then_some(())).unwrap();
    terminal.shows("token sent unencrypted");
    std::fs::write(network.home.file("hosts"), "10.9.9.2 svc.example\n").unwrap();
    // A connection that was kept open may be used for a while.
    let found = until(Duration::from_secs(60), || {
        terminal.keys("r");
        std::thread::sleep(Duration::from_secs(1));
        network
            .asked()
            .contains(&"10.9.9.2".to_owned())
            .then_some(())
    });
    assert!(
        found.is_some(),
        "{:?}\n{}",
        network.asked(),
        terminal.screen()
    );
}

#[test]
fn a_localhost_that_is_elsewhere_gets_no_token() {
    needs!("python", "network-namespaces");
    let network = Network::new("10.9.9.1 localhost svc.localhost\n");
    for name in ["localhost", "svc.localhost"] {
        let line = format!("track {UUID} --base-url http://{name} --timeout 2s");
        let answer = network.run(SERVED, &line).go();
        assert!([2, 5].contains(&answer.status), "{answer:#?}");
        assert_eq!(answer.stdout, "");
    }
    assert!(network.asked().is_empty(), "{:?}", network.asked());
}
