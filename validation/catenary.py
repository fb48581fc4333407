"""Chains that hang between two points."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import brentq

import flexmb as fm
from flexmb.validation.registry import Check, Errors, Record, case

SPAN, LENGTH, DENSITY, G = 1.0, 1.3, 2.0, 9.81


def chain(links: int) -> fm.PlanarModel:
    """Rigid hinged links, which start as two sides of a triangle."""
    model = fm.PlanarModel("chain", gravity=(0.0, -G))
    a = LENGTH / links
    depth = np.sqrt(LENGTH**2 - SPAN**2) / 2.0
    before = model.ground
    for k in range(links):
        s = [SPAN * x for x in (k / links, (k + 1) / links)]
        y = [-depth * (1.0 - abs(2.0 * x / SPAN - 1.0)) for x in s]
        middle = (0.5 * (s[0] + s[1]), 0.5 * (y[0] + y[1]))
        angle = float(np.arctan2(y[1] - y[0], s[1] - s[0]))
        mass = DENSITY * a
        link = model.add_body(f"link{k}", mass=mass, inertia=mass * a**2 / 12.0, position=middle, angle=angle)
        model.revolute(before, link.attach("near", (-0.5 * a, 0.0)), name=f"hinge{k}")
        before = link.attach("far", (0.5 * a, 0.0))
    model.revolute(model.ground.attach("far end", (SPAN, 0.0)), before, name="last hinge")
    return model


def horizontal_pull(links: int) -> float:
    """The horizontal force H [N] in a chain of rigid links. The balance of moments of the k-th link of weight w about
    its end is tan θₖ = (k − ½ − n/2) w/H, and the links span Σ a cos θₖ."""
    w, a = DENSITY * G * LENGTH / links, LENGTH / links
    k = np.arange(1, links + 1) - 0.5 - 0.5 * links
    return float(brentq(lambda H: np.sum(a / np.hypot(1.0, k * w / H)) - SPAN, 1e-3, 1e4, xtol=1e-13, rtol=1e-14))


def sag(links: int) -> float:
    """The sag of the middle of a chain [m] (for an even number of links)."""
    w, a, H = DENSITY * G * LENGTH / links, LENGTH / links, horizontal_pull(links)
    k = np.arange(1, links // 2 + 1) - 0.5 - 0.5 * links
    slope = k * w / H
    return float(-np.sum(a * slope / np.hypot(1.0, slope)))


def catenary() -> tuple[float, float]:
    """Sag [m] and horizontal force [N] of the catenary: 2c sinh(span/2c) = length, sag c (cosh(span/2c) − 1)."""
    c = float(brentq(lambda c: 2.0 * c * np.sinh(0.5 * SPAN / c) - LENGTH, 0.05, 10.0, xtol=1e-15))
    return c * (float(np.cosh(0.5 * SPAN / c)) - 1.0), DENSITY * G * c


def hanging() -> fm.Equilibrium:
    """A chain of 16 rigid links at rest."""
    return fm.equilibrium(chain(16))


@case("catenary", draw=hanging)
def compute() -> Iterator[Record]:
    """chains of rigid links against their closed form, and their limit, and a soft cable, against the catenary"""
    exact_sag, exact_pull = catenary()
    errors, numbers = [], (4, 8, 16, 32)
    for links in numbers:
        rest = fm.equilibrium(chain(links))
        depth = -rest[f"link{links // 2}.near.y"]
        pull = abs(float(rest.reaction("last hinge")[0][0]))
        source = "moments about the links' ends"
        yield Check(f"{links} links: sag [m]", depth, sag(links), 1e-12, source, "round-off")
        yield Check(f"{links} links: horizontal force [N]", pull, horizontal_pull(links), 1e-10, source, "round-off")
        errors.append(abs(depth - exact_sag))
    yield Errors("sag of links, against the catenary [m]", "links", numbers, errors, -2.0)
    order = float(np.log2(errors[-2] / errors[-1]))
    what = "order at which links come to the catenary"
    yield Check(what, order, 2.0, 0.01, "catenary", "terms of fourth order at 16 links")
    boundary = "EI 1e-5: stiff ends, √(EI/H) = 1 mm long"
    for theory, elements, off, why in (
        ("ancf", 64, 2e-5, boundary),
        ("exact", 64, 1e-4, "second order: a chain of 64 links is 5e-5 m off"),
    ):
        model = fm.PlanarModel("cable", gravity=(0.0, -G))
        soft = fm.planar.BeamProperties(EA=1e6, EI=1e-5, rhoA=DENSITY, rhoI=1e-6)
        cable = model.add_beam("cable", (0.0, 0.0), (LENGTH, 0.0), properties=soft, theory=theory, elements=elements)
        model.revolute(model.ground, cable.start, name="first hinge")
        pull_in = fm.SmoothStep(0.0, 1.0, LENGTH, SPAN)
        model.lock(model.ground, cable.end, "y", name="level")
        model.drive_position(model.ground, cable.end, pull_in, name="winch")
        hung = fm.quasi_static(model, 1.0, steps=20)
        depth = -float(hung["cable@0.5.y"][-1])
        force = abs(float(hung["winch.fx"][-1]))
        yield Check(f"{theory} cable, 64 elements: sag [m]", depth, exact_sag, off, "catenary", why)
        yield Check(f"{theory} cable: horizontal force [N]", force, exact_pull, 20.0 * off, "catenary", why)
