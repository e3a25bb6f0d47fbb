"""Reads exported files with third-party libraries and compares them with the
recorded response from which they were made.

    read_back.py FOLDER RECORDED.json

FOLDER holds track.csv, .json, .ndjson, .geojson, .gpx, .kml, .nc and .parquet.
"""

import csv
import json
import math
import pathlib
import statistics
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

# JSON and NDJSON: the same fixes, and a summary with the correct counts.
document = json.loads((folder / "track.json").read_text())
assert sorted(map(triple, document["fixes"])) == wanted, "json"
lines = [json.loads(line) for line in (folder / "track.ndjson").read_text().splitlines()]
assert lines == document["fixes"], "ndjson"
summary = document["summary"]
assert summary["fixes"] == len(wanted)
flags = [fix["qc_flag"] for fix in document["fixes"]]
assert (flags.count(4), flags.count(3)) == (summary["fail"], summary["suspect"])
assert len(document["unusable"]) == summary["unusable"] == sum(not sound(record) for record in recorded)
inside = [fix for fix in document["fixes"] if fix["qc_flag"] != 4]
# In the CSV, and so in each file that is held against it below.
length = math.fsum(float(row["distance_m"] or 0) for row in rows)
assert math.isclose(length, summary["length_m"], rel_tol=1e-9, abs_tol=1e-6), (length, summary["length_m"])
assert all(fix["distance_m"] is None for before, fix in zip(inside, inside[1:]) if fix["time_stamp"] == before["time_stamp"])
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def same_moment(time, fix):
    return abs((time - EPOCH).total_seconds() - fix["time_stamp"]) < 1e-5


def smallest_box(places):
    """Width (the complement of the widest empty arc of longitude), lowest and highest latitude."""
    round_the_world = sorted({place["longitude"] % 360 for place in places})
    ahead = round_the_world[1:] + [round_the_world[0] + 360]
    width = 360 - max(b - a for a, b in zip(round_the_world, ahead))
    latitudes = [place["latitude"] for place in places]
    return width, min(latitudes), max(latitudes)


def fits(box, places):
    west, south, box_east, north = box
    width, lowest, highest = smallest_box(places)
    return abs((box_east - west) % 360 - width) < 1e-9 and (south, north) == (lowest, highest)

