"""A bracket of bricks that flies freely: momenta and energy; and the same bracket from a mesh that was turned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb import bodies
from flexmb.validation.registry import Check, case

ALUMINIUM = fm.Material(density=2700.0, youngs_modulus=7e10, poissons_ratio=0.33)
#: the flight: its duration [s], the angular velocity [rad/s] and the deformation at the start, as a part of the modes
T_END, SPIN, RATE = 0.004, (200.0, -150.0, 250.0), 0.3


def bracket(turn: Rotation | None = None, shift: Any = (0.0, 0.0, 0.0), modes: int = 8) -> bodies.ReducedBody:
    """An L of two plates, of bricks of 27 nodes, its mesh turned and shifted; the foot is an interface."""
    import skfem

    y, thick = np.linspace(0.0, 0.06, 4), np.array([0.0, 0.008])
    x, z = (np.concatenate([[0.0], np.linspace(0.008, size, count + 1)]) for size, count in ((0.1, 4), (0.12, 5)))
    mesh = skfem.MeshHex.init_tensor(x, y, thick) + skfem.MeshHex.init_tensor(thick, y, z[1:])
    corner = mesh.p.T
    foot = np.array([0.1, 0.03, 0.004])
    if turn is not None:
        mesh = skfem.MeshHex((turn.apply(corner) + shift).T, mesh.t)
        foot = turn.apply(foot) + shift
    axis = (turn or Rotation.identity()).apply((1.0, 0.0, 0.0))
    return bodies.from_mesh(
        mesh, ALUMINIUM, interfaces={"foot": bodies.on_plane(foot, axis, tolerance=1e-6)}, modes=modes,
        reduction=bodies.Reduction(damping=0.0),
    )  # fmt: skip


def build(reduced: bodies.ReducedBody, field: str = "quadratic", rate: float = RATE, **place: Any) -> fm.SpatialModel:
    """The bracket, which turns and swings."""
    model = fm.SpatialModel("bracket")
    rates = rate * np.array([1.0, -0.6, 0.4, 0.3, 0.2, -0.2, 0.1, 0.1][: reduced.modes])
    body = model.add_modal_body("bracket", reduced, field=field, amplitude_rates=rates, **place)
    body.frame.move((3.0, -2.0, 1.0), SPIN)
    return model


@case("fe-free-flight", draw=lambda: build(bracket()))
def flight() -> Iterator[Check]:
    """energy and momenta of a bracket of bricks that turns at 350 rad/s and swings, with both fields"""
    solid = bracket()
    for field in ("quadratic", "linear"):
        run = fm.simulate(build(solid, field), T_END, "radau", tolerance=1e-11, progress=False)
        energy, whole = run.energy.total, run.whole
        law, left = "conserved", "by the tolerance of the method, 1e-11 a step"
        yield Check(f"{field}: energy, change relative [–]", float(np.ptp(energy) / energy[0]), 0.0, 1e-9, law, left)
        for what, momentum in (("momentum", whole.momentum), ("angular momentum", whole.angular_momentum)):
            change = np.max(np.abs(momentum - momentum[0])) / np.linalg.norm(momentum[0])
            yield Check(f"{field}: {what}, change relative [–]", float(change), 0.0, 1e-11, law, left)
        strain = float(np.max(run.energy.strain) / energy[0])
        yield Check(
            f"{field}: 1 if it deforms much", float(strain > 1e-3), 1.0, 0.0, "a part of its energy", "yes or no"
        )


@case("rotated-body", draw=lambda: build(bracket()))
def rotated() -> Iterator[Check]:
    """the same bracket from a mesh that was turned and shifted moves as before"""
    turn, shift = Rotation.from_rotvec((0.4, -0.9, 0.6)), np.array([0.3, -0.2, 0.5])
    one, other = bracket(), bracket(turn, shift)
    runs, times = [], np.linspace(0.0, T_END, 9)
    for body, place in ((one, {}), (other, {"orientation": turn.inv(), "position": turn.inv().apply(-shift)})):
        model = build(body, rate=0.0, **place)
        model.components["bracket"].at("foot").enter()  # type: ignore[attr-defined]
        runs.append(fm.simulate(model, T_END, "radau", tolerance=1e-11, times=times, progress=False))
    same = "the same body, its mesh turned and shifted"
    a, b = (run["bracket.foot"] for run in runs)
    travel = float(np.max(np.linalg.norm(a.position - a.position[0], axis=1)))
    error = float(np.max(np.abs(b.position - a.position))) / travel
    yield Check("motion of the foot, by its way [–]", error, 0.0, 1e-12, same, "rounding; steps are the same")
    between = a.orientation.inv() * b.orientation  # the axes of an interface are those of its mesh
    turned = (between[0].inv() * between).magnitude()
    yield Check("turn of the foot [rad]", float(np.max(turned)), 0.0, 1e-12, same, "rounding; steps are the same")
