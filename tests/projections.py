"""Projects a table of points with PROJ, on a sphere of radius one.

Reads lines `name lat0 lon0 latitude longitude`, writes `x y` for each, or
`hidden` where PROJ has no place for the point.
"""

import sys

from pyproj import Proj

KINDS = {
    "mercator": "+proj=merc +lon_0={lon}",
    "north": "+proj=stere +lat_0=90 +lat_ts=90 +lon_0={lon}",
    "south": "+proj=stere +lat_0=-90 +lat_ts=-90 +lon_0={lon}",
    "globe": "+proj=ortho +lat_0={lat} +lon_0={lon}",
    "plain": "+proj=eqc +lon_0={lon}",
}

known = {}
for line in sys.stdin:
    name, lat0, lon0, latitude, longitude = line.split()
    definition = KINDS[name].format(lat=lat0, lon=lon0) + " +R=1 +no_defs"
    project = known.setdefault(definition, Proj(definition))
    x, y = project(float(longitude), float(latitude))
    print("hidden" if x == float("inf") else f"{x!r} {y!r}")
