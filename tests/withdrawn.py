"""Reads exported files of a track of three fixes, of which the second is absent
from the latest response.

    withdrawn.py FOLDER
"""

import csv
import json
import pathlib
import sys

import pyarrow.parquet
from scipy.io import netcdf_file

folder = pathlib.Path(sys.argv[1])
NAME = "absent_from_latest_response"
wanted = [False, True, False]

rows = list(csv.reader((folder / "track.csv").open(newline="")))
assert rows[0][-2:] == ["qc_reason", NAME], rows[0]
assert [row[-1] for row in rows[1:]] == ["false", "true", "false"], rows

document = json.loads((folder / "track.json").read_text())
lines = [json.loads(line) for line in (folder / "track.ndjson").read_text().splitlines()]
points = json.loads((folder / "track.geojson").read_text())["features"][1:]
for fixes in (document["fixes"], lines, [point["properties"] for point in points]):
    assert [fix[NAME] for fix in fixes] == wanted, fixes

variable = netcdf_file(folder / "track.nc", mmap=False).variables[NAME]
assert list(variable[:]) == [0, 1, 0] and list(variable.flag_values) == [0, 1]

table = pyarrow.parquet.read_table(folder / "track.parquet")
assert table.column(NAME).to_pylist() == wanted
assert table.column_names[-3:] == ["qc_reason", NAME, "geometry"]
