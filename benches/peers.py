#!/usr/bin/env python3
"""Measures the whole program beside the compared tools and prints ratios.

    cargo build --release && cargo bench --no-run --bench structs
    python3 benches/peers.py [--build COMMIT]

With --build, the last row is the first build beside that of an earlier commit.
The whole takes about ten minutes, and as long again with --build.

csvlens (cargo install csvlens), curl and DuckDB (the Python package) are used
if they are installed; a row without its compared tool says so. Every figure is
the median of several runs; CPU time to CSV is the least. DuckDB is told its columns and their
types, runs with one thread and with its own choice, and the better figure counts. The tools run alternately, so that all are measured under the
same load.
"""

import fcntl
import glob
import http.server
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import socketserver
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DRIFTLINE = os.path.join(ROOT, "target/release/driftline")
UUID = "5b6ac2a0-43c5-4d30-9f1b-3c06a7f0e1aa"
RUNS = 5


def body(fixes):
    random.seed(1)
    latitude, longitude, rows = 70.0, 5.0, []
    # The track ended hours ago, so that the displayed age does not change every second.
    now = int(time.time()) - 3 * 3600
    for n in range(fixes):
        latitude += random.gauss(0, 2e-5)
        longitude += random.gauss(0, 4e-5)
        rows.append('{"time_stamp":%d,"latitude":%.6f,"longitude":%.6f}' % (now - 10 * (fixes - n), latitude, longitude))
    return ("[" + ",".join(rows) + "]").encode()


class Service:
    """A server with the same body at every URL."""

    def __init__(self, content):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]


def environment(url):
    home = tempfile.mkdtemp()
    keep = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return dict(keep, HOME=home, XDG_DATA_HOME=home, XDG_CONFIG_HOME=home, XDG_STATE_HOME=home, TERM="xterm-256color",
                COLORTERM="truecolor", LANG="C.UTF-8", DRIFTLINE_BASE_URL=url, DRIFTLINE_TOKEN="bench")


# Starts a process from a small one, because the memory of a large parent would
# count as the peak of its child.
STARTER = """
import json, os, subprocess, sys, time
command, env = json.loads(sys.argv[1])
began = time.monotonic()
child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, shell=isinstance(command, str))
_, status, used = os.wait4(child.pid, 0)
print(json.dumps([status, time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]))
"""


def process(command, env):
    """Wall time and CPU time (s) and peak memory (bytes) of a process."""
    words = json.dumps([command, dict(env)])
    answer = subprocess.run([sys.executable, "-S", "-c", STARTER, words], capture_output=True, text=True, check=True).stdout
    status, wall, cpu, peak = json.loads(answer)
    assert status == 0, (command, status)
    return wall, cpu, peak


class Screen:
    """A program in a pseudo-terminal of 160x48, which draws pictures if its cells have pixels."""

    def __init__(self, command, env, pixels=False):
        self.began = time.monotonic()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 160, 1600 * pixels, 960 * pixels))
            os.execvpe(command[0], command, env)
        self.seen = b""

    def read(self, seconds):
        if not select.select([self.terminal], [], [], seconds)[0]:
            return b""
        try:
            piece = os.read(self.terminal, 1 << 20)
        except OSError:
            return b""
        # A program may query the colours, the cursor position and the features of the
        # terminal; a real terminal replies, and without a reply csvlens waits.
        for asked, answer in ((b"\x1b_Gi=31,", b"\x1b_Gi=31;OK\x1b\\"),
                              (b"\x1b]10;?", b"\x1b]10;rgb:cccc/cccc/cccc\x07"),
                              (b"\x1b]11;?", b"\x1b]11;rgb:1111/1111/1111\x07"),
                              (b"\x1b[6n", b"\x1b[1;1R"), (b"\x1b[?u", b"\x1b[?0u"), (b"\x1b[c", b"\x1b[?62;22c")):
            if asked in piece:
                os.write(self.terminal, answer)
        self.seen += piece
        return piece

    def wait(self, pattern, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(pattern, re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", self.seen)):
                return time.monotonic() - self.began
            self.read(0.05)
        raise RuntimeError("never seen: %r" % pattern)

    def settle(self, quiet=0.5, most=3.0):
        """Reads until there is no output for a while; some programs never stop drawing."""
        end = time.monotonic() + most
        while time.monotonic() < end and self.read(quiet):
            pass

    def keys(self, key, times):
        """Seconds from a key to the first bytes of the change."""
        taken = []
        for _ in range(times):
            self.settle(0.03, 0.3)
            began = time.monotonic()
            os.write(self.terminal, key)
            if self.read(1.0):
                taken.append(time.monotonic() - began)
        return sorted(taken)

    def idle(self, seconds):
        """CPU seconds and wake-ups of the idle program."""
        def used():
            fields = open("/proc/%d/stat" % self.pid).read().rsplit(")", 1)[1].split()
            woken = {}
            for task in glob.glob("/proc/%d/task/*/status" % self.pid):
                for line in open(task):
                    if line.startswith("voluntary_ctxt_switches"):
                        woken[task] = int(line.split()[1])
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), woken
        self.settle(0.4)
        # Idle threads end after a while.
        time.sleep(12)
        cpu, before = used()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.2)
        cpu_after, after = used()
        return cpu_after - cpu, sum(count - before.get(task, 0) for task, count in after.items())

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def row(work, ours, theirs, unit, most):
    if theirs is None:
        print(f"| {work} | {ours:.3g} {unit} | not found | – | ≤ {most} |")
        return
    ratio = ours / theirs if theirs else float("inf") if ours else 0.0
    print(f"| {work} | {ours:.3g} {unit} | {theirs:.3g} {unit} | {ratio:.2f} | ≤ {most} |", flush=True)


