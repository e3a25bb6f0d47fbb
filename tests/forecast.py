"""What `src/track/forecast` must come to, computed by other code: writes tests/data/forecast.csv.

An implementation in numpy of the rules of docs/background/hindcast.md, on a sphere, with its
own cleaning of the tracks. For each track and lead: how many forecasts have an outcome, the median and the 90 % error of the motion that was chosen, how many
circles came of the track's own record, and how many of these held (R50, R90).

    python3 tests/forecast.py        # needs numpy; about a minute
"""

import csv
import gzip
import json
import pathlib

import numpy as np

RADIUS_KM = 6371.0088
DATA = pathlib.Path(__file__).parent / "data"
LEADS = [4, 12, 24, 48]
MORE = ["drifter_spitsbergen_2018", "omb_greenland_seal3", "spotter_laptev_1386", "omb_barents_200906"]


def distance(a, b, c, d):
    a, b, c, d = map(np.radians, (a, b, c, d))
    h = np.sin((c - a) / 2) ** 2 + np.cos(a) * np.cos(c) * np.sin((d - b) / 2) ** 2
    return 2 * RADIUS_KM * np.arcsin(np.minimum(1, np.sqrt(h)))


def clean(t, la, lo, fastest=3.0):
    """Hours, latitude, longitude of what no speed over `fastest` m/s reaches and leaves."""
    order = np.argsort(t, kind="stable")
    t, la, lo = (np.asarray(v, float)[order] for v in (t, la, lo))
    keep = np.r_[True, np.diff(t) > 0]
    t, la, lo = t[keep], la[keep], lo[keep]
    for _ in range(5):
        v = distance(la[:-1], lo[:-1], la[1:], lo[1:]) * 1000 / np.diff(t)
        bad = np.r_[v[0] > fastest and not v[1] > fastest, v > fastest] & np.r_[v > fastest, True]
        if not bad.any():
            break
        t, la, lo = t[~bad], la[~bad], lo[~bad]
    return t / 3600.0, la, lo


def plane(la0, lo0, la, lo):
    """Azimuthal equidistant about la0, lo0: east + i north, km."""
    p0, l0, p, l = map(np.radians, (la0, lo0, la, lo))
    y = np.sin(l - l0) * np.cos(p)
    x = np.cos(p0) * np.sin(p) - np.sin(p0) * np.cos(p) * np.cos(l - l0)
    return distance(la0, lo0, la, lo) * np.exp(1j * (np.pi / 2 - np.arctan2(y, x)))


def unit(la, lo):
    la, lo = np.radians(la), np.radians(lo)
    return np.c_[np.cos(la) * np.cos(lo), np.cos(la) * np.sin(lo), np.sin(la)]


def at(t, u, when, longest):
    j = np.clip(np.searchsorted(t, when), 1, len(t) - 1)
    a, b = t[j - 1], t[j]
    ok = (when >= t[0]) & (when <= t[-1]) & (b - a <= longest)
    w = ((when - a) / (b - a))[:, None]
    v = u[j - 1] * (1 - w) + u[j] * w
    v /= np.linalg.norm(v, axis=1)[:, None]
    return np.degrees(np.arcsin(np.clip(v[:, 2], -1, 1))), np.degrees(np.arctan2(v[:, 1], v[:, 0])), ok


def moves(t, u, i):
    """Speeds to the fixes i over the shortest leg, a minute to an hour, of 45 m and more, as is the fix before."""
    speeds = []
    for k in i:
        j = np.arange(max(1, np.searchsorted(t, t[k] - 0.9, side="right")), k)[::-1]
        far = [RADIUS_KM * np.linalg.norm(u[k] - u[n], axis=1) for n in (j, j - 1)]
        fit = (t[k] - t[j] >= 1 / 60) & (far[0] >= 0.045) & (far[1] >= 0.045)
        speeds.append((far[0] / (t[k] - t[j]))[np.argmax(fit)] if fit.any() else 0.0)
    return np.array(speeds)


