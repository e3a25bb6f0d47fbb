"""Makes tests/data/labelled: tracks with labels, from copies of the public
repositories they are kept in, and lengths computed by geographiclib.

    python3 tests/labelled.py MIRRORS

MIRRORS is a folder with a git repository for each source below, at
OWNER+NAME/repo. It needs geographiclib and netCDF4 from PyPI. The fixes of all
tracks are in one gzipped CSV file: track, time_stamp, latitude, longitude, bad
(1 where the label says so); `classes.csv.gz` has the class of each Argos location,
in the same order: track, class. `manifest.csv` names each track's platform, limit,
labels, source, commit and licence.
"""

import csv
import datetime
import glob
import gzip
import io
import math
import subprocess
import sys
import zipfile
from pathlib import Path

import netCDF4
from geographiclib.geodesic import Geodesic

HERE = Path(__file__).parent / "data" / "labelled"
UTC = datetime.timezone.utc
# The classes of Argos locations by the name of the track.
CLASSES = {}


class Source:
    def __init__(self, mirrors, name, licence):
        self.name, self.licence = name, licence
        self.git = f"{mirrors}/{name.replace('/', '+')}/repo"
        if not Path(self.git).exists():
            # A long name may be cut in a folder's name.
            self.git = glob.glob(f"{mirrors}/{name.replace('/', '+')[:30]}*/repo")[0]
        self.commit = self.run("rev-parse", "HEAD").decode().strip()

    def run(self, *command):
        return subprocess.run(["git", "-C", self.git, *command], check=True, capture_output=True).stdout

    def read(self, path):
        return self.run("show", f"HEAD:{path}")


def metres(a, b):
    return Geodesic.WGS84.Inverse(a[1], a[2], b[1], b[2], Geodesic.DISTANCE)["s12"]


def mcconnell(rows, limit, classes):
    """The filter of McConnell, Chambers and Fedak (1992): of the root mean
    squares of the speeds to the two fixes before and after, the peaks over the
    limit go out, again and again. Class Z goes out before."""
    bad = [one == "Z" for one in classes]

    def speed(a, b):
        seconds = max(abs(rows[b][0] - rows[a][0]), 1.0)
        return metres(rows[a], rows[b]) / seconds

    while True:
        good = [i for i in range(len(rows)) if not bad[i]]
        rms = [0.0] * len(good)
        for k in range(2, len(good) - 2):
            others = [speed(good[k], good[k + step]) for step in (-2, -1, 1, 2)]
            rms[k] = math.sqrt(sum(v * v for v in others) / 4)
        peaks = [
            k
            for k in range(2, len(good) - 2)
            if rms[k] > limit and rms[k] == max(rms[k - 2 : k + 3])
        ]
        if not peaks:
            return bad
        for k in peaks:
            bad[good[k]] = True


def impossible(rows):
    """Of a drifter's fixes those that take over 10 m/s to be reached or left
    while the leg between their neighbours takes under 4 m/s; of two in a row the
    one farther off the line between its neighbours."""
    order = sorted(range(len(rows)), key=lambda i: rows[i][0])

    def speed(i, j):
        a, b = rows[order[i]], rows[order[j]]
        return metres(a, b) / max(b[0] - a[0], 1.0)

    def off(i):
        a, b, c = (rows[order[j]] for j in (i - 1, i, i + 1))
        share = (b[0] - a[0]) / max(c[0] - a[0], 1.0)
        east = (c[2] - a[2] + 180) % 360 - 180
        return metres((0, a[1] + share * (c[1] - a[1]), a[2] + share * east), b)

    bad = [0] * len(rows)
    found = {
        i: off(i)
        for i in range(1, len(rows) - 1)
        if max(speed(i - 1, i), speed(i, i + 1)) > 10 and speed(i - 1, i + 1) < 4
    }
    for i, metres_off in found.items():
        if metres_off >= max(found.get(i - 1, 0), found.get(i + 1, 0)):
            bad[order[i]] = 1
    return bad


def oystercatchers(mirrors):
    source = Source(mirrors, "inbo/movepub", "CC0-1.0 (Zenodo record 5653311)")
    for year, birds in (("2018", ["5515868"]), ("2019", ["5515867", "5515879"])):
        path = f"inst/extdata/o_assen/O_ASSEN-gps-{year}.csv.gz"
        table = csv.DictReader(io.StringIO(gzip.decompress(source.read(path)).decode()))
        rows = [row for row in table if row["location-lat"]]
        for bird in birds:
            own = [row for row in rows if row["individual-local-identifier"] == bird]
            track = []
            for row in own:
                time = datetime.datetime.fromisoformat(row["timestamp"]).replace(tzinfo=UTC)
                bad = "true" in (row["import-marked-outlier"], row["manually-marked-outlier"])
                place = (float(row["location-lat"]), float(row["location-long"]))
                track.append((time.timestamp(), *place, int(bad)))
            yield f"oystercatcher_{bird}_{year}", "tag", "", "outliers marked by the owners", source, path, track


