"""Creates coastline.bin from the land polygons of Natural Earth (public domain).

    npm pack world-atlas && tar xzf world-atlas-*.tgz
    python3 assets/coastline.py package assets/coastline.bin

The npm package world-atlas 2 contains Natural Earth 4 at 1:110m, 1:50m and 1:10m
as TopoJSON. Its polygons are closed along the antimeridian and along 90° south:
those edges are not coast and are omitted. Lines are cut into tiles of ten degrees,
so that a view decodes only the tiles that it shows.

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


def artificial(a, b):
    """Whether an edge is not coast, but closes a polygon along the edge of the map."""
    side = lambda p: abs(p[0]) > 179.98
    if side(a) and side(b):
        return True
    return a[1] < -89.9 or b[1] < -89.9


def beside(a, b):
    """The point b, at the longitude that is nearer to a: -180 may be meant as 180."""
    if abs(b[0] - a[0]) <= 180:
        return b
    return (b[0] + (360 if b[0] < a[0] else -360), b[1])


def tile_of(a, b):
    lon, lat = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
    lon = (lon + 180) % 360 - 180
    column = min(int((lon + 180) // TILE), COLUMNS - 1)
    row = min(int((lat + 90) // TILE), ROWS - 1)
    return row * COLUMNS + column


def lines_by_tile(topology):
    tiles = [[] for _ in range(COLUMNS * ROWS)]
    for points in arcs(topology):
        tile, line = None, []
        for a, b in zip(points, points[1:]):
            if artificial(a, b):
                tile = None
                continue
            # A line that reaches the antimeridian stays on its side of it.
            b = beside(a, b)
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
            tiles = lines_by_tile(json.load(file))
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