def tracks():
    rows = {}
    with gzip.open(DATA / "labelled/fixes.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if row["bad"] == "0":
                rows.setdefault(int(row["track"]), []).append(row)
    with open(DATA / "labelled/manifest.csv") as file:
        for number, row in enumerate(csv.DictReader(file)):
            if row["platform"] == "drifter":
                of = rows[number]
                yield row["name"], [[float(x[k]) for x in of] for k in ("time_stamp", "latitude", "longitude")]
    for name in MORE:
        with gzip.open(DATA / f"tracks/{name}.json.gz") as file:
            of = json.load(file)
        yield name, [[x[k] for x in of] for k in ("time_stamp", "latitude", "longitude")]


def hindcast(t, la, lo, lead):
    step = max(1.0, lead / 8) - 1 / 60
    starts, last = [], -1e9
    for i, time in enumerate(t):
        if time - last >= step:
            starts.append(i)
            last = time
    i = np.array(starts)
    interval = np.array([np.median(np.diff(t[max(0, k - 20) : k + 1])) if k else 0.0 for k in i])
    longest = np.maximum(3 * interval, 2.0)
    t0, la0, lo0, u = t[i], la[i], lo[i], unit(la, lo)
    j = np.searchsorted(t, t0 - 0.9, side="right") - 1
    leg = np.where(j >= 0, t0 - t[np.maximum(j, 0)], np.nan)
    v = -plane(la0, lo0, la[np.maximum(j, 0)], lo[np.maximum(j, 0)]) / leg
    good = (j >= 0) & (leg <= np.maximum(2.5 * interval, 2.5))

    def mean(hours):
        a, b, ok = at(t, u, t0 - hours, longest)
        return np.where(ok, -plane(la0, lo0, a, b) / hours, v)

    a, b, ok = at(t, u, t0 + lead, longest)
    truth = plane(la0, lo0, a, b)
    v12, speed = mean(12), np.maximum(np.maximum(np.abs(v), np.abs(mean(24))), moves(t, u, i))
    turn = 1 / 6 + 2j * 7.292115e-5 * 3600 * np.sin(np.radians(la0))
    decay = 48 * (1 - np.exp(-lead / 48))
    all_four = [v * decay, v12 * decay + (v - v12) * (1 - np.exp(-turn * lead)) / turn, v12 * decay, 0 * v]
    use = good & ok
    errors = np.stack([np.abs(p - truth) for p in all_four], 1)[use]
    t0, scale, early = t0[use], ((speed + 0.06) * lead)[use], np.where(np.abs(la0[use]) >= 70, 0, 1)
    level = {0.1: 0.1, 0.5: 0.5}
    learned, chosen, ratio, given, own = 0, [], [], [], []
    for k, now in enumerate(t0):
        while learned < k and t0[learned] + lead <= now:
            for share in level:
                missed = ratio[learned] > given[learned][share]
                level[share] = min(0.995, max(0.005, level[share] + 0.02 * (share - missed)))
            learned += 1
        first = np.searchsorted(t0, now - lead - 720)
        n = learned - first
        enough = n >= 20 and t0[learned - 1] - t0[first] >= 120
        best = int(np.argmin(errors[first:learned].sum(0))) if enough else early[k]
        past = ratio[first:learned]
        circle = {0.1: 1.4, 0.5: 0.56}
        if enough:
            own_circle = {s: np.quantile(past, min(1, (1 - level[s]) * (n + 1) / n)) for s in level}
            own_circle[0.5] = min(own_circle.values())
            known = min(1, np.sort(scale[first:learned])[-20] / scale[k])
            circle = {s: own_circle[s] + (1 - known) * max(circle[s] - own_circle[s], 0) for s in level}
        chosen.append(errors[k, best])
        ratio.append(chosen[-1] / scale[k])
        given.append(circle)
        own.append(enough)
    own = np.array(own, bool)
    held = {s: np.array([r <= g[s] for r, g in zip(ratio, given)], bool)[own].sum() for s in level}
    return chosen, own.sum(), held


if __name__ == "__main__":
    with open(DATA / "forecast.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow("track,lead_h,forecasts,median_km,p90_km,circles,inside_50,inside_90".split(","))
        for name, columns in tracks():
            fixes = clean(*columns)
            for lead in LEADS:
                if lead < 0.7 * np.median(np.diff(fixes[0])):
                    continue
                chosen, own, held = hindcast(*fixes, lead)
                if len(chosen) == 0:
                    continue
                out.writerow([name, lead, len(chosen), *(f"{x:.4f}" for x in np.quantile(chosen, [0.5, 0.9])), own, held[0.5], held[0.1]])
