#!/usr/bin/env python3
"""Measures the program and curl over a slow ship's link.

    cargo build --release
    python3 benches/slow_link.py [PROGRAM]

The link is a proxy on loopback: 64 kbit/s in each direction for everything
together, 400 ms each way, one round trip more for a new connection, and a cut
of 5 s in each minute, which ends every connection. The service behind it sends
gzip to whoever asks for it, and answers 304 to a validator. A day of eight buoys
is counted from the bytes of one round in which nothing changed and one in which
all did.
"""

import asyncio
import gzip
import hashlib
import http.server
import os
import random
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import peers

BYTES_A_SECOND = 8_000
ONE_WAY_S = 0.4
CUT_EVERY_S = 60
CUT_S = 5
PIECE = 1_000
# A buoy that reports each hour, for half a year.
FIXES = 4_380
BUOYS = 8
A_DAY = "a day of eight buoys that report each hour / fetching all each minute"


def body(fixes):
    """Records of a buoy with a temperature and a battery, one an hour."""
    random.seed(2)
    latitude, longitude, rows = 81.0, 5.0, []
    end = int(time.time()) - 600
    for n in range(fixes):
        latitude += random.gauss(0, 2e-3)
        longitude += random.gauss(0, 1e-2)
        rows.append('{"time_stamp":%d,"latitude":%.5f,"longitude":%.5f,"air_temp":%.2f,"battery_voltage":%.2f}' % (
            end - 3600 * (fixes - n), latitude, longitude, random.gauss(-12, 4), 12.6 - n / fixes))
    return ("[" + ",".join(rows) + "]").encode()


class Service:
    """The service on its own side of the link."""

    def __init__(self, content):
        self.content, self.requests = content, 0
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                service.requests += 1
                tag = '"%s"' % hashlib.sha1(service.content).hexdigest()
                if self.headers.get("If-None-Match") == tag:
                    self.send_response(304)
                    self.send_header("ETag", tag)
                    self.end_headers()
                    return
                content, packed = service.content, "gzip" in self.headers.get("Accept-Encoding", "")
                if packed:
                    content = gzip.compress(content, 6)
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("ETag", tag)
                if packed:
                    self.send_header("Content-Encoding", "gzip")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                try:
                    self.wfile.write(content)
                except OSError:
                    pass

            def log_message(self, *_):
                pass

        class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.port = server.server_address[1]


class Link:
    """A slow link to a port, with cuts where they are asked for."""

    def __init__(self, port):
        self.port, self.bytes, self.cuts_since = port, 0, None
        self.open, self.free = set(), {"up": 0.0, "down": 0.0}
        ready = threading.Event()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.run, args=(ready,), daemon=True).start()
        ready.wait()
        self.url = "http://127.0.0.1:%d" % self.near

    def run(self, ready):
        asyncio.set_event_loop(self.loop)

        async def serve():
            server = await asyncio.start_server(self.connected, "127.0.0.1", 0)
            self.near = server.sockets[0].getsockname()[1]
            ready.set()
            while True:
                await asyncio.sleep(0.1)
                if self.is_cut():
                    for writer in list(self.open):
                        writer.transport.abort()

        self.loop.run_until_complete(serve())

    def is_cut(self):
        since = self.cuts_since
        return since is not None and (time.monotonic() - since) % CUT_EVERY_S > CUT_EVERY_S - CUT_S

    async def connected(self, reader, writer):
        if self.is_cut():
            writer.transport.abort()
            return
        ends = [writer]
        self.open.add(writer)
        await asyncio.sleep(2 * ONE_WAY_S)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.port)
            ends.append(far_writer)
            self.open.add(far_writer)
            await asyncio.gather(self.carry(reader, far_writer, "up"), self.carry(far_reader, writer, "down"))
        except OSError:
            pass
        finally:
            for end in ends:
                self.open.discard(end)
                end.transport.abort()

    async def carry(self, reader, writer, way):
        """Hands bytes on when their turn on the link has come and the way is made."""
        under_way = asyncio.Queue(maxsize=64)

        async def arrive():
            while True:
                at, piece = await under_way.get()
                await asyncio.sleep(max(0.0, at - time.monotonic()))
                if not piece:
                    if writer.can_write_eof():
                        writer.write_eof()
                    return
                writer.write(piece)
                await writer.drain()

        arriving = asyncio.ensure_future(arrive())
        try:
            while True:
                piece = await reader.read(PIECE)
                now = time.monotonic()
                self.free[way] = max(now, self.free[way]) + len(piece) / BYTES_A_SECOND
                self.bytes += len(piece)
                await under_way.put((self.free[way] + ONE_WAY_S, piece))
                if not piece:
                    break
                await asyncio.sleep(max(0.0, self.free[way] - time.monotonic()))
            await arriving
        finally:
            arriving.cancel()


