#!/usr/bin/env python3
"""Measures the exports of a million fixes and the whole way of ten million.

    cargo build --release
    python3 benches/large.py

The exports that other formats than CSV have: peak memory, beside xarray where it
writes the same. Ten million fixes go through everything once: fetch, archive, CSV,
the dashboard from the service and from the archive, zoom, filter and movement. What
is compared there is ten times the cost of a million: a ratio above 1 grows faster
than the track.
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import peers

MILLION = 1_000_000
EXPORTS = ("gpx", "kml", "geojson", "netcdf")
KEYS = {"up": b"k", "zoom in": b"+", "zoom out": b"-", "next projection": b"m"}


def exports(folder):
    """Prints a row for each format: peak memory of a million fixes."""
    content = peers.body(MILLION)
    service = peers.Service(content)
    path = folder + "/large.json"
    open(path, "wb").write(content)
    python = peers.python_of_tests()
    program = ("import pandas as pd; table = pd.read_json(%r).set_index('time_stamp'); "
               "table.to_xarray().to_netcdf(%r, engine='scipy')" % (path, folder + "/theirs.nc"))
    has_xarray = subprocess.run([python, "-c", "import xarray, scipy"], capture_output=True).returncode == 0
    for name in EXPORTS:
        command = [peers.DRIFTLINE, "track", peers.UUID, "--format", name, "--output", folder + "/ours." + name]
        most = peers.process(command, peers.environment(service.url))[2] / 1e6
        if name == "netcdf" and has_xarray:
            theirs = peers.process([python, "-c", program], os.environ)[2] / 1e6
            peers.row("a million fixes to NetCDF, peak memory / pandas and xarray", most, theirs, "MB", 0.4)
        else:
            peers.alone("a million fixes to %s, peak memory" % name.upper().replace("GEOJSON", "GeoJSON"), most, "MB", 160)


def way(fixes, folder):
    """Seconds of each part of the way of a track with so many fixes."""
    service = peers.Service(peers.body(fixes))
    env = peers.environment(service.url)
    shown = rb"fixes\s*" + f"{fixes:,}".encode()
    parts = {}
    command = [peers.DRIFTLINE, "track", peers.UUID, "--format", "csv", "--output", folder + "/way.csv"]
    parts["to CSV, CPU"] = peers.process(command, env)[1]
    for words in ("from the service to the screen, and into the archive", "from the archive to the screen"):
        screen = peers.Screen([peers.DRIFTLINE, peers.UUID], env)
        parts[words] = screen.wait(shown, 300)
        screen.settle(3.0, 60)
        if "from the archive" not in words:
            screen.close()
    keys = {name: peers.p95(screen.keys(key, 20)) for name, key in KEYS.items()}
    os.write(screen.terminal, b"&")
    keys["letter of a filter"] = peers.p95([taken for letter in b"2026" for taken in screen.keys(bytes([letter]), 1)])
    most = peers.memory_at_most(screen.pid)
    screen.close()
    return parts, keys, most


def ten_million(folder):
    """Prints a row for each part of the way of ten million fixes."""
    small, large = way(MILLION, folder), way(10 * MILLION, folder)
    for words, seconds in large[0].items():
        peers.row("ten million fixes %s / ten times a million" % words, seconds, 10 * small[0][words], "s", 1.2)
    slowest = max(large[1], key=large[1].get)
    peers.alone("keys at ten million (%s), p95 of the slowest: %s" % (", ".join(large[1]), slowest), large[1][slowest] * 1e3, "ms", 16)
    peers.row("the dashboard with ten million fixes, memory / ten times a million", large[2], 10 * small[2], "MB", 1.0)


def rows():
    with tempfile.TemporaryDirectory() as folder:
        exports(folder)
        ten_million(folder)


if __name__ == "__main__":
    print("| work | driftline | peer | ratio | must be |\n|---|---|---|---|---|")
    rows()
