"""Creates tests/data/land.bin.gz: for points on a grid of the Earth, whether each is
land, by shapely and the polygons of Natural Earth that assets/coastline.py reads.

    npm pack world-atlas && tar xzf world-atlas-*.tgz
    python3 -m pip install shapely==2.2.0
    python3 tests/land.py package tests/data/land.bin.gz

The polygons are taken as they are, neither joined nor rounded. For each level, coarse
to fine, there is a byte for each point: 0 is sea, 1 is land, 2 is so near the coast
that the grid of the level moves the coast across it. Points are 0.2 degrees apart,
from 179.9° W eastwards within rows from 89.9° S northwards.
"""

import gzip
import json
import sys

import numpy as np
import shapely

LEVELS = [("land-110m.json", 100), ("land-50m.json", 500), ("land-10m.json", 600)]
STEP = 0.2


def rings(topology):
    """The rings of each polygon, an outer one and its holes, as lists of points."""
    (kx, ky), (dx, dy) = topology["transform"]["scale"], topology["transform"]["translate"]
    lines = []
    for arc in topology["arcs"]:
        steps = np.cumsum(np.array(arc), axis=0)
        lines.append(steps * [kx, ky] + [dx, dy])
    land = topology["objects"]["land"]
    for shape in land.get("geometries", [land]):
        for polygon in shape["arcs"] if shape["type"] == "MultiPolygon" else [shape["arcs"]]:
            yield [
                np.concatenate([lines[arc] if arc >= 0 else lines[~arc][::-1] for arc in ring])
                for ring in polygon
            ]


def level(topology, grid):
    longitudes = np.arange(-180 + STEP / 2, 180, STEP)
    latitudes = np.arange(-90 + STEP / 2, 90, STEP)
    x, y = (a.ravel() for a in np.meshgrid(longitudes, latitudes))
    crossings = np.zeros(x.size, dtype=int)
    near = np.zeros(x.size, dtype=bool)
    tree = shapely.STRtree(shapely.points(x, y))
    for polygon in rings(topology):
        for ring in polygon:
            # Longitudes that continue beyond the antimeridian; Antarctica closed at the pole.
            ring = ring.copy()
            ring[:, 0] = np.unwrap(ring[:, 0], period=360)
            if ring[:, 1].max() < -89:
                continue
            if abs(ring[-1, 0] - ring[0, 0]) > 1:
                ring = np.vstack([ring, [ring[-1, 0], -90], [ring[0, 0], -90], ring[0]])
            for turn in (-360, 0, 360):
                area = shapely.Polygon(ring + [turn, 0])
                west, _, east, _ = area.bounds
                if east < -180 or west > 180:
                    continue
                area = shapely.make_valid(area)
                # Each hole turns what its polygon has turned.
                inside = tree.query(area.envelope, predicate="intersects")
                inside = inside[shapely.contains_xy(area, x[inside], y[inside])]
                crossings[inside] += 1
                edge = shapely.LineString(ring + [turn, 0])
                near[tree.query(edge, predicate="dwithin", distance=1.5 / grid)] = True
    return np.where(near, 2, crossings % 2).astype(np.uint8)


def main():
    source, target = sys.argv[1:]
    with gzip.GzipFile(target, "wb", 9, mtime=0) as out:
        for name, grid in LEVELS:
            with open(f"{source}/{name}") as file:
                points = level(json.load(file), grid)
            print(name, np.bincount(points))
            out.write(points.tobytes())


main()
