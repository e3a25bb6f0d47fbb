"""Where positions are of areas, by Shapely on the plane and PROJ's geodesics.

Reads one JSON object: `areas`, each a list of polygons of rings of corners
(longitude, latitude) on a plane that may go on beyond 180 degrees, and `points`,
each a longitude and a latitude. Writes for each area and point a line: 1 within
or 0, and the distance from the nearest edge in metres. An edge on the
antimeridian, on a pole or along a meridian to it is where an area is cut, and
none.
"""

import json
import sys

import numpy as np
from pyproj import Geod
from shapely import Point, Polygon

GEOD = Geod(ellps="WGS84")


def edges(polygons):
    for rings in polygons:
        for ring in rings:
            for (x, y), (to_x, to_y) in zip(ring, ring[1:] + ring[:1]):
                cut = x == to_x and ((x - 180) % 360 == 0 or 90 in (abs(y), abs(to_y)))
                cut = cut or y == to_y and abs(y) == 90
                if not cut and (x, y) != (to_x, to_y):
                    yield (x, y), (to_x, to_y)


def distance(edge, point):
    (x, y), (to_x, to_y) = edge
    start, end = 0.0, 1.0
    for _ in range(8):
        share = np.linspace(start, end, 400)
        lon, lat = x + share * (to_x - x), y + share * (to_y - y)
        _, _, away = GEOD.inv(np.full(400, point[0]), np.full(400, point[1]), lon, lat)
        best, step = int(np.argmin(away)), (end - start) / 399
        start, end = max(0.0, share[best] - 2 * step), min(1.0, share[best] + 2 * step)
    return float(np.min(away))


asked = json.load(sys.stdin)
for polygons in asked["areas"]:
    shapes = [Polygon(rings[0], rings[1:]) for rings in polygons]
    for lon, lat in asked["points"]:
        # A pole is an edge of the plane, and on every meridian.
        x, y = (lon, lat) if abs(lat) < 90 else (12.3, lat * (1 - 1e-9))
        # Beside a seam of the plane, not on it.
        near = [Point(x + turn + 1e-9, y) for turn in (-360, 0, 360)]
        within = any(shape.contains(point) for shape in shapes for point in near)
        away = min(distance(edge, (lon, lat)) for edge in edges(polygons))
        print(int(within), away)
