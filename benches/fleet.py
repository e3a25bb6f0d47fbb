#!/usr/bin/env python3
"""Measures the dashboard on a fleet: an archive with many deployments.

    cargo build --release
    python3 benches/fleet.py [--deployments 10000] [--fixes 200] [--binary PATH]

It makes an archive of these deployments in a folder of its own, starts a service
that answers each request with 304, and opens the dashboard on it in a
pseudo-terminal of 160x48: first with an archive that has no overview of any
deployment, as one of before has none, then again. One deployment is lost and has
the last name: it is on the first row once the whole list is known.
"""

import argparse
import http.server
import os
import re
import socketserver
import sqlite3
import statistics
import subprocess
import threading
import time

from peers import ROOT, Screen, environment

LAST = "zzz-lost"
# Seconds between two fixes of a deployment.
INTERVAL = 4 * 3600


class Unchanged:
    """A service whose data have not changed."""

    def __init__(self):
        outer = self
        self.requests = self.at_once = self.most = 0
        self.lock = threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with outer.lock:
                    outer.requests += 1
                    outer.at_once += 1
                    outer.most = max(outer.most, outer.at_once)
                self.send_response(304)
                self.send_header("ETag", '"1"')
                self.end_headers()
                with outer.lock:
                    outer.at_once -= 1

            def log_message(self, *_):
                pass

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True
            request_queue_size = 64

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d/" % self.server.server_address[1]


def fill(path, deployments, fixes, url):
    """Writes the deployments with their transmissions into an empty archive."""
    now = int(time.time())
    archive = sqlite3.connect(path)
    archive.execute("PRAGMA synchronous = OFF")
    archive.execute("DELETE FROM deployment")
    archive.execute("CREATE TEMP TABLE made (id INTEGER PRIMARY KEY, last REAL, latitude REAL, longitude REAL)")
    rows, made = [], []
    for n in range(1, deployments + 1):
        lost = n == deployments
        label = LAST if lost else f"buoy-{n:05}"
        rows.append((n, f"5b6ac2a0-43c5-4d30-9f1b-{n:012x}", label, n, now - 90 * 86400))
        # Half an hour to 7 h: on time, late and overdue.
        age = 40 * 86400 if lost else 1800 + n * 7919 % (13 * INTERVAL // 2 - 1800)
        made.append((n, now - age, -70 + n * 37 % 140, -180 + n * 101 % 360))
    archive.executemany("INSERT INTO deployment (id, uuid, label, list_position, added_at) VALUES (?, ?, ?, ?, ?)", rows)
    archive.executemany("INSERT INTO made VALUES (?, ?, ?, ?)", made)
    archive.execute(
        "INSERT INTO fetch (deployment, at, status, bytes, new, late, source, etag) SELECT id, ?, 200, 1000, 1, 0, ?, '\"1\"' FROM made",
        # As driftline names a service, without which it would not send the validator.
        (now - 3600, url.rstrip("/")))
    archive.execute(
        f"""WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < {fixes} - 1)
        INSERT INTO transmission (deployment, time, latitude, longitude, first_seen)
        SELECT id, last - {INTERVAL}.0 * ({fixes} - 1 - n), latitude + 0.004 * n + 0.01 * (n * 7 % 3), longitude + 0.003 * n, 1 FROM made, n""")
    archive.commit()
    archive.close()


def status(pid):
    """Memory now and at most (MB), and threads."""
    text = open(f"/proc/{pid}/status").read()
    number = lambda name: int(re.search(name + r":\s+(\d+)", text).group(1))
    return number("VmRSS") / 1e3, number("VmHWM") / 1e3, number("Threads")


def fractions(taken):
    return f"median {statistics.median(taken) * 1e3:.1f} ms, p95 {taken[int(len(taken) * 0.95)] * 1e3:.1f} ms, most {taken[-1] * 1e3:.1f} ms"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--deployments", type=int, default=10_000)
    options.add_argument("--fixes", type=int, default=200)
    options.add_argument("--binary", default=os.path.join(ROOT, "target/release/driftline"))
    options.add_argument("--most", type=float, default=120, help="seconds that a start may take")
    options = options.parse_args()

    service = Unchanged()
    env = environment(service.url)
    path = os.path.join(env["HOME"], "archive.db")
    command = [options.binary, "--archive", path]
    subprocess.run(command + ["deployments", "add", "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa"], env=env, check=True, capture_output=True)
    began = time.monotonic()
    fill(path, options.deployments, options.fixes, service.url)
    print(f"{options.deployments} deployments x {options.fixes} fixes, {os.path.getsize(path) / 1e6:.0f} MB, made in {time.monotonic() - began:.1f} s; {os.cpu_count()} cores", flush=True)

    for start in ("first start, no overviews", "second start"):
        before = service.requests
        screen = Screen(command, env)
        try:
            taken = screen.wait(LAST.encode() + rb".{0,40}\d", options.most)
            print(f"{start}: the list is there after {taken:.2f} s", flush=True)
        except RuntimeError:
            print(f"{start}: the list is not there after {options.most:.0f} s", flush=True)
        if "first" in start:
            # Until each has been asked for.
            end = time.monotonic() + options.most
            while service.requests - before < options.deployments and time.monotonic() < end:
                screen.read(0.5)
            print(f"{start}: {service.requests - before} requests in {time.monotonic() - screen.began:.1f} s, {service.most} at once at most")
        else:
            os.write(screen.terminal, b"p")
            screen.settle(0.5, 20)
            for key, name in ((b"j", "j"), (b"k", "k"), (b"\x04", "Ctrl-D"), (b"s", "s, which sorts anew")):
                taken = screen.keys(key, 100)
                print(f"{start}: key {name}: {fractions(taken)} of {len(taken)}", flush=True)
        print("%s: memory %.0f MB, at most %.0f MB, %d threads" % ((start,) + status(screen.pid)), flush=True)
        screen.close()


if __name__ == "__main__":
    main()
