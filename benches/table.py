#!/usr/bin/env python3
"""Measures how much of a table on an object store DuckDB reads for one deployment's
month, for one place and for one month.

  table.py make ARCHIVE [--deployments 10000] [--records 10000] [--days 365] [--driftline FILE]
  table.py read FOLDER
  table.py spark FOLDER

`make` writes an archive of DEPLOYMENTS with RECORDS each over DAYS, without asking
a service: by default 100 million. `--records 833 --days 30` gives one month of
these, which is all that DuckDB reads of them for a month.
`driftline --archive ARCHIVE archive export file:///FOLDER` makes
the table; `read` asks DuckDB and counts the bytes and the ranges that it reads. It
reads through a file system that, as an object store, has no pages of its own.

`spark` prints the same counts and sums as Spark and as DuckDB reads them, and ends
with 1 where they differ.

Needs duckdb, fsspec and numpy; for `spark` pyspark and a Java.
"""

import argparse
import datetime
import os
import pathlib
import sqlite3
import subprocess
import sys
import time
import uuid

import numpy

BEGIN = 1767225600  # 2026-01-01


def make(arguments):
    home = arguments.archive.parent
    # driftline makes the tables; the entry stays without records.
    subprocess.run(
        [arguments.driftline, "--archive", arguments.archive, "deployments", "add", str(uuid.uuid4())],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={"HOME": str(home), "PATH": os.environ["PATH"]},
    )
    archive = sqlite3.connect(arguments.archive)
    archive.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; DELETE FROM deployment;")
    random = numpy.random.default_rng(20)
    span = arguments.days * 86400
    began = time.monotonic()
    for number in range(1, arguments.deployments + 1):
        count = arguments.records
        times = BEGIN + numpy.floor(numpy.linspace(0, span, count, endpoint=False) + random.uniform(0, 60))
        # A drifter: a walk from anywhere at sea, with positions to a metre or so.
        start = random.uniform([-75, -180], [80, 180])
        steps = random.normal(0, 0.004, (count, 2)).cumsum(axis=0)
        latitudes = numpy.round(numpy.clip(start[0] + steps[:, 0], -90, 90), 5)
        longitudes = numpy.round((start[1] + steps[:, 1] + 180) % 360 - 180, 5)
        # Nought has one sign.
        latitudes, longitudes = latitudes + 0.0, longitudes + 0.0
        name = str(uuid.UUID(bytes=random.bytes(16), version=4))
        archive.execute(
            "INSERT INTO deployment (id, uuid, label, watched, added_at) VALUES (?, ?, ?, 0, 0)",
            (number, name, f"drifter {number}"),
        )
        archive.execute(
            "INSERT INTO fetch (id, deployment, at, status, bytes, new, late) VALUES (?, ?, ?, 200, 0, ?, 0)",
            (number, number, BEGIN + span, count),
        )
        archive.executemany(
            f"INSERT INTO transmission VALUES ({number}, ?, ?, ?, {number}, 0, 1)",
            zip(times.tolist(), latitudes.tolist(), longitudes.tolist()),
        )
        if number % 100 == 0:
            archive.commit()
    archive.commit()
    size = arguments.archive.stat().st_size
    print(f"{arguments.deployments * arguments.records:,} records, {size / 1e9:.1f} GB in {time.monotonic() - began:.0f} s")


