#!/usr/bin/env python3
"""Presses every key of the keymap on a track of a million fixes, and prints how
long each takes to change the screen, and how much memory all of them leave.

    cargo build --release
    python3 benches/keys.py [ROUNDS [FIXES [pixels]]]

With `pixels` the terminal draws pictures, in cells of 10 by 20 pixels.

The actions are those of docs/src/keys.md, which is made from the keymap. Each is
pressed on every tab where it has a meaning, in a pseudo-terminal of 160x48, with
a failed fix every thousand. Typed letters of a filter and of a search count as
actions too. The time is from the key to the first byte of the change: an action
that takes longer shows first that it runs. On a busy machine the CPU time of the
thread that draws tells more. The last line is what the rounds
took of memory (resident, MB): after the start, at the end, and at most.
"""

import json
import os
import re
import sys
import time

import peers

# An action whose key has no effect on the screen of this program, or ends it.
LEFT_OUT = {"all.quit", "all.suspend", "all.refresh", "all.dismiss"}
SPECIAL = {"Enter": "\r", "Tab": "\t", "Shift-Tab": "\x1b[Z", "Space": " ", "Esc": "\x1b", "Delete": "\x1b[3~", "←": "\x1b[D",
           "→": "\x1b[C", "↑": "\x1b[A", "↓": "\x1b[B", "PgUp": "\x1b[5~", "PgDn": "\x1b[6~", "Home": "\x1b[H", "End": "\x1b[F"}
TABS = {"Deployments": "1", "Track": "2", "Plants": "3", "Activity": "4"}
MUST_BE_MS = 16.0
# A month in the middle of the track: a filter takes whole numbers only.
MONTH = time.strftime("%Y-%m", time.gmtime(time.time() - 55 * 86400)).encode()


def keymap():
    """Tab, name of the action and bytes of its first key, of every action with one."""
    path = os.path.join(peers.ROOT, "docs/src/keys.md")
    found, section = [], ""
    for line in open(path, encoding="utf-8"):
        if heading := re.match(r"### (.*)", line):
            section = heading.group(1).strip()
        row = re.match(r"\| *`(.+?)`.*`([a-z]+\.[a-z-]+)` *\|", line)
        if not row or row.group(2) in LEFT_OUT:
            continue
        key = row.group(1)
        if control := re.match(r"Ctrl-(.)$", key):
            sent = chr(ord(control.group(1).upper()) - 64)
        else:
            sent = SPECIAL.get(key, key)
        if len(sent) > 1 and not sent.startswith("\x1b"):
            continue
        tabs = {"Map": ["Deployments", "Track"]}.get(section, [section] if section in TABS else list(TABS))
        if section != "Alarm list":
            found += [(tab, row.group(2), sent.encode()) for tab in tabs]
    return found


def memory(pid):
    """Resident memory and its greatest value so far, MB."""
    status = open("/proc/%d/status" % pid).read()
    return [int(re.search(name + r":\s+(\d+)", status).group(1)) / 1e3 for name in ("VmRSS", "VmHWM")]


def drawn(pid):
    """CPU time of the thread that draws, ms: the first one after the main thread."""
    threads = sorted(map(int, os.listdir("/proc/%d/task" % pid)))
    return int(open("/proc/%d/task/%d/schedstat" % (pid, threads[min(1, len(threads) - 1)])).read().split()[0]) / 1e6


def body(fixes):
    """A track as that of peers.py with a failed fix every thousand."""
    records = json.loads(peers.body(fixes))
    for record in records[500::1000]:
        record["latitude"] -= 3.0
    return json.dumps(records, separators=(",", ":")).encode()