def seals(mirrors):
    source = Source(mirrors, "jmlondon/crwexampleakbs", "CC0-1.0 (NOAA)")
    listed = source.run("ls-tree", "-r", "--name-only", "HEAD", "data-raw").decode().split("\n")
    taken = 0
    for path in sorted(path for path in listed if path.endswith(".zip")):
        archive = zipfile.ZipFile(io.BytesIO(source.read(path)))
        names = [name for name in archive.namelist() if name.endswith("-Locations.csv")]
        if not names:
            continue
        table = csv.DictReader(io.StringIO(archive.read(names[0]).decode()))
        rows = [row for row in table if row["Type"] == "Argos" and row["Latitude"]]
        track, classes = [], []
        for row in rows:
            time = datetime.datetime.strptime(row["Date"].split(".")[0], "%H:%M:%S %d-%b-%Y")
            place = (float(row["Latitude"]), float(row["Longitude"]))
            track.append((time.replace(tzinfo=UTC).timestamp(), *place))
            classes.append(row["Quality"])
        order = sorted(range(len(track)), key=lambda i: track[i][0])
        track, classes = [track[i] for i in order], [classes[i] for i in order]
        if not 200 <= len(track) <= 2500 or "59974" in names[0]:
            continue
        bad = mcconnell(track, 3.0, classes)
        track = [(*row, int(out)) for row, out in zip(track, bad)]
        name = names[0].split("/")[-1].split("-")[0]
        CLASSES[f"seal_{name}"] = classes
        yield f"seal_{name}", "tag", "3", "McConnell et al. (1992) at 3 m/s, class Z", source, path, track
        taken += 1
        if taken == 10:
            return


def drifters(mirrors):
    name = "jerabaul29/data_release_sea_ice_drift_waves_in_ice_marginal_ice_zone_2022"
    source = Source(mirrors, name, "CC-BY-4.0 (doi:10.1038/s41597-023-02160-9)")
    # What the tests have already is left out.
    known = {"4610", "drifter_0000", "17328", "200906", "2022_seal3", "0161", "0173", "SPOT-1386"}
    listed = source.run("ls-tree", "-r", "--name-only", "HEAD", "Data").decode().split("\n")
    for path in sorted(path for path in listed if path.endswith(".nc")):
        try:
            data = netCDF4.Dataset("memory", memory=source.read(path))
        except (OSError, subprocess.CalledProcessError):
            continue
        if "trajectory_id" not in data.variables:
            continue
        moored = any(word in path for word in ("landfast", "Casey"))
        for k, raw in enumerate(netCDF4.chartostring(data["trajectory_id"][:])):
            label = str(raw).strip("\0 ")
            if label in known:
                continue
            columns = [data[name][k] for name in ("time", "lat", "lon")]
            rows = [
                tuple(float(value) for value in row)
                for row in zip(*columns)
                if all(value is not netCDF4.numpy.ma.masked and math.isfinite(value) for value in row)
            ]
            track = [row for row in rows if abs(row[1]) <= 90 and abs(row[2]) <= 180]
            track = [(*row, bad) for row, bad in zip(track, impossible(track))]
            if len(track) < 50:
                continue
            platform = "mooring" if moored else "drifter"
            stem = path.split("/")[1]
            yield f"{platform}_{stem}_{label}".lower(), platform, "", "published as checked; bad where no drifter can be (10 m/s)", source, path, track


def main(mirrors):
    HERE.mkdir(parents=True, exist_ok=True)
    for old in HERE.glob("*.csv*"):
        old.unlink()
    manifest, whole = [], io.StringIO()
    whole.write("track,time_stamp,latitude,longitude,bad\n")
    classes = io.StringIO("track,class\n")
    classes.seek(0, io.SEEK_END)
    for collect in (oystercatchers, seals, drifters):
        for name, platform, limit, labels, source, path, track in collect(mirrors):
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\n")
            writer.writerows([*(f"{v:.10g}" if k else repr(v).removesuffix(".0") for k, v in enumerate(row[:3])), row[3]] for row in track)
            whole.writelines(f"{len(manifest)},{line}\n" for line in text.getvalue().splitlines())
            classes.writelines(f"{len(manifest)},{one}\n" for one in CLASSES.get(name, []))
            # As written, so that the length is that of the file; exact repeats once.
            rows = [tuple(float(v) for v in line.split(",")[:3]) for line in text.getvalue().splitlines()]
            rows = sorted(dict.fromkeys(rows), key=lambda row: row[0])
            length = sum(metres(a, b) for a, b in zip(rows, rows[1:]))
            manifest.append([name, platform, limit, len(rows), sum(row[3] for row in track), f"{length:.3f}", labels, source.name, path, source.commit, source.licence])
            print(manifest[-1][:6])
    (HERE / "fixes.csv.gz").write_bytes(gzip.compress(whole.getvalue().encode(), 9, mtime=0))
    (HERE / "classes.csv.gz").write_bytes(gzip.compress(classes.getvalue().encode(), 9, mtime=0))
    with open(HERE / "manifest.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["name", "platform", "max_speed_m_s", "fixes", "bad", "length_m", "labels", "repository", "path", "commit", "licence"])
        writer.writerows(manifest)


if __name__ == "__main__":
    main(sys.argv[1])