def counted(link, work):
    """Seconds and bytes of the link that some work takes."""
    # What an aborted connection still sends does not count for the next work.
    time.sleep(1)
    link.bytes = 0
    began = time.monotonic()
    work()
    return time.monotonic() - began, link.bytes


def run(command, env):
    done = subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, (command, done.returncode, done.stderr)


def run_until_done(command, env):
    """A shell's loop: three attempts within seconds do not outlast a cut of 5 s."""
    while subprocess.run(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        time.sleep(1)


def measure(program):
    """Yields what was done, then seconds and bytes of driftline and of curl (None where
    curl has no such thing), one work after the other; at last the bytes of a day."""
    service = Service(body(FIXES))
    link = Link(service.port)
    env = peers.environment(link.url)
    path = "/public/deployment/data/" + peers.UUID
    curl = ["curl", "-sS", "--compressed", "--retry", "9", "--retry-all-errors", "--retry-delay", "1", "-o", os.devnull, link.url + path]
    track = [program, "track", peers.UUID, "--format", "csv"]
    yield "one track", counted(link, lambda: run(track, env)), counted(link, lambda: run(curl, env))

    # The cut falls into the middle of the transfer.
    whole = len(gzip.compress(service.content, 6)) / BYTES_A_SECOND
    costs = []
    for command in (track, curl):
        home = peers.environment(link.url)
        link.cuts_since = time.monotonic() - (CUT_EVERY_S - CUT_S - 1 - 2 - whole / 2)
        costs.append(counted(link, lambda: run_until_done(command, home)))
    link.cuts_since = None
    yield "one track, cut in its middle", *costs

    # The dashboard: first without an archive, then with the last session's.
    at_home = peers.environment(link.url)
    for words in ("start to a track on the screen, first time", "start to a track on the screen, from the archive"):
        shown = []

        def start():
            screen = peers.Screen([program, peers.UUID], at_home)
            shown.append(screen.wait(rb"fixes\s*4.?380", 120))
            time.sleep(2)
            screen.close()

        _, moved = counted(link, start)
        yield words, (shown[0], moved), counted(link, lambda: run(curl, env))

    # Eight buoys: a round with everything new to the program, one unchanged, one changed.
    env = peers.environment(link.url)
    for number in range(BUOYS):
        run([program, "deployments", "add", "00000000-0000-4000-8000-%012d" % number, "--label", "buoy %d" % number], env)
    # `collect` would ask for none again until its next fix is due; `track` asks at once.
    names = ["buoy %d" % number for number in range(BUOYS)]
    fetch = [program, "track", *names, "--output", tempfile.mkdtemp() + "/", "--format", "csv"]
    for name in ("first", "unchanged", "changed"):
        if name == "changed":
            service.content = body(FIXES + 1)
        asked = service.requests
        took = counted(link, lambda: run(fetch, env))
        yield "%s round of %d buoys (%d requests)" % (name, BUOYS, service.requests - asked), took, None
    # A program that fetches all each minute without compression.
    yield A_DAY, (24 * 3600, 24 * took[1]), (24 * 3600, 24 * 60 * BUOYS * len(service.content))


def rows(program):
    """Prints the rows of the table of peers.py."""
    chosen = {
        "one track": ("a track of 62 kB over 64 kbit/s and 800 ms / curl", 1.1),
        "one track, cut in its middle": ("the same, the link cut for 5 s / curl with retries", 1.1),
        "start to a track on the screen, first time": ("the same, start to the track on the screen / curl", 1.2),
        "start to a track on the screen, from the archive": ("the same from the archive / curl", 0.1),
    }
    for work, ours, theirs in measure(program):
        if work in chosen:
            peers.row(chosen[work][0], ours[0], theirs[0], "s", chosen[work][1])
        elif work == A_DAY:
            peers.row("a day of eight buoys over that link / fetching all each minute", ours[1] / 1e6, theirs[1] / 1e6, "MB", 0.01)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else peers.DRIFTLINE
    print("| work | driftline | curl | ratios |\n|---|---|---|---|")
    for work, ours, theirs in measure(program):
        if theirs is None:
            print("| %s | %.1f s, %.1f kB | – | – |" % (work, ours[0], ours[1] / 1e3), flush=True)
        else:
            print("| %s | %.2f s, %.1f kB | %.2f s, %.1f kB | %.2f, %.3f |" % (
                work, ours[0], ours[1] / 1e3, theirs[0], theirs[1] / 1e3, ours[0] / theirs[0], ours[1] / theirs[1]), flush=True)


if __name__ == "__main__":
    main()