def measure(rounds, fixes=1_000_000, pixels=False):
    """Of every action: the times from the key to the change and the CPU times of the
    thread that draws, ms; the actions that change nothing; and the memory, MB."""
    service = peers.Service(body(fixes))
    screen = peers.Screen([os.environ.get("DRIFTLINE", peers.DRIFTLINE), peers.UUID], peers.environment(service.url), pixels)
    screen.wait(rb"fixes\s*" + f"{fixes:,}".replace(",", "[ ,]").encode())
    screen.settle(1.0, 10)
    first = memory(screen.pid)[0]
    taken, busy, unchanged = {}, {}, set()

    def press(name, sent):
        screen.settle(0.06, 1.5)
        used, began = drawn(screen.pid), time.monotonic()
        os.write(screen.terminal, sent)
        if screen.read(2.0):
            taken.setdefault(name, []).append((time.monotonic() - began) * 1e3)
            busy.setdefault(name, []).append(drawn(screen.pid) - used)
        else:
            unchanged.add(name)

    # Before the other actions, which may leave a time range without a row.
    for _ in range(rounds):
        os.write(screen.terminal, b"2")
        screen.settle(0.1, 1.5)
        for prompt in (b"&", b"/"):
            os.write(screen.terminal, prompt)
            for letter in MONTH:
                press("letter of %s" % ("a filter" if prompt == b"&" else "a search"), bytes([letter]))
            os.write(screen.terminal, b"\r")
            # A filter of a million rows is computed after its last letter: the next
            # key is measured when its rows have come.
            screen.settle(0.6, 5)
            press("next match" if prompt == b"/" else "row of a filter", b"n" if prompt == b"/" else b"j")
            os.write(screen.terminal, b"\x1b")
            screen.settle(0.1, 1.0)
            os.write(screen.terminal, b"\x1b")
    for _ in range(rounds):
        for tab, action, sent in keymap():
            os.write(screen.terminal, TABS[tab].encode())
            screen.settle(0.1, 1.5)
            press("%s on %s" % (action, tab), sent)
            # The other keys are measured with the glyphs of the start.
            for _ in range(5 if action == "map.markers" else 0):
                os.write(screen.terminal, sent)
                screen.settle(0.1, 1.5)
            # Out of a dialog or a search.
            os.write(screen.terminal, b"\x1b")
            screen.settle(0.1, 1.0)
            os.write(screen.terminal, b"\x1b")
    screen.settle(1.0, 10)
    last, most = memory(screen.pid)
    screen.close()
    return taken, busy, unchanged - set(taken), (first, last, most)


def rows(taken, memories):
    """Prints the rows of the table of peers.py."""
    slowest = max(taken, key=lambda name: peers.p95(taken[name]))
    everything = [value for values in taken.values() for value in values]
    peers.alone("every key of the keymap at a million (%d actions), from the key to the change, p95" % len(taken), peers.p95(everything), "ms", MUST_BE_MS)
    peers.alone("the slowest of these actions (%s), p95" % slowest, peers.p95(taken[slowest]), "ms", MUST_BE_MS)
    peers.alone("the dashboard with a million fixes after all these keys, memory", memories[1], "MB", 300)
    peers.alone("the same, at most on the way (ten keys a second; freed memory goes back after a second)", memories[2], "MB")


def main():
    taken, busy, unchanged, (first, last, most) = measure(*[int(word) for word in sys.argv[1:3]] or [5], pixels="pixels" in sys.argv)
    print("| action | median | p95 | CPU of the thread that draws, p95 | must be |\n|---|---|---|---|---|")
    for name, values in sorted(taken.items(), key=lambda pair: -peers.p95(pair[1])):
        print("| %s | %.1f ms | %.1f ms | %.1f ms | ≤ %.0f ms |" % (name, peers.median(values), peers.p95(values), peers.p95(busy[name]), MUST_BE_MS))
    for what, measured in (("from the key to the change", taken), ("CPU of the thread that draws", busy)):
        everything = [value for values in measured.values() for value in values]
        print("\n%d actions, %d presses, %s: p95 %.1f ms, worst %.1f ms" % (len(measured), len(everything), what, peers.p95(everything), max(everything)))
    print("no change of the screen: " + (", ".join(sorted(unchanged)) or "none"))
    print("memory: %.0f MB at first, %.0f MB at the end, %.0f MB at most" % (first, last, most))


if __name__ == "__main__":
    main()
