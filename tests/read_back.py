"""Reads exported files with other people's libraries and holds them against the
recorded answer they were made from.

    read_back.py FOLDER RECORDED.json

FOLDER holds track.csv, .json, .ndjson, .geojson, .gpx, .kml, .nc and .parquet.
"""

import csv
import json
import math
import pathlib
import sys
from datetime import datetime, timezone

import gpxpy
import numpy
import pyarrow.parquet
import shapely.geometry
from lxml import etree
from scipy.io import netcdf_file

folder, recorded = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text())


def east(longitude):
    return longitude - 360 if longitude > 180 else longitude


def sound(record):
    numbers = [record.get(name) for name in ("time_stamp", "latitude", "longitude")]
    return all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in numbers)


wanted = sorted(
    {(float(r["time_stamp"]), float(r["latitude"]), east(float(r["longitude"]))) for r in recorded if sound(r)}
)

# CSV: bit for bit.
rows = list(csv.DictReader((folder / "track.csv").open(newline="")))
triple = lambda row: tuple(float(row[name]) for name in ("time_stamp", "latitude", "longitude"))
assert sorted(map(triple, rows)) == wanted, "csv: the numbers do not read back the same"
for row in rows:
    assert row["time"].endswith("Z") and row["qc_flag"] in {"1", "2", "3", "4", "9"}, row
    written = datetime.fromisoformat(row["time"].replace("Z", "+00:00"))
    assert abs((written - datetime(1970, 1, 1, tzinfo=timezone.utc)).total_seconds() - float(row["time_stamp"])) < 1e-5

# JSON and NDJSON: the same fixes and a summary that counts them.
document = json.loads((folder / "track.json").read_text())
assert sorted(map(triple, document["fixes"])) == wanted, "json"
lines = [json.loads(line) for line in (folder / "track.ndjson").read_text().splitlines()]
assert lines == document["fixes"], "ndjson"
summary = document["summary"]
assert summary["fixes"] == len(wanted)
flags = [fix["qc_flag"] for fix in document["fixes"]]
assert (flags.count(4), flags.count(3)) == (summary["fail"], summary["suspect"])
inside = [fix for fix in document["fixes"] if fix["qc_flag"] != 4]

# GeoJSON: valid geometries, no stroke over the antimeridian, a point a fix.
collection = json.loads((folder / "track.geojson").read_text())
line, points = collection["features"][0], collection["features"][1:]
assert len(points) == len(wanted)
for point in points:
    shapely.geometry.shape(point["geometry"])
if line["geometry"] is not None:
    shape = shapely.geometry.shape(line["geometry"])
    assert shape.is_valid
    for part in getattr(shape, "geoms", [shape]):
        longitudes = numpy.array(part.coords)[:, 0]
        assert numpy.abs(numpy.diff(longitudes)).max(initial=0) <= 180, "geojson: a stroke over the antimeridian"
if wanted:
    west, south, box_east, north = collection["bbox"]
    for _, latitude, longitude in wanted:
        assert south <= latitude <= north
        assert (longitude - west) % 360 <= (box_east - west) % 360 + 1e-9, "geojson: the box does not hold its points"

# GPX: every fix that is in, longitudes below 180, no stroke over the antimeridian.
gpx = gpxpy.parse((folder / "track.gpx").read_text())
segments = [segment for track in gpx.tracks for segment in track.segments]
assert sum(len(segment.points) for segment in segments) == len(inside)
for segment in segments:
    for point in segment.points:
        assert -180 <= point.longitude < 180
    for a, b in zip(segment.points, segment.points[1:]):
        assert abs(a.longitude - b.longitude) <= 180 and a.time <= b.time

# KML: as many times as places, in each track.
kml = etree.parse(folder / "track.kml").getroot()
assert etree.QName(kml).namespace == "http://www.opengis.net/kml/2.2"
GX = "{http://www.google.com/kml/ext/2.2}"
tracks = kml.findall(f".//{GX}Track")
assert sum(len(track.findall("{*}when")) for track in tracks) == len(inside)
for track in tracks:
    assert len(track.findall("{*}when")) == len(track.findall(f"{GX}coord"))

# NetCDF: coordinates as doubles, flags as CF has them.
nc = netcdf_file(folder / "track.nc", mmap=False)
assert nc.featureType == b"trajectory" and nc.Conventions.startswith(b"CF-1.")
assert nc.variables["time"].units == b"seconds since 1970-01-01T00:00:00Z"
stamps = [fix["time_stamp"] for fix in document["fixes"]]
assert list(nc.variables["time"][:]) == stamps
assert list(nc.variables["lat"][:]) == [fix["latitude"] for fix in document["fixes"]]
assert list(nc.variables["qc_flag"][:]) == flags
assert list(nc.variables["qc_flag"].flag_values) == [1, 2, 3, 4, 9]

# Parquet: a timestamp in UTC, points in WKB, the metadata of GeoParquet 1.1.
table = pyarrow.parquet.read_table(folder / "track.parquet")
assert table.num_rows == len(wanted)
kind = table.schema.field("time").type
assert (kind.unit, kind.tz) == ("us", "UTC")
geo = json.loads(table.schema.metadata[b"geo"])
assert geo["version"] == "1.1.0" and geo["columns"][geo["primary_column"]]["encoding"] == "WKB"
for blob, fix in zip(table.column("geometry").to_pylist(), document["fixes"]):
    place = shapely.from_wkb(blob)
    assert (place.x, place.y) == (fix["longitude"], fix["latitude"])
distances = table.column("distance_m").to_pylist()
for got, fix in zip(distances, document["fixes"]):
    assert got == fix["distance_m"] or (got is not None and math.isclose(got, fix["distance_m"])), fix

print(f"{len(wanted)} fixes read back from eight files")
