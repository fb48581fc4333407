"""The shadow of the earth on orbits: how long it is dark, the mean light, half shadow; and a sail that crosses it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.model.gravity.shadow import edges_until
from flexmb.results.orbits.sunlight import sunlight
from flexmb.validation.registry import Check, case
from flexmb.validation.surfaces.textbook import darkness, visible

MU, RADIUS, FAR = 3.986004418e14, 6378137.0, 7.0e6
#: of the sun's direction to the plane of the orbit [degrees]: half shadow [s] and mean light, by quadrature
KNOWN = {0.0: (8.62, 0.635173), 30.0: (10.3, None), 60.0: (27.8, None)}
#: a sail [m²], its mass [kg], the pressure [N/m²]
AREA, MASS, PRESSURE = 40.0, 10.0, 4.56e-6


def orbit() -> fm.spatial.CentralGravity:
    """A circle in the plane x–y."""
    return fm.spatial.CentralGravity(MU, (FAR, 0, 0), (0, np.sqrt(MU / FAR), 0), radius=RADIUS)


def sun_at(degrees: float) -> np.ndarray:
    """The direction of the sun by its angle to the plane x–y."""
    beta = np.deg2rad(degrees)
    return np.array([np.cos(beta), 0.0, np.sin(beta)])


def build(sun: Any = (1.0, 0.0, 0.0)) -> fm.SpatialModel:
    """A black ball of the cross section of a sail, which crosses the shadow."""
    m = fm.SpatialModel("sail", gravity=orbit())
    sail = m.add_body("sail", shape=fm.Sphere(diameter=2.0 * np.sqrt(AREA / np.pi)), mass=MASS)
    m.solar_pressure(sail, sun=sun, pressure=PRESSURE, eclipse=True)
    return m


def mean_light(degrees: float) -> tuple[float, float, float]:
    """The mean light over an orbit, the dark part of it, its full shadow and half of each half shadow, and how long a
    half shadow lasts [s], from the edges and Gauss's points between them."""
    earth, sun = orbit(), sun_at(degrees)
    edges = edges_until(earth, sun, 0.0, earth.period, "eclipse")
    nodes, weights = np.polynomial.legendre.leggauss(200)
    total, ends = 0.0, [0.0, *edges, earth.period]
    for first, last in pairwise(ends):
        t = first + 0.5 * (last - first) * (1.0 - np.cos(0.5 * np.pi * (nodes + 1.0)))  # roots at the edges
        stretch = 0.5 * (last - first) * np.sin(0.5 * np.pi * (nodes + 1.0)) * 0.5 * np.pi
        total += float((sunlight(earth.origin(t)[0], sun, RADIUS) * stretch) @ weights)
    dark = 0.5 * (edges[3] + edges[2] - edges[1] - edges[0]) / earth.period
    return total / earth.period, dark, edges[1] - edges[0]


def pushed(end: float) -> np.ndarray:
    """Place of the sail against the origin at the end: by linear motion about a circle, with the light of strips, in
    steps of Runge and Kutta from edge to edge."""
    earth, sun = orbit(), sun_at(0.0)
    N, push = earth.rate, PRESSURE * AREA / MASS

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        o = FAR * np.array([np.cos(N * t), np.sin(N * t), 0.0])
        n = o / FAR
        a = -(N**2) * (y[:3] - 3.0 * n * (n @ y[:3])) - push * visible(o, sun, RADIUS, 200) * sun
        return np.concatenate([y[3:], a])

    y, ends = np.zeros(6), [0.0, *edges_until(earth, sun, 0.0, end, "eclipse"), end]
    for first, last in pairwise(ends):
        count = 40 if last - first < 100.0 else 400
        h = (last - first) / count
        for t in first + h * np.arange(count):
            a = rates(t, y)
            b = rates(t + 0.5 * h, y + 0.5 * h * a)
            c = rates(t + 0.5 * h, y + 0.5 * h * b)
            y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + rates(t + h, y + h * c))
    return np.asarray(y[:3])


@case("eclipse", draw=build)
def compute() -> Iterator[Check]:
    """the shadow of the earth: dark part of an orbit, half shadow and mean light, in closed form and by quadrature; a
    sail that is pushed through a shadow"""
    for degrees, (half, light) in KNOWN.items():
        mean, dark, lasts = mean_light(degrees)
        at = f"sun {degrees:g}° off the orbit's plane"
        want = darkness(FAR, RADIUS, np.deg2rad(degrees))
        why = "the cone of the shadow is not quite symmetric about the cylinder"
        yield Check(f"{at}: dark part of the orbit", dark, want, 3e-5 + 2e-4 * (degrees > 45.0), "cylinder", why)
        yield Check(f"{at}: half shadow [s]", lasts, half, 0.05, "cone, by bisection", "digits given")
        if light is not None:
            yield Check(f"{at}: mean light", mean, light, 1e-6, "20 000 places", "digits given")
    earth, sun = orbit(), sun_at(0.0)
    first, second = edges_until(earth, sun, 0.0, 0.5 * earth.period, "eclipse")
    for part in (0.1, 0.5, 0.9):
        place = earth.origin(first + part * (second - first))[0]
        label = f"light seen after {part:g} of the half shadow"
        got = float(sunlight(place[None], sun, RADIUS)[0])
        yield Check(label, got, visible(place, sun, RADIUS), 1e-6, "strips of the disk", "their number")
    m = build()
    end = earth.period
    run = fm.simulate(m, end, "dop853", tolerance=1e-10, progress=False)
    place = pushed(end)
    off = float(np.linalg.norm(run["sail"].position[-1] - place) / np.linalg.norm(place))
    yield Check("sail after an orbit: place, relative error", off, 0.0, 1e-4, "linear motion about the circle",
                "squares of its way over the radius, 2e-5")  # fmt: skip
