#!/usr/bin/env python3
"""Runs two dashboards and two collectors on one archive on a PostgreSQL server.

    cargo build --release --features postgres
    python3 benches/shared_archive.py [--seconds 900]

They watch the simulated instruments of the embedded service, which is asked through
a proxy that counts; one of each goes through PgBouncer. Every minute one dashboard
acknowledges an alarm, and the other must show it within 8 s. In the end: what was
asked for before it was due again, and whether both dashboards show the same fixes.
"""

import argparse
import collections
import fcntl
import json
import os
import re
import signal
import statistics
import struct
import subprocess
import sys
import termios
import time

from fleet_collect import ROOT, Proxy, environment, memory, set_up
from peers import Screen

# The shortest wait between two requests: the default of the setting `refresh`.
REFRESH = 60


class Dashboard(Screen):
    """A dashboard whose whole screen can be read as text."""

    width = 160

    def text(self):
        # A screen of another width is drawn anew as a whole.
        self.width = 159 if self.width == 160 else 160
        self.settle(0.2, 1)
        self.seen = b""
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 48, self.width, 0, 0))
        self.settle(0.6, 4)
        return re.sub(rb"\x1b\][^\x07]*\x07|\x1b\[[0-9;?]*[a-zA-Z]", b" ", self.seen).decode(errors="replace")

    def press(self, keys):
        os.write(self.terminal, keys.encode())
        self.settle(0.4, 3)


def due_after(body, asked):
    """When the next request may come after an answer, by what it holds."""
    times = sorted({record["time_stamp"] for record in body if isinstance(record.get("time_stamp"), (int, float))})
    times = [time_stamp for time_stamp in times if time_stamp <= asked]
    if len(times) < 3:
        return asked + REFRESH
    interval = statistics.median(b - a for a, b in zip(times[-21:], times[-20:]))
    due = times[-1] + interval
    is_on_time = asked - times[-1] <= 1.5 * interval
    return due if is_on_time and due >= asked + REFRESH else asked + REFRESH


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=900)
    parser.add_argument("--binary", default=os.path.join(ROOT, "target/release/driftline"))
    options = parser.parse_args()
    with set_up("driftline-shared.", "fsync=on") as (folder, server, running):
        run(options, folder, server, running)


def run(options, folder, server, running):
    service = subprocess.Popen([options.binary, "demo", "--serve"], stdout=subprocess.PIPE, text=True)
    running.append(service)
    about = json.loads(service.stdout.readline())
    proxy = Proxy(about["base_url"])
    host = about["base_url"].split("//")[1].split("/")[0]
    base = about["base_url"].replace(host, "127.0.0.1:%d" % proxy.port)

    def home(number):
        path = os.path.join(folder, "home%d" % number)
        os.makedirs(path, exist_ok=True)
        env = environment(path, server.url(number % 2 == 1), base, about["token"])
        return dict(env, TERM="xterm-256color", LANG="C.UTF-8")

    def command(*words):
        done = subprocess.run([options.binary, *words], env=home(9), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    for one in about["deployments"]:
        command("deployments", "add", one["uuid"], "--label", one["label"], "--max-age", "3h")
    collectors, logs = [], []
    for number in range(2):
        logs.append(open(os.path.join(folder, "log%d" % number), "w+"))
        collectors.append(subprocess.Popen([options.binary, "collect"], env=home(number), stderr=logs[-1]))
    running += collectors
    dashboards = [Dashboard([options.binary], home(2 + number)) for number in range(2)]
    try:
        for one in dashboards:
            one.wait(rb"on time|late|overdue|lost", 60)
        acknowledged = watch(options, dashboards, command)
        finish(dashboards, collectors, logs, proxy, acknowledged)
    finally:
        for one in dashboards:
            one.close()


def seen_acknowledged(screen):
    """The number of alarms in the header of which somebody knows; nought if it has none."""
    found = re.search(r"⚐\s+(\d+)\s+acknowledged", screen.text())
    return int(found.group(1)) if found else 0


def raised(command):
    """The alarms of which nobody has said anything."""
    return [one for one in json.loads(command("alarms", "--json")) if one["state"] == "raised"]


def watch(options, dashboards, command):
    """Acknowledges an alarm a minute; returns how long each took to be seen."""
    end, taken = time.time() + options.seconds, []
    for one in dashboards:
        one.press("A")
    while time.time() < end:
        count = len(raised(command))
        if count:
            first, second = dashboards if len(taken) % 2 == 0 else reversed(dashboards)
            before = seen_acknowledged(second)
            first.press("g")
            for _ in range(count + len(taken) + 1):
                asked = time.time()
                first.press("a")
                if len(raised(command)) < count:
                    break
                # Somebody has said something of this one already.
                first.press("j")
            while seen_acknowledged(second) <= before and time.time() < asked + 30:
                first.settle(0.1, 0.2)
            if time.time() >= asked + 30:
                print("an alarm was not seen as acknowledged:", second.text()[:400], flush=True)
            taken.append(time.time() - asked)
            print("alarm acknowledged, seen by the other after %.1f s" % taken[-1], flush=True)
        until = min(end, time.time() + 60)
        while time.time() < until:
            for one in dashboards:
                one.read(0.5)
    return taken


def finish(dashboards, collectors, logs, proxy, acknowledged):
    used = [memory(one.pid) for one in (*collectors, *dashboards)]
    for one in collectors:
        one.send_signal(signal.SIGTERM)
    codes = [one.wait() for one in collectors]
    early, count = [], 0
    for name, answers in proxy.answers().items():
        count += len(answers)
        for (asked, body), (again, _) in zip(answers, answers[1:]):
            due = due_after(body, asked)
            # A second for the clocks of the programs and of the proxy.
            if again < due - 1:
                early.append((name, again - asked, due - again))
    print("requests: %d for %d deployments" % (count, len(proxy.answers())))
    print("asked for before it was due again: %d %s" % (len(early), early[:5]))
    print("alarms acknowledged: %d, seen by the other after at most %.1f s" % (len(acknowledged), max(acknowledged, default=0)))
    screens = []
    for one in dashboards:
        one.press("A")
        one.press("1")
        screens.append(sorted(set(re.findall(r"\d+\.\d{3,}[° ]*[NSEW]", one.text()))))
    print("positions shown by the dashboards: %d and %d, the same: %s" % (len(screens[0]), len(screens[1]), screens[0] == screens[1]))
    names = ("collector", "collector", "dashboard", "dashboard")
    for name, one in zip(names, used):
        print("%s: %.0f MB, at most %.0f MB, processor %.1f s" % (name, *one))
    for code, log in zip(codes, logs):
        log.seek(0)
        lines = log.read().splitlines()
        print("ended with %s, log %s" % (code, dict(collections.Counter(line.split()[1] for line in lines if " " in line))))


if __name__ == "__main__":
    sys.exit(main())