# The fixes that are in, in runs without a gap or a jump.
stamps = [fix["time_stamp"] for fix in inside]
recent = [stamp for at, stamp in enumerate(stamps) if len(stamps) - at <= 60 or stamps[-1] - stamp <= 10 * 86400]
gaps = [b - a for a, b in zip(recent, recent[1:]) if b > a]
while gaps:  # of an instrument that sends in bursts the gaps between them count
    within = 5 * sorted(gaps)[len(gaps) // 4]
    between = [gap for gap in gaps if gap > within]
    longest_two = sum(sorted(gaps)[-2:])
    if len(between) < 3 or sum(between) - longest_two <= (sum(gaps) - longest_two) / 4:
        break
    gaps = between
interval = statistics.median(gaps[-20:]) if gaps else None
longest = 7200 if interval is None else max(3 * interval, min(7200, 30 * interval))
unbroken = []
for fix in inside:
    jump = fix["qc_reason"].startswith("jump")
    if unbroken and not jump and fix["time_stamp"] - unbroken[-1][-1]["time_stamp"] <= longest:
        unbroken[-1].append(fix)
    else:
        unbroken.append([fix])


def same_runs(walked, name, written=lambda longitude: longitude):
    """Each run is cut further at the antimeridian alone."""
    wanted = []
    for run in unbroken:
        wanted.append(run[:1])
        for before, fix in zip(run, run[1:]):
            if abs(written(fix["longitude"]) - written(before["longitude"])) > 180:
                wanted.append([])
            wanted[-1].append(fix)
    assert [len(run) for run in walked] == [len(run) for run in wanted], f"{name}: not cut where it is broken"


# GeoJSON: valid geometries, no line across the antimeridian, a point for each fix.
collection = json.loads((folder / "track.geojson").read_text())
line, points = collection["features"][0], collection["features"][1:]
assert len(points) == len(wanted)
for point, fix in zip(points, document["fixes"]):
    place = shapely.geometry.shape(point["geometry"])
    assert (place.x, place.y) == (fix["longitude"], fix["latitude"]) and point["properties"] == fix
shape = None if line["geometry"] is None else shapely.geometry.shape(line["geometry"])
parts = [] if shape is None else [list(part.coords) for part in getattr(shape, "geoms", [shape])]
assert shape is None or shape.is_valid
# Without the ends on the antimeridian, the line is that of the fixes between gaps and jumps.
there = lambda place: abs(place[0]) != 180
drawn, known = [], [[(fix["longitude"], fix["latitude"]) for fix in one] for one in unbroken]
for part in parts:
    assert len(set(part)) > 1, "geojson: a part that is no line"
    assert numpy.abs(numpy.diff(numpy.array(part)[:, 0])).max() <= 180, "geojson: a stroke over the antimeridian"
    # Both ends are there; a fix may lie there itself.
    if drawn and not there(part[0]) and not there(drawn[-1][-1]) and drawn[-1][-1][1] == part[0][1]:
        drawn[-1] += part
    else:
        drawn.append(part)
assert [[*filter(there, one)] for one in drawn] == [
    [*filter(there, one)] for one in known if len(set(one)) > 1
], "geojson: not the fixes between gaps and jumps"
if wanted:
    # The collection's box contains every point; those of line and summary only included fixes.
    assert fits(collection["bbox"], document["fixes"]), ("geojson: not the smallest box", collection["bbox"])
    west, south, box_east, north = collection["bbox"]
    for _, latitude, longitude in wanted:
        assert south <= latitude <= north
        assert (longitude - west) % 360 <= (box_east - west) % 360 + 1e-9, "geojson: the box does not hold its points"
if inside:
    assert fits(line["bbox"], inside) and fits(summary["bbox"], inside), ("not the smallest box", line["bbox"])
else:
    assert summary["bbox"] is None and "bbox" not in line

# GPX: every included fix, longitudes below 180, no line across the antimeridian.
gpx = gpxpy.parse((folder / "track.gpx").read_text())
segments = [segment for track in gpx.tracks for segment in track.segments]
assert sum(len(segment.points) for segment in segments) == len(inside)
walked = [point for segment in segments for point in segment.points]
outside = [fix for fix in document["fixes"] if fix["qc_flag"] == 4]
assert len(gpx.waypoints) == len(outside)
for point, fix in [*zip(walked, inside), *zip(gpx.waypoints, outside)]:
    assert same_moment(point.time, fix) and point.latitude == fix["latitude"], ("gpx", point, fix)
    assert point.longitude == (-180 if fix["longitude"] == 180 else fix["longitude"]), ("gpx", point, fix)
for segment in segments:
    for point in segment.points:
        assert -180 <= point.longitude < 180
    for a, b in zip(segment.points, segment.points[1:]):
        assert a.time <= b.time
        assert abs(a.longitude - b.longitude) <= 180, ("gpx: a leg across the map", a, b)
same_runs([segment.points for segment in segments], "gpx", lambda longitude: -180 if longitude == 180 else longitude)
limit = summary["quality"]["speed_limit_m_s"]
assert f"Speed limit: {round(limit, 1):g} m/s" in gpx.description, gpx.description

# KML: as many times as positions in each track.
kml = etree.parse(folder / "track.kml").getroot()
assert etree.QName(kml).namespace == "http://www.opengis.net/kml/2.2"
GX = "{http://www.google.com/kml/ext/2.2}"
tracks = kml.findall(f".//{GX}Track")
assert sum(len(track.findall("{*}when")) for track in tracks) == len(inside)
for track in tracks:
    assert len(track.findall("{*}when")) == len(track.findall(f"{GX}coord"))
whens = [when.text for track in tracks for when in track.findall("{*}when")]
coords = [coord.text.split() for track in tracks for coord in track.findall(f"{GX}coord")]
for when, (longitude, latitude, _), fix in zip(whens, coords, inside):
    assert same_moment(datetime.fromisoformat(when.replace("Z", "+00:00")), fix), ("kml", when, fix)
    assert (float(longitude), float(latitude)) == (fix["longitude"], fix["latitude"]), ("kml", fix)

same_runs([track.findall("{*}when") for track in tracks], "kml")
for track in tracks:
    easts = [float(coord.text.split()[0]) for coord in track.findall(f"{GX}coord")]
    assert all(abs(a - b) <= 180 for a, b in zip(easts, easts[1:])), "kml: a leg across the map"
assert all(multi.findtext(f"{GX}interpolate") == "0" for multi in kml.findall(f".//{GX}MultiTrack"))
styles = {"#" + style.get("id") for style in kml.findall(".//{*}Style")}
assert all(url.text in styles for url in kml.findall(".//{*}styleUrl"))
for name, flag, style in [
    ("Suspect fixes", 3, "#suspect"),
    ("Failed fixes", 4, "#failed"),
    ("Fixes not evaluated", 2, "#not_evaluated"),
]:
    marks = [mark for one in kml.findall(".//{*}Folder") if one.findtext("{*}name") == name for mark in one.findall("{*}Placemark")]
    flagged = [fix for fix in document["fixes"] if fix["qc_flag"] == flag]
    assert len(marks) == len(flagged), ("kml", name)
    for mark, fix in zip(marks, flagged):
        data = {one.get("name"): one.findtext("{*}value") for one in mark.findall(".//{*}Data")}
        assert data == {"qc_flag": str(flag), "qc_reason": fix["qc_reason"]}, ("kml", data, fix)
        place = [float(number) for number in mark.findtext(".//{*}coordinates").split(",")]
        assert place == [fix["longitude"], fix["latitude"]] and mark.findtext("{*}styleUrl") == style
        assert same_moment(datetime.fromisoformat(mark.findtext(".//{*}when").replace("Z", "+00:00")), fix)

# NetCDF: coordinates as doubles, flags by the CF conventions.
nc = netcdf_file(folder / "track.nc", mmap=False)
assert nc.featureType == b"trajectory" and nc.Conventions.startswith(b"CF-1.")
assert nc.variables["time"].units == b"seconds since 1970-01-01T00:00:00Z"
stamps = [fix["time_stamp"] for fix in document["fixes"]]
assert list(nc.variables["time"][:]) == stamps
assert list(nc.variables["lat"][:]) == [fix["latitude"] for fix in document["fixes"]]
assert list(nc.variables["lon"][:]) == [fix["longitude"] for fix in document["fixes"]]
for variable, name in [("distance", "distance_m"), ("speed", "speed_m_s"), ("course", "course_deg"), ("gap", "gap_s")]:
    column = nc.variables[variable]
    read = [None if value == column._FillValue else value for value in column[:]]
    assert read == [fix[name] for fix in document["fixes"]], ("netcdf", variable)
assert list(nc.variables["qc_flag"][:]) == flags
assert list(nc.variables["qc_flag"].flag_values) == [1, 2, 3, 4, 9]
assert list(nc.variables["time_stamp"][:]) == stamps
reasons = nc.variables["qc_reason"][:]
assert [b"".join(row).rstrip(b"\0").decode() for row in reasons] == [fix["qc_reason"] for fix in document["fixes"]]
trajectory = nc.variables["trajectory"]
assert trajectory.cf_role == b"trajectory_id" and trajectory.shape == ()
assert nc.unusable_records == summary["unusable"]
assert hasattr(nc, "first_unusable_record") == bool(document["unusable"])
if document["unusable"]:
    first = document["unusable"][0]
    assert nc.first_unusable_record.decode() == f"record {first['index']}: {first['reason']}"
assert nc.qc_speed_limit_m_s == limit
for test in summary["quality"]["tests"]:
    assert test["rule"] in nc.qc_method.decode(), test
if wanted:
    box = [float(getattr(nc, f"geospatial_{edge}")) for edge in ("lon_min", "lat_min", "lon_max", "lat_max")]
    assert fits(box, document["fixes"]), ("netcdf: not the smallest box", box)
    assert nc.time_coverage_start.decode() == document["fixes"][0]["time"]
    assert nc.time_coverage_end.decode() == document["fixes"][-1]["time"]

# Parquet: a timestamp in UTC, points in WKB, the metadata of GeoParquet 1.1.
table = pyarrow.parquet.read_table(folder / "track.parquet")
assert table.num_rows == len(wanted)
kind = table.schema.field("time").type
assert (kind.unit, kind.tz) == ("us", "UTC")
geo = json.loads(table.schema.metadata[b"geo"])
assert table.schema.metadata[b"unusable_records"] == str(summary["unusable"]).encode()
assert table.schema.metadata[b"qc_method"] == nc.qc_method
assert geo["version"] == "1.1.0" and geo["columns"][geo["primary_column"]]["encoding"] == "WKB"
for blob, fix in zip(table.column("geometry").to_pylist(), document["fixes"]):
    place = shapely.from_wkb(blob)
    assert (place.x, place.y) == (fix["longitude"], fix["latitude"])
assert all(same_moment(time, fix) for time, fix in zip(table.column("time").to_pylist(), document["fixes"])), "parquet"
assert table.drop_columns(["time", "geometry"]).to_pylist() == [
    {name: value for name, value in fix.items() if name != "time"} for fix in document["fixes"]
], "parquet"
if wanted:
    assert fits(geo["columns"]["geometry"]["bbox"], document["fixes"]), "parquet: not the smallest box"

print(f"{len(wanted)} fixes read back from eight files")
