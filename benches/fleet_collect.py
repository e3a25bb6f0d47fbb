#!/usr/bin/env python3
"""Measures collectors that share an archive on a PostgreSQL server.

    cargo build --release --features postgres
    python3 benches/fleet_collect.py [--deployments 100000] [--seconds 600]

It starts a server of its own (tests/postgres), puts the deployments on the watch
list with `deployments import`, and stores fixes of each and when it is due, evenly
over its interval: the state after a full interval. Then the collectors run, half of
them through PgBouncer. They ask a service of files, through a proxy that counts.
With --kill one collector is ended by SIGKILL in the middle.

Printed: what was asked for, what was asked for twice in its interval or not at all,
the memory and processor time of each collector, and what the server did.
"""

import argparse
import collections
import contextlib
import gzip
import hashlib
import http.client
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A request may come this long after a deployment is due: the jitter of collectors,
# and the next try of one that the other had the lease of.
PATIENCE = 60


def identifier(number):
    return str(uuid.UUID(bytes=hashlib.md5(b"deployment %d" % number).digest(), version=4))


def named(path):
    """The deployment that a request is for."""
    name = [part for part in path.split("?")[0].split("/") if len(part) == 36]
    return name[0] if name else path


class Server:
    """A PostgreSQL server with PgBouncer before it."""

    def __init__(self, *settings):
        words = [word for setting in settings for word in ("-c", setting)]
        self.program = subprocess.Popen(
            [os.path.join(ROOT, "tests/postgres"), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.folder, self.port, self.pooled = self.program.stdout.readline().split()
        self.run("CREATE DATABASE fleet", "postgres")

    def url(self, is_pooled):
        folder = self.folder.replace("/", "%2F")
        return "postgres://driftline@%s:%s/fleet" % (folder, self.pooled if is_pooled else self.port)

    def run(self, sql, database="fleet"):
        command = ["psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-U", "driftline"]
        command += ["-h", self.folder, "-p", self.port, "-d", database, "-c", sql]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def end(self):
        self.program.stdin.close()
        self.program.wait()


@contextlib.contextmanager
def set_up(prefix, *settings):
    """A folder, a server with these settings, and a list of programs: all end with the block."""
    folder = tempfile.mkdtemp(prefix=prefix)
    server, running = Server(*settings), []
    try:
        yield folder, server, running
    finally:
        for program in running:
            program.kill()
        server.end()
        shutil.rmtree(folder)


class Proxy:
    """Passes requests on to a service and notes each."""

    def __init__(self, base):
        host = base.split("//")[1].split("/")[0]
        self.requests, lock = [], threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                note = [time.time(), self.path, None]
                with lock:
                    outer.requests.append(note)
                onward = http.client.HTTPConnection(host, timeout=30)
                headers = {name: value for name, value in self.headers.items() if name.lower() != "host"}
                onward.request("GET", self.path, headers=headers)
                response = onward.getresponse()
                body = note[2] = response.read()
                self.send_response(response.status)
                for name, value in response.getheaders():
                    if name.lower() not in ("content-length", "transfer-encoding", "connection", "date"):
                        self.send_header(name, value)
                if response.status != 304:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                onward.close()

            def log_message(self, *_):
                pass

        self.port = listen(Handler)

    def asked(self):
        """The times of the requests for each deployment."""
        times = collections.defaultdict(list)
        for at, path, _ in list(self.requests):
            times[named(path)].append(at)
        return times

    def answers(self):
        """The requests for each deployment: when, and the records of the last answer."""
        answers = collections.defaultdict(list)
        for at, path, body in list(self.requests):
            earlier = answers[named(path)]
            records = earlier[-1][1] if earlier else []
            try:
                records = json.loads(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
            except (TypeError, ValueError, OSError):
                # Unchanged, or an error.
                pass
            earlier.append((at, records))
        return answers


def service(folder):
    """Serves a folder of tracks, each named by its deployment; returns its URL."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            try:
                with open(os.path.join(folder, named(self.path) + ".json"), "rb") as file:
                    status, body = 200, file.read()
            except OSError:
                status, body = 400, b'{"error":400,"message":"there is no such deployment"}'
            tag = '"%s"' % hashlib.md5(body).hexdigest()
            is_known = status == 200 and self.headers.get("If-None-Match") == tag
            self.send_response(304 if is_known else status)
            self.send_header("ETag", tag)
            if not is_known:
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if not is_known:
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    return "http://127.0.0.1:%d" % listen(Handler)


def listen(handler):
    """Answers requests in threads; returns the port."""

    class Threads(http.server.ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    server = Threads(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def memory(pid):
    """The present and the greatest resident memory in MB, and seconds of processor time."""
    found = {}
    try:
        with open("/proc/%d/status" % pid) as status:
            for line in status:
                if line.startswith(("VmRSS", "VmHWM")):
                    found[line[:5]] = int(line.split()[1]) / 1024
        with open("/proc/%d/stat" % pid) as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    ticks = os.sysconf("SC_CLK_TCK")
    return found["VmRSS"], found["VmHWM"], (int(fields[11]) + int(fields[12])) / ticks


def environment(folder, archive, base, token):
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {
        **kept,
        "HOME": folder,
        "DRIFTLINE_ARCHIVE": archive,
        "DRIFTLINE_BASE_URL": base,
        "DRIFTLINE_TOKEN": token,
    }


def row_hash(*texts):
    """The hash of an entry with a UUID, a label and a platform, as driftline has it."""
    packed = b"".join(b"\x03" + len(text).to_bytes(8, "little") + text.encode() for text in texts) + 3 * bytes(9)
    number = 0xCBF29CE484222325
    for byte in packed:
        number = (number ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return number - (number >> 63 << 64)


def watch(options, folder, server, path):
    """Puts the deployments on the watch list, the first by the program itself."""
    env = environment(folder, server.url(False), "http://127.0.0.1:9", "none")
    command = [options.binary, "deployments", "add", identifier(0), "--label", "buoy 0"]
    added = subprocess.run(command, env=env, capture_output=True)
    assert added.returncode == 0, added.stderr[-500:]
    with open(path, "w") as file:
        for number in range(1, options.deployments):
            texts = identifier(number), "buoy %d" % number, "generic"
            file.write("%s,%s,%s,%d,0,%d\n" % (*texts, number + 1, row_hash(*texts)))
    os.chmod(folder, 0o755)
    server.run("\\copy deployment (uuid, label, platform, list_position, added_at, row_hash) FROM '%s' (FORMAT csv)" % path)
    # The hash of the program itself is the same.
    own = int(server.run("SELECT row_hash FROM deployment WHERE id = 1"))
    assert own == row_hash(identifier(0), "buoy 0", "generic"), own


def fill(server, options, began):
    """Stores fixes of each deployment, and that it is due evenly over the interval."""
    interval, fixes = options.interval, options.fixes
    months = set()
    for back in range(0, interval * (fixes + 2), 86_400):
        months.add(time.strftime("%Y-%m", time.gmtime(began - back)))
    months.add(time.strftime("%Y-%m", time.gmtime(began + interval)))
    for month in months:
        year, number = map(int, month.split("-"))
        following = (year + number // 12, number % 12 + 1)
        first = "extract(epoch FROM timestamptz '%04d-%02d-01 00:00+00')::bigint"
        server.run(
            "DO $$ BEGIN EXECUTE format('CREATE TABLE IF NOT EXISTS transmission_%04d_%02d PARTITION OF"
            " transmission FOR VALUES FROM (%%s) TO (%%s)', %s, %s); END $$"
            % (year, number, first % (year, number), first % following)
        )
    count = options.deployments
    # When the next fix of the deployment with this number is due.
    due = "(%r + %d::float8 * (d.id - 1) / %d)" % (began, interval, count)
    server.run("SELECT setval('fetch_number', %d)" % (2 * count))
    server.run(
        'INSERT INTO "fetch" (id, deployment, at, status, bytes, new, late)'
        " SELECT id, id, %s - %d, 200, 4000, %d, 0 FROM deployment d" % (due, interval, fixes)
    )
    server.run(
        "INSERT INTO transmission SELECT d.id, floor(%s) - %d * n, 70 + n * 1e-3, 5 + n * 1e-3, d.id"
        " FROM deployment d, generate_series(1, %d) n" % (due, interval, fixes)
    )
    server.run(
        "INSERT INTO lease SELECT uuid, '', 0, %s + random() * 30 FROM deployment d" % due
    )
    server.run("ANALYZE")


def tracks(folder, options, began):
    """Writes the responses for what is due in the run; returns when each is due."""
    dues = {}
    for number in range(options.deployments):
        due = began + options.interval * number / options.deployments
        if due > began + options.seconds + PATIENCE:
            break
        name, due = identifier(number), int(due)
        rows = [
            '{"time_stamp":%d,"latitude":%.3f,"longitude":%.3f}' % (due - options.interval * n, 70 + n * 1e-3, 5 + n * 1e-3)
            for n in range(options.fixes, -1, -1)
        ]
        with open(os.path.join(folder, name + ".json"), "w") as file:
            file.write("[" + ",".join(rows) + "]")
        dues[name] = due
    return dues


def statistics_of(server):
    words = "xact_commit, tup_returned, tup_fetched, tup_inserted, tup_updated, pg_database_size(datname)"
    row = server.run("SELECT %s FROM pg_stat_database WHERE datname = 'fleet'" % words)
    return [int(number) for number in row.split("|")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deployments", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--interval", type=int, default=4 * 3600, help="seconds between two fixes")
    parser.add_argument("--fixes", type=int, default=50, help="stored of each deployment")
    parser.add_argument("--collectors", type=int, default=2)
    parser.add_argument("--kill", action="store_true", help="kill one collector in the middle")
    parser.add_argument("--binary", default=os.path.join(ROOT, "target/release/driftline"))
    options = parser.parse_args()
    settings = ["fsync=on", "shared_buffers=128MB", "shared_preload_libraries=pg_stat_statements"]
    with set_up("driftline-fleet.", *settings) as (folder, server, running):
        run(options, folder, server, running)


def run(options, folder, server, running):
    started = time.time()
    paths = [os.path.join(folder, name) for name in ("tracks", "list.csv")]
    watch(options, folder, server, paths[1])
    print("%d deployments put on the list in %.0f s" % (options.deployments, time.time() - started), flush=True)
    # Filling takes as long as it takes: what is due begins after it.
    began = time.time() + 10 + options.deployments * options.fixes / 40_000
    os.mkdir(paths[0])
    dues = tracks(paths[0], options, began)
    fill(server, options, began)
    print("filled in %.0f s" % (time.time() - started), flush=True)
    proxy = Proxy(service(paths[0]))
    base = "http://127.0.0.1:%d" % proxy.port
    server.run("CREATE EXTENSION pg_stat_statements; SELECT pg_stat_statements_reset()")
    before, first = statistics_of(server), time.time()
    collectors, logs = [], []
    for number in range(options.collectors):
        home = os.path.join(folder, "home%d" % number)
        os.mkdir(home)
        logs.append(open(os.path.join(home, "log"), "w+"))
        collectors.append(
            subprocess.Popen(
                [options.binary, "collect"],
                env=environment(home, server.url(number % 2 == 1), base, "fleet"),
                stderr=logs[-1],
                stdout=subprocess.DEVNULL,
            )
        )
    running += collectors
    end = max(began, time.time()) + options.seconds
    killed, last = None, [None] * options.collectors
    while time.time() < end:
        time.sleep(1)
        last = [memory(one.pid) or known for one, known in zip(collectors, last)]
        if options.kill and killed is None and time.time() > end - options.seconds / 2:
            collectors[0].send_signal(signal.SIGKILL)
            killed = time.time()
    after, spent = statistics_of(server), time.time() - first
    for one in collectors:
        if one.poll() is None:
            one.send_signal(signal.SIGTERM)
    codes = [one.wait() for one in collectors]
    ended = time.time()
    asked = proxy.asked()
    report(options, server, (dues, asked), (killed, ended), (before, after, spent))
    for number, (one, log) in enumerate(zip(last, logs)):
        log.seek(0)
        lines = log.read().splitlines()
        kinds = collections.Counter(line.split()[1] for line in lines if " " in line)
        print(
            "collector %d: %.0f MB, at most %.0f MB, processor %.1f s, ended with %s, log %s"
            % (number, *one, codes[number], dict(kinds))
        )
        for line in [line for line in lines if " fetched " not in line][:3]:
            print("    " + line[:200])


def report(options, server, requests, moments, database):
    (dues, asked), (killed, ended), (before, after, spent) = requests, moments, database
    count = sum(len(times) for times in asked.values())
    twice = {name: times for name, times in asked.items() if len(times) > 1}
    # What the killed collector had is asked for again.
    taken = {name for name, times in twice.items() if killed and times[0] < killed < times[1] and killed - times[0] < 30}
    owed = [name for name, due in dues.items() if due < ended - PATIENCE - 5]
    missed = [name for name in owed if name not in asked]
    late = sorted(asked[name][0] - dues[name] for name in asked if name in dues)
    print("requests: %d in %.0f s, %.1f a second" % (count, spent, count / spent))
    print("asked for twice in their interval: %d, besides %d that the killed collector had" % (len(twice) - len(taken), len(taken)))
    print("due and not asked for: %d of %d; asked for and not due: %d" % (len(missed), len(owed), len(set(asked) - set(dues))))
    if late:
        print("after they were due: median %.1f s, at most %.1f s" % (late[len(late) // 2], late[-1]))
    rows = ("transactions", "rows read in scans", "rows fetched", "rows inserted", "rows updated")
    print("database: " + ", ".join("%s %.1f a second" % (name, (b - a) / spent) for name, a, b in zip(rows, before, after)))
    print("size of the database: %.0f MB" % (after[5] / 2**20))
    print("tables: " + server.run(
        "SELECT string_agg(format('%s %s MB', c, round(size / 1048576.0, 1)), ', ') FROM ("
        " SELECT regexp_replace(relname, '_[0-9]{4}.*', '') AS c, sum(pg_total_relation_size(oid)) AS size FROM pg_class"
        " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace GROUP BY 1 ORDER BY 2 DESC LIMIT 6) t"
    ))
    print("statements by time (calls, mean ms, all s):")
    print(server.run(
        "SELECT format('  %s  %s  %s  %s', calls, round(mean_exec_time::numeric, 3), round(total_exec_time::numeric / 1000, 2),"
        " left(regexp_replace(query, '\\s+', ' ', 'g'), 110)) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid"
        " WHERE datname = 'fleet' ORDER BY query LIKE 'INSERT INTO lease%' DESC, total_exec_time DESC LIMIT 12"
    ), flush=True)


if __name__ == "__main__":
    sys.exit(main())
