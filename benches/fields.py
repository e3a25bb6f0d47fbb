#!/usr/bin/env python3
"""Measures a track of 70 members a record beside DuckDB and prints the ratios.

    cargo build --release
    python3 benches/fields.py [FOLDER]

100,000 records of a station on sea ice, about 180 MB of JSON, go to CSV with
every column: by `driftline track`, which downloads them from this machine and
computes legs and flags too, and by DuckDB's COPY, which reads the same JSON from
a file that is in memory. Both run alternately, and of each figure the least
counts. FOLDER keeps the JSON and both results.
"""

import json
import math
import os
import random
import sys
import tempfile

import peers

RECORDS = 100_000
THERMISTORS = 40
# Settings with which DuckDB reads: the threads, and whether it is told the columns.
# It finds fields that come late only if it looks at every record.
SETTINGS = {"DuckDB": (None, True), "DuckDB, 1 thread": (1, True), "DuckDB, columns found": (None, False)}


def single(number):
    """A number as a service sends it that keeps it in 32 bits."""
    return float(peers.struct.unpack("f", peers.struct.pack("f", number))[0])


def record(number):
    """The members of a record, the thermistor string last."""
    days = number / 144
    air = -22 + 6 * math.sin(days / 1.7) + 2 * math.sin(2 * math.pi * days) + random.gauss(0, 0.3)
    one = {
        "time_stamp": 1_500_000_000 + 600 * number,
        "latitude": round(84 + 3 * math.sin(number / 40_000) + random.gauss(0, 1e-5), 6),
        "longitude": round(20 + 40 * math.sin(number / 25_000) + random.gauss(0, 1e-4), 6),
        "id": 7_000_000 + number,
        "device_id": "300234068123450",
        "received_at": "2026-%02d-%02dT%02d:%02d:%02d.%06dZ" % (1 + number % 12, 1 + number % 28, number % 24, number % 60, number % 59, random.randrange(10**6)),
        "packet": random.randbytes(120).hex(),
        "firmware": "2.14.%d" % (number // 30_000),
        "mode": random.choice(("normal", "normal", "normal", "low power")),
        "air_temperature": round(air, 2),
        "air_pressure": round(1012 + 15 * math.sin(days / 3.1) + random.gauss(0, 0.1), 2),
        "battery_voltage": single(14.3 - 0.003 * days + 0.012 * air + random.gauss(0, 0.01)),
        "water_temperature": round(-1.75 + random.gauss(0, 0.01), 3),
        "wind_speed": round(abs(random.gauss(6, 3)), 1),
        "wind_direction": random.randrange(360),
        "heading": single(random.uniform(0, 360)),
        "tilt_x": round(random.gauss(0.4, 0.05), 3),
        "tilt_y": round(random.gauss(-0.2, 0.05), 3),
        "satellites": random.randrange(5, 13),
        "hdop": round(random.uniform(0.7, 2.5), 2),
        "time_to_fix": random.randrange(8, 60),
        "is_charging": random.random() < 0.3,
        "is_valid": True,
        "iridium_signal": random.randrange(6),
        "resets": number // 7_000,
        "internal_temperature": round(air + 4 + random.gauss(0, 0.2), 1),
    }
    # Comes late, goes, and is empty now and then.
    if number >= 30_000:
        one["snow_distance"] = None if number % 50 == 0 else round(1.1 - number / 400_000 + random.gauss(0, 0.005), 3)
    if number < 70_000:
        one["humidity"] = round(random.uniform(70, 99), 1)
    if number % 500 == 0:
        one["remark"] = 'checked, "no ice" on mast'
    one["sea_ice_draft"] = None if number % 9 == 0 else round(1.8 + number / 200_000, 2)
    for place in range(THERMISTORS):
        depth = place / THERMISTORS
        one["dtc_values_%d" % place] = round(16 * (air * (1 - depth) - 1.75 * depth + random.gauss(0, 0.05))) / 16
    return one


def body():
    random.seed(2)
    return ("[" + ",".join(json.dumps(record(number), separators=(",", ":")) for number in range(RECORDS)) + "]").encode()


def columns():
    """The columns with their types, as DuckDB is told them."""
    names = {}
    for number in (30_000, 1, 500):
        for name, value in record(number).items():
            kind = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR", bool: "BOOLEAN", type(None): "DOUBLE"}[type(value)]
            names[name] = "DOUBLE" if value is None or names.get(name) == "DOUBLE" else kind
    return "{" + ", ".join("'%s': '%s'" % pair for pair in names.items()) + "}"


def measure(folder):
    """CPU time (s) and peak memory (bytes) of driftline and of DuckDB at its best."""
    path = os.path.join(folder, "records.json")
    if not os.path.exists(path):
        open(path, "wb").write(body())
    content = open(path, "rb").read()
    service = peers.Service(content)
    environment = peers.environment(service.url)
    python = peers.python_of_tests()

    def ours():
        return peers.process([peers.DRIFTLINE, "track", peers.UUID, "--format", "csv", "--output", folder + "/ours.csv"], environment)

    def theirs(threads, given):
        told = f"columns = {columns()}, format = 'array'" if given else "sample_size = -1"
        sql = f"SET threads = {threads};" if threads else ""
        sql += f"COPY (SELECT * FROM read_json('{path}', {told})) TO '{folder}/duck.csv' (HEADER)"
        return peers.process([python, "-c", f"import duckdb; duckdb.sql({sql!r})"], os.environ)

    mine, duck = [], {name: [] for name in SETTINGS}
    for _ in range(peers.RUNS):
        mine.append(ours())
        for name, setting in SETTINGS.items():
            duck[name].append(theirs(*setting))
    best = lambda runs, part: min(run[part] for run in runs)
    print(f"{RECORDS:,} records, {len(content) / 1e6:.0f} MB of JSON, {os.path.getsize(folder + '/ours.csv') / 1e6:.0f} MB of CSV; best of {peers.RUNS}", file=sys.stderr)
    for name, runs in dict(driftline=mine, **duck).items():
        print(f"{name}: {best(runs, 0):.2f} s, CPU {best(runs, 1):.2f} s, {best(runs, 2) / 1e6:.0f} MB", file=sys.stderr)
    cpu, peak = (min(best(runs, part) for runs in duck.values()) for part in (1, 2))
    return (best(mine, 1), best(mine, 2)), (cpu, peak)


def rows(ours, theirs):
    """Prints the two rows of the table."""
    peers.row("100,000 records of 70 members to CSV, CPU / DuckDB, the same JSON to CSV without legs", ours[0], theirs[0], "s", 0.9)
    peers.row("the same, peak memory / DuckDB", ours[1] / 1e6, theirs[1] / 1e6, "MB", 0.5)


def main():
    measured = measure(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    print("\n| work | driftline | peer | ratio | must be |\n|---|---|---|---|---|")
    rows(*measured)


if __name__ == "__main__":
    main()