def alone(work, ours, unit, most=None):
    """A row of something that no compared tool does."""
    goal = "–" if most is None else f"≤ {most:g} {unit}"
    print(f"| {work} | {ours:.3g} {unit} | – | – | {goal} |", flush=True)


def p95(taken):
    """The 95th percentile of some times; endless if nothing was seen."""
    return sorted(taken)[int(len(taken) * 0.95)] if taken else float("inf")


def memory_at_most(pid):
    """The greatest resident memory of a process so far, MB."""
    return int(re.search(r"VmHWM:\s+(\d+)", open("/proc/%d/status" % pid).read()).group(1)) * 1024 / 1e6


def median(values):
    return statistics.median(values)


def by_turns(one, other):
    ours, theirs = [], []
    for _ in range(RUNS):
        ours.append(one())
        if other:
            theirs.append(other())
    return ours, theirs


def csv_of(content, path):
    with open(path, "w") as out:
        out.write("time_stamp,latitude,longitude\n")
        for record in re.finditer(rb'"time_stamp":(\d+),"latitude":([-\d.]+),"longitude":([-\d.]+)', content):
            out.write(",".join(part.decode() for part in record.groups()) + "\n")


def row_of(path, line):
    """A pattern of the last value in a line of a CSV file, as a screen shows it."""
    with open(path) as lines:
        values = lines.read().split("\n")[line].split(",")
    return re.escape(values[-1]).encode()


def python_of_tests():
    """The Python with the libraries of tests/requirements.txt, if it is there."""
    python = os.path.join(ROOT, "target/test-tools/python/bin/python3")
    return python if os.path.exists(python) else sys.executable


