"""A bracket of finite elements that a motor with an unbalanced rotor shakes as it runs up through a resonance.

The mesh is made by scikit-fem and reduced to a few modes; the bracket is then one body of the mechanism, bolted down at
its foot. The motor on its back passes the first frequency of the bracket with its mass on it. Stresses come back onto
the mesh: how large the largest one is, where and when.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.full_models.meshed_elements import scikit_fem

ALUMINIUM = fm.Material(density=2700.0, youngs_modulus=7e10, poissons_ratio=0.33)
#: the motor: mass of its rotor [kg], how far that is off its axis [m], highest speed [rad/s] and when [s]
ROTOR, OFF, SPEED, RUN_UP = 0.02, 1e-3, 2.0 * np.pi * 350.0, 0.3
#: middle of the patch on the back that carries the motor [m]
SEAT = (0.0, 0.03, 0.0968)


def solid() -> bodies.ReducedBody:
    """The bracket: an L of two plates, 0.1 × 0.06 m and 0.12 × 0.06 m, 8 mm thick."""
    skfem = scikit_fem()
    x, z = (np.concatenate([[0.0], np.linspace(0.008, size, 7)]) for size in (0.1, 0.12))
    y, thick = np.linspace(0.0, 0.06, 5), np.array([0.0, 0.008])
    mesh = skfem.MeshHex.init_tensor(x, y, thick) + skfem.MeshHex.init_tensor(thick, y, z[1:])
    foot = bodies.on_plane((0, 0, 0), (0, 0, 1)) & bodies.in_box((0.05, -1.0, -1.0), (0.09, 1.0, 1.0))
    back = bodies.on_plane((0, 0, 0), (1, 0, 0)) & bodies.in_box((-1.0, 0.01, 0.08), (1.0, 0.05, 0.115))
    return bodies.from_mesh(
        mesh, ALUMINIUM, interfaces={"foot": foot, "seat": bodies.Tie(back, position=SEAT)}, modes=8,
        reduction=bodies.Reduction(inertia_loads=True, damping=0.01, progress=False),
    )  # fmt: skip


def build() -> fm.SpatialModel:
    """The bracket on the ground, with the motor on its back."""
    model = fm.SpatialModel("bracket", gravity=(0, 0, -9.81))
    bracket = model.add_modal_body("bracket", solid())
    model.weld(model.ground.attach("bed", bracket.at("foot").position), bracket.at("foot"))
    disk = fm.Cylinder(diameter=0.03, length=0.01)
    axis = np.array([-0.012, SEAT[1], SEAT[2]])
    rotor = model.add_body(
        "rotor", mass=ROTOR, inertia=(2e-6, 2e-6, 3e-6), shape=disk, center=(OFF, 0, 0), position=axis,
        orientation=fm.axes_along(z=(1, 0, 0), x=(0, 0, 1)),
    )  # fmt: skip
    stator = bracket.at("seat").attach("stator", axis - bracket.at("seat").position)
    model.revolute(stator, rotor, axis="x", name="bearing")
    model.drive_angle(stator, rotor, fm.SpinUp(SPEED, RUN_UP), axis="x", name="motor")
    return model


def run(out: Path) -> list[Path]:
    """Run up, and show how far the seat swings, the bracket where it bends most, and its stresses."""
    from matplotlib.figure import Figure

    model = build()
    frequency = float(fm.modes(model, 3).frequencies[0])
    solution = fm.simulate(model, RUN_UP, step=1e-4)
    t, moved = solution.t, solution["bracket.seat"].position - solution["bracket.seat"].position[0]
    along = moved[:, 0] - moved[:, 0].mean()
    k = int(np.argmax(np.abs(along)))
    speed = solution.relative("rotor", to="bracket.seat").angular_velocity
    turns = np.linalg.norm(speed, axis=1) / (2.0 * np.pi)
    print(solution)
    print(f"first frequency {frequency:.0f} Hz; the seat swings by {1e3 * abs(along[k]):.2f} mm at {turns[k]:.0f} Hz")
    stress = solution["bracket.von_mises"]
    peak = stress.peak
    place = ", ".join(f"{1e3 * x:.0f}" for x in peak.position)
    print(f"largest stress of von Mises {peak.value / 1e6:.1f} MPa at ({place}) mm, {peak.time:.4f} s")
    figure = Figure(figsize=(8.0, 4.0), layout="constrained")
    ax = figure.subplots()
    ax.plot(turns, 1e3 * along, color="#0b3c5d", linewidth=0.8)
    ax.axvline(frequency, color="#d95f02", linestyle="--", label="first frequency")
    ax.set(xlabel="speed of the motor [Hz]", ylabel="swing of the seat [mm]")
    ax.legend(frameon=False)
    chart = out / "bracket-run-up.png"
    figure.savefig(chart, dpi=140)
    picture = fm.View(solution, color="deformation").screenshot(out / "bracket.png", time=float(t[k]))
    stressed = fm.View(solution, color="von_mises").screenshot(out / "bracket-stress.png", time=peak.time)
    return [chart, picture, stressed, solution.save(out / "bracket.h5")]
