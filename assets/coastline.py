"""Creates coastline.bin from the land polygons of Natural Earth (public domain).

    npm pack world-atlas && tar xzf world-atlas-*.tgz
    python3 -m pip install shapely==2.2.0
    python3 assets/coastline.py package assets/coastline.bin

The npm package world-atlas 2 contains Natural Earth 4 at 1:110m, 1:50m and 1:10m
as TopoJSON. Rounding to the grid of a level folds narrow islands into lines and
loops, and polygons that meet at the antimeridian have an edge there that is not
coast. So the polygons of a level are joined and rounded together: every ring of
the result encloses an area, crosses neither itself nor another ring, and is closed
on the sphere. Each has its land on the right. Lines are cut into tiles of ten
degrees, so that a view decodes only the tiles that it shows.

Layout, little-endian: the bytes `DLC1`; then for each of three levels, coarse to
fine: u32 grid points per degree, then 649 u32 offsets of the tiles from the start
of the file (the last is the end of the level). Tiles are in order from west to
east within rows from south to north. A tile is a varint count of lines and the
lines. A line is a varint count of points, then zigzag varints: the first point
(longitude and latitude in grid points from the tile's south-west corner) and the
difference from each point to the next.
"""

import json
import struct
import sys

import shapely
from shapely.affinity import translate

LEVELS = [("land-110m.json", 100), ("land-50m.json", 500), ("land-10m.json", 600)]
TILE = 10
COLUMNS, ROWS = 360 // TILE, 180 // TILE


def arcs(topology):
    """The arcs of a topology as lists of (longitude, latitude)."""
    (kx, ky), (dx, dy) = topology["transform"]["scale"], topology["transform"]["translate"]
    for arc in topology["arcs"]:
        x = y = 0
        points = []
        for step_x, step_y in arc:
            x, y = x + step_x, y + step_y
            points.append((x * kx + dx, y * ky + dy))
        yield points


def unrolled(ring):
    """The ring with longitudes that continue beyond the antimeridian. A ring about
    the South Pole is closed along 90° south."""
    points = [ring[0]]
    for longitude, latitude in ring[1:]:
        step = longitude - points[-1][0]
        points.append((points[-1][0] + step - 360 * round(step / 360), latitude))
    first, last = points[0], points[-1]
    if abs(last[0] - first[0]) > 1:
        points += [(last[0], -90), (first[0], -90), first]
    return points


def valid(ring):
    """What a ring encloses, without the parts that have no area."""
    return shapely.make_valid(shapely.Polygon(ring), method="structure", keep_collapsed=False)


def polygons(topology):
    """The valid polygons of a topology, each at one of its longitudes."""
    points = list(arcs(topology))
    land = topology["objects"]["land"]
    for shape in land.get("geometries", [land]):
        for rings in shape["arcs"] if shape["type"] == "MultiPolygon" else [shape["arcs"]]:
            joined = []
            for ring in rings:
                joined.append([])
                for arc in ring:
                    line = points[arc] if arc >= 0 else points[~arc][::-1]
                    joined[-1] += line[1:] if joined[-1] else line
            outer, *holes = map(unrolled, joined)
            land_with_holes = valid(outer)
            for hole in holes:
                # The closing edge of Antarctica at 89.999° south is a "hole" in some levels.
                if max(latitude for _, latitude in hole) > -89:
                    hole = valid(hole)
                    for turn in (-360, 0, 360):
                        land_with_holes = land_with_holes.difference(translate(hole, turn))
            # Natural Earth marks 0° N 0° E, where no land is, by a small square.
            if not (land_with_holes.area < 0.01 and land_with_holes.contains(shapely.Point(0, 0))):
                yield land_with_holes


def coast(topology, grid):
    """The rings of the coast on a grid of so many points a degree, at -540° to 540°,
    land on their right."""
    land = [translate(p, turn) for p in polygons(topology) for turn in (-360, 0, 360)]
    land = shapely.set_precision(shapely.union_all(land), 1 / grid)
    for part in shapely.get_parts(land):
        # Clockwise about land, anticlockwise about a lake.
        part = shapely.orient_polygons(part, exterior_cw=True)
        yield from ([*ring.coords] for ring in (part.exterior, *part.interiors))


def tile_of(a, b):
    lon, lat = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
    column = min(int((lon + 180) // TILE), COLUMNS - 1)
    row = min(int((lat + 90) // TILE), ROWS - 1)
    return row * COLUMNS + column


def lines_by_tile(topology, grid):
    tiles = [[] for _ in range(COLUMNS * ROWS)]
    for points in coast(topology, grid):
        tile = None
        for a, b in zip(points, points[1:]):
            # Each edge is there three times, once at longitudes in [-180, 180).
            if not -180 <= (a[0] + b[0]) / 2 < 180 or a[1] < -89.9 or b[1] < -89.9:
                tile = None
                continue
            here = tile_of(a, b)
            if here != tile:
                line = [a]
                tiles[here].append(line)
                tile = here
            line.append(b)
    return tiles


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(value):
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def encode(tile, lines, grid):
    west, south = tile % COLUMNS * TILE - 180, tile // COLUMNS * TILE - 90
    packed, count = bytearray(), 0
    for line in lines:
        points = [(round((lon - west) * grid), round((lat - south) * grid)) for lon, lat in line]
        points = [p for i, p in enumerate(points) if i == 0 or p != points[i - 1]]
        if len(points) < 2:
            continue
        count += 1
        packed += varint(len(points))
        x = y = 0
        for px, py in points:
            packed += zigzag(px - x) + zigzag(py - y)
            x, y = px, py
    return varint(count) + packed


def main():
    source, target = sys.argv[1:]
    levels = []
    for name, grid in LEVELS:
        with open(f"{source}/{name}") as file:
            tiles = lines_by_tile(json.load(file), grid)
        levels.append((grid, [encode(tile, lines, grid) for tile, lines in enumerate(tiles)]))
    directory = 4 + 4 * (COLUMNS * ROWS + 1)
    at = 4 + directory * len(levels)
    head, body = bytearray(b"DLC1"), bytearray()
    for grid, tiles in levels:
        head += struct.pack("<I", grid)
        for packed in tiles:
            head += struct.pack("<I", at + len(body))
            body += packed
        head += struct.pack("<I", at + len(body))
    with open(target, "wb") as file:
        file.write(head + body)
    print(f"{len(head) + len(body)} bytes: levels of", [sum(map(len, tiles)) for _, tiles in levels])


main()