def builds(commit):
    """A row of the first build, by turns with that of an earlier commit."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "--quiet", ROOT, folder + "/then"], check=True)
        subprocess.run(["git", "checkout", "--quiet", commit], cwd=folder + "/then", check=True)

        def build(source):
            target = tempfile.mkdtemp(dir=folder)
            began = time.monotonic()
            subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "--target-dir", target], cwd=source, check=True)
            taken = time.monotonic() - began
            shutil.rmtree(target)
            return taken

        row("first build from an empty target / that of %s" % commit, build(ROOT), build(folder + "/then"), "s", 0.5)


def main():
    folder = tempfile.mkdtemp()
    csvlens = shutil.which("csvlens") or next(iter(glob.glob(os.path.join(ROOT, "target/test-tools/csvlens/bin/csvlens"))), None)
    structs = max((path for path in glob.glob(os.path.join(ROOT, "target/release/deps/structs-*")) if not path.endswith(".d")), key=os.path.getmtime, default=None)
    python = python_of_tests()
    has_duckdb = subprocess.run([python, "-c", "import duckdb"], capture_output=True).returncode == 0
    versions = [subprocess.run(command, capture_output=True, text=True).stdout.split("\n")[0] for command in
                [[DRIFTLINE, "--version"]] + ([[csvlens, "--version"]] if csvlens else []) + [["curl", "--version"]]]
    if has_duckdb:
        versions.append("duckdb " + subprocess.run([python, "-c", "import duckdb; print(duckdb.__version__)"], capture_output=True, text=True).stdout.strip())
    print("; ".join(versions), f"; {os.cpu_count()} cores; median of {RUNS}\n")
    print("| work | driftline | peer | ratio | must be |\n|---|---|---|---|---|")

    small, large = body(1_000), body(1_000_000)
    one, many = Service(small), Service(large)
    csv_of(small, folder + "/small.csv"), csv_of(large, folder + "/large.csv")
    open(folder + "/large.json", "wb").write(large)

    def opened(command, env, pattern):
        screen = Screen(command, env)
        taken = screen.wait(pattern)
        screen.close()
        return taken

    # The rows of csvlens stand before the name of its file, which it paints later.
    # An answer that comes over the network is in a file already for csvlens: what
    # curl takes for it is not counted.
    ours, theirs, downloads = [], [], []
    for _ in range(2 * RUNS):
        ours.append(opened([DRIFTLINE, UUID], environment(one.url), rb"fixes\s*1[\s,]000"))
        downloads.append(process(["curl", "-s", "-o", "/dev/null", one.url + "/x"], os.environ)[0])
        if csvlens:
            theirs.append(opened([csvlens, folder + "/small.csv"], environment(""), row_of(folder + "/small.csv", 10)))
    download = median(downloads)
    row("start to 1,000 fixes on the screen, less the %.0f ms of curl / csvlens, start to its rows" % (download * 1e3),
        (median(ours) - download) * 1e3, median(theirs) * 1e3 if theirs else None, "ms", 2.0)
    archived = environment(one.url)
    subprocess.run([DRIFTLINE, "deployments", "add", UUID], env=archived, check=True, capture_output=True)
    subprocess.run([DRIFTLINE, "track", UUID, "--output", folder + "/small.json"], env=archived, check=True, capture_output=True)
    ours = [opened([DRIFTLINE, UUID], archived, rb"fixes\s*1[\s,]000") for _ in range(2 * RUNS)]
    row("start to 1,000 archived fixes on the screen / csvlens, start to its rows",
        median(ours) * 1e3, median(theirs) * 1e3 if theirs else None, "ms", 2.0)

    told = "columns = {time_stamp: 'BIGINT', latitude: 'DOUBLE', longitude: 'DOUBLE'}, format = 'array'"
    sql = f"COPY (SELECT * FROM read_json('{folder}/large.json', {told})) TO '{folder}/duck.csv' (HEADER)"
    duckdb = lambda words: process([python, "-c", f"import duckdb; duckdb.sql({words!r})"], os.environ)
    ours, theirs = by_turns(
        lambda: process([DRIFTLINE, "track", UUID, "--format", "csv", "--output", folder + "/ours.csv"], environment(many.url)),
        (lambda: [duckdb(sql), duckdb("SET threads = 1; " + sql)]) if has_duckdb else None)
    least = lambda runs: min(run[1] for run in runs)
    row("a million fixes to CSV, CPU / DuckDB, the same JSON to CSV without legs",
        least(ours), least(sum(theirs, [])) if theirs else None, "s", 0.9)
    memory = lambda runs: median([run[2] for run in runs]) / 1e6
    row("the same, peak memory / DuckDB", memory(ours), min(map(memory, zip(*theirs))) if theirs else None, "MB", 0.25)

    ours, theirs = by_turns(
        lambda: opened([DRIFTLINE, UUID], environment(many.url), rb"fixes\s*1[ ,]000[ ,]000"),
        structs and (lambda: process(f"curl -s {many.url}/x | {structs}", os.environ)[0]))
    row("a million fixes to table and map / curl and serde_json into structs", median(ours), median(theirs) if theirs else None, "s", 1.3)

    screen = Screen([DRIFTLINE, UUID], environment(many.url))
    screen.wait(rb"fixes\s*1[ ,]000[ ,]000")
    os.write(screen.terminal, b"g")
    keys, (cpu, woken) = screen.keys(b"j", 200), screen.idle(20)
    screen.close()
    if csvlens:
        screen = Screen([csvlens, folder + "/large.csv"], environment(""))
        screen.wait(rb"large\.csv")
        screen.settle(1)
        their_keys, (their_cpu, their_woken) = screen.keys(b"j", 200), screen.idle(20)
        screen.close()
        row("key to frame at a million, p95 / csvlens", p95(keys) * 1e3, p95(their_keys) * 1e3, "ms", "4 ms")
        row("idle for 20 s, CPU / csvlens", cpu * 1e3, their_cpu * 1e3, "ms", 0.25)
        row("idle for 20 s, wake-ups / csvlens", woken, their_woken, "", 0.25)
    else:
        alone("key to frame at a million, p95", p95(keys) * 1e3, "ms", 4)
        row("idle for 20 s, CPU", cpu * 1e3, None, "ms", 0.25)
    # The other benchmarks use what is above.
    import fields, keys as keymap, large, slow_link
    fields_measured = fields.measure(folder)
    fields.rows(*fields_measured)
    taken, _, _, memories = keymap.measure(3)
    keymap.rows(taken, memories)
    large.rows()
    slow_link.rows(DRIFTLINE)
    if "--build" in sys.argv:
        builds(sys.argv[sys.argv.index("--build") + 1])


if __name__ == "__main__":
    main()