def read(arguments):
    import duckdb
    import fsspec

    folder = arguments.folder.resolve()
    counted = {"bytes": 0, "ranges": 0, "files": set()}

    class Counted(fsspec.spec.AbstractBufferedFile):
        def __init__(self, fs, path, mode="rb", **options):
            self.file = open(folder / path, "rb")
            self.place, self.path, self.fs, self.mode = 0, path, fs, mode
            self.size = os.fstat(self.file.fileno()).st_size

        def seek(self, place, whence=0):
            self.place = {0: 0, 1: self.place, 2: self.size}[whence] + place
            return self.place

        def tell(self):
            return self.place

        def read(self, length=-1):
            length = self.size - self.place if length < 0 else length
            part = os.pread(self.file.fileno(), length, self.place)
            self.place += len(part)
            counted["bytes"] += len(part)
            counted["ranges"] += 1
            counted["files"].add(self.path)
            return part

        def readinto(self, buffer):
            part = self.read(len(buffer))
            buffer[: len(part)] = part
            return len(part)

        def close(self):
            self.file.close()

        closed = False

        def __del__(self):
            pass

    class Store(fsspec.AbstractFileSystem):
        protocol = "table"
        cachable = False

        def _open(self, path, mode="rb", **options):
            return Counted(self, self._strip_protocol(path))

        def info(self, path, **options):
            path = self._strip_protocol(path)
            size = (folder / path).stat().st_size
            return {"name": path, "size": size, "type": "file"}

        def glob(self, path, **options):
            return [str(one.relative_to(folder)) for one in sorted(folder.glob(self._strip_protocol(path)))]

        def modified(self, path):
            return datetime.datetime.fromtimestamp((folder / self._strip_protocol(path)).stat().st_mtime)

    files = [one for one in folder.rglob("*.parquet")]
    print(f"{len(files)} files, {sum(one.stat().st_size for one in files) / 1e6:.1f} MB")
    bare = duckdb.connect()
    local = f"read_parquet('{folder}/**/*.parquet', hive_partitioning = true)"
    rows, deployments = bare.sql(f"SELECT count(*), count(DISTINCT deployment) FROM {local}").fetchall()[0]
    print(f"{rows:,} records of {deployments:,} deployments")
    month = max(one.parent.parent.name for one in files).removeprefix("month=")
    # One in the middle, and the box around its month.
    deployment, west, south, east, north = bare.sql(
        f"SELECT deployment, min(longitude), min(latitude), max(longitude), max(latitude) FROM {local} "
        f"WHERE month = '{month}' GROUP BY 1 ORDER BY 1 LIMIT 1 OFFSET {deployments // 2}"
    ).fetchall()[0]
    month_bytes = sum(one.stat().st_size for one in files if f"month={month}" in str(one))
    print(f"the month {month} has {month_bytes / 1e6:.1f} MB")
    table = "read_parquet('table://**/*.parquet', hive_partitioning = true)"
    buckets = {one.parent.name for one in files if f"month={month}/" in str(one)}
    bucket = f"bucket = printf('%02d', ('0x' || left(sha256('{deployment}'), 2))::INT % {len(buckets)})"
    for name, query in [
        ("a deployment's month", f"SELECT count(*), avg(latitude), avg(longitude) FROM {table} WHERE month = '{month}' AND deployment = '{deployment}'"),
        ("the same, its bucket named", f"SELECT count(*), avg(latitude), avg(longitude) FROM {table} WHERE month = '{month}' AND {bucket} AND deployment = '{deployment}'"),
        ("a place in a month", f"SELECT count(*), count(DISTINCT deployment) FROM {table} WHERE month = '{month}' AND latitude BETWEEN {south} AND {north} AND longitude BETWEEN {west} AND {east}"),
        ("the same, by the boxes", f"SELECT count(*), count(DISTINCT deployment) FROM {table} WHERE month = '{month}' AND bbox.ymax >= {south} AND bbox.ymin <= {north} AND bbox.xmax >= {west} AND bbox.xmin <= {east}"),
        ("positions of a month", f"SELECT count(*), avg(latitude), avg(longitude) FROM {table} WHERE month = '{month}'"),
    ]:
        counted.update(bytes=0, ranges=0, files=set())
        connection = duckdb.connect()
        connection.register_filesystem(Store())
        began = time.monotonic()
        answer = connection.sql(query).fetchall()[0]
        took = time.monotonic() - began
        print(
            f"{name:<28} {counted['bytes'] / 1e6:9.3f} MB in {counted['ranges']:5} ranges of {len(counted['files']):3} files, "
            f"{took:6.2f} s: {answer}"
        )


def spark(arguments):
    import duckdb
    from pyspark.sql import SparkSession

    sums = "count(*), count(DISTINCT deployment), count(fields), sum(time_stamp), sum(latitude), sum(longitude)"
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    session.read.parquet(str(arguments.folder)).createOrReplaceTempView("records")
    by_spark = list(session.sql(f"SELECT {sums} FROM records").collect()[0])
    table = f"read_parquet('{arguments.folder}/**/*.parquet', hive_partitioning = true)"
    by_duckdb = list(duckdb.connect().sql(f"SELECT {sums} FROM {table}").fetchall()[0])
    print(f"Spark {session.version}: {by_spark}\nDuckDB {duckdb.__version__}: {by_duckdb}")
    if any(abs(a - b) > 1e-9 * abs(b) for a, b in zip(by_spark, by_duckdb)):
        sys.exit("they differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("make")
    command.add_argument("archive", type=pathlib.Path)
    command.add_argument("--deployments", type=int, default=10_000)
    command.add_argument("--records", type=int, default=10_000)
    command.add_argument("--days", type=int, default=365)
    command.add_argument("--driftline", default="driftline")
    command.set_defaults(act=make)
    command = commands.add_parser("read")
    command.add_argument("folder", type=pathlib.Path)
    command.set_defaults(act=read)
    command = commands.add_parser("spark")
    command.add_argument("folder", type=pathlib.Path)
    command.set_defaults(act=spark)
    arguments = parser.parse_args()
    arguments.act(arguments)


main()
