"""Heated bars, as frames and as solids: growth, bending, forces between walls, and softening before they buckle."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb import bodies
from flexmb.validation.registry import Check, case

#: aluminium; a bar [m]; its temperature [K] and a gradient across it [K/m]
ALPHA = 2.3e-5
METAL = fm.Material(density=2700.0, youngs_modulus=7e10, poissons_ratio=0.3, thermal_expansion=ALPHA)
LENGTH, WIDTH, HEIGHT = 1.0, 0.02, 0.03
WARM, GRADIENT = 1.0, 500.0
HEAT = {"warm": bodies.ThermalLoad(WARM), "bend": bodies.ThermalLoad(gradient=(0.0, 0.0, GRADIENT))}


def frame() -> bodies.ReducedBody:
    """The bar as a frame of four elements."""
    bar = bodies.Member(("root", "tip"), METAL, fm.Rectangle(width=WIDTH, height=HEIGHT), elements=4)
    places = {"root": (0, 0, 0), "tip": (LENGTH, 0, 0)}
    return bodies.from_frame(places, [bar], interfaces={"root": "root", "tip": "tip"}, loads=HEAT, modes=4)


def solid() -> bodies.ReducedBody:
    """The bar of bricks of 27 nodes, which its ends leave free to widen."""
    import skfem

    y, z = np.array([-0.5, 0.5]) * WIDTH, np.array([-0.5, 0.5]) * HEIGHT
    mesh = skfem.MeshHex.init_tensor(np.linspace(0.0, LENGTH, 11), y, z)
    ends = {
        name: bodies.Tie(bodies.on_plane((x, 0, 0), (1, 0, 0)), average=True)
        for name, x in (("root", 0.0), ("tip", LENGTH))
    }
    return bodies.from_mesh(mesh, METAL, interfaces=ends, loads=HEAT, modes=4)


def build(body: bodies.ReducedBody, load: str, factor: Any = 1.0, both: bool = False) -> fm.SpatialModel:
    """The bar on a wall, or between two, under heat."""
    model = fm.SpatialModel("heated bar")
    bar = model.add_modal_body("bar", body)
    model.weld(model.ground, bar.at("root"), name="wall")
    if both:
        model.weld(model.ground.attach("far", bar.at("tip").position), bar.at("tip"), name="far wall")
    else:
        bar.at("tip").enter()
    model.body_load(bar, load, factor=factor)
    return model


def moved(body: bodies.ReducedBody, load: str) -> np.ndarray:
    """The displacement (3,) [m] of the tip."""
    return fm.equilibrium(build(body, load))["bar.tip"].position - [LENGTH, 0.0, 0.0]


def pinned(part: float) -> fm.PlanarModel:
    """A bar in the plane on two pins that do not move, heated to a part of the temperature at which it buckles."""
    euler = (np.pi / LENGTH) ** 2 * HEIGHT**2 / 12.0  # π² EI/L² as a part of EA
    critical = euler / (1.0 + euler * 2.0 * (1.0 + METAL.poissons_ratio) * 6.0 / 5.0) / ALPHA  # and with shear
    bar = bodies.Member(("root", "tip"), METAL, fm.Rectangle(width=WIDTH, height=HEIGHT), elements=8)
    body = bodies.from_frame(
        {"root": (0, 0), "tip": (LENGTH, 0)}, [bar], interfaces={"root": "root", "tip": "tip"},
        loads={"warm": bodies.ThermalLoad(critical)}, modes=4,
    )  # fmt: skip
    model = fm.PlanarModel("pinned bar")
    held = model.add_modal_body("bar", body)
    model.revolute(model.ground, held.at("root"), name="pin")
    model.revolute(model.ground.attach("far", (LENGTH, 0.0)), held.at("tip"), name="far pin")
    model.body_load(held, "warm", factor=part)
    return model


def frequency(part: float) -> float:
    """The lowest frequency [Hz] of the pinned bar."""
    return float(fm.modes(fm.equilibrium(pinned(part)), 1).frequencies[0])


@case("thermal-bend", draw=lambda: fm.equilibrium(build(frame(), "bend", 20.0)))
def compute() -> Iterator[Check]:
    """heated bars, as frames and as solids: growth, bending, force between walls, softening before they buckle

    A bar that is free grows by ᾱ τ L, and under a gradient g across it bends into a circle of the curvature ᾱ g, away
    from the warm side. Between walls it presses with EA ᾱ τ, and between pins its lowest frequency falls with
    √(1 − τ/τ_c), where EA ᾱ τ_c is Euler's load with shear, 1/N = 1/N_E + 1/kGA (Engesser).
    """
    kappa = ALPHA * GRADIENT
    sag = (1.0 - np.cos(kappa * LENGTH)) / kappa
    for what, body in (("frame", frame()), ("solid", solid())):
        grown = moved(body, "warm")[0] / (ALPHA * WARM * LENGTH)
        why = "ᾱτ, of which Green's strain in solids makes half"
        yield Check(f"{what}: growth / ᾱτL", float(grown), 1.0, ALPHA * WARM, "ᾱτL", why)
        down = -moved(body, "bend")[2] / sag
        why = "square of the slope, 1.3e-4, in terms of third order"
        yield Check(f"{what}: deflection of the tip / circle", float(down), 1.0, 1e-5, "circle of ᾱg", why)
    between = build(frame(), "warm", both=True)
    force = fm.equilibrium(between).reaction("far wall")[0]
    push = float(np.abs(np.atleast_2d(force)[0][0])) / (METAL.youngs_modulus * WIDTH * HEIGHT * ALPHA * WARM)
    yield Check("force between walls / EAᾱτ", push, 1.0, 1e-6, "EAᾱτ", "rounding of large stiffness")
    cold = frequency(0.0)
    for part in (0.5, 0.9):
        fallen = (frequency(part) / cold) ** 2
        why = "0.2 ‰: squares of the slenderness, (πr/L)² = 7e-4, in the axial strain"
        yield Check(f"pinned bar at {part:g} of τ_c: frequency squared", fallen, 1.0 - part, 2e-4, "Euler", why)
