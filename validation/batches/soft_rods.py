"""The price of a soft rod that swings, beside its error: members of a batch, and rollouts of MuJoCo by Todorov, Erez
and Tassa (2012), where the rod is a chain of links with springs of EI/ℓ between them.

A rod of 1 m on a hinge is released level with a rate that differs from member to member, and bends while it swings for
half a second. It hardly stretches and shears (EA and GA of 1e6 N), since links do neither. MuJoCo 4 no longer has its
element of cables, whose stiffness was that of these springs. Errors [m] are those of the end of the rod, the largest
over the members, against the limit of each program: here sixteen elements with a tolerance of 1e-9, there chains of 40
and 80 links, of which the error of second order is taken off. How far both limits are apart is printed first.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.batches.price import line, price
from flexmb.validation.performance.peer_articulated import available

LENGTH, DIAMETER, DENSITY, MODULUS, T_END, GRAVITY = 1.0, 0.02, 1100.0, 5e7, 0.5, 9.81
AREA, INERTIA = np.pi * DIAMETER**2 / 4.0, np.pi * DIAMETER**4 / 64.0
MASS, EI, RHO_I = DENSITY * AREA * LENGTH, MODULUS * INERTIA, DENSITY * INERTIA
ENDS = ["rod.end.x", "rod.end.y"]
#: elements, method and options
HERE: list[tuple[int, str, dict[str, Any]]] = [
    (1, "generalized_alpha", {"step": 5e-3, "second_run": False}),
    (2, "generalized_alpha", {"step": 2e-3, "second_run": False}),
    (1, "radau", {"tolerance": 1e-5}),
    (2, "radau", {"tolerance": 1e-5}),
    (2, "radau", {"tolerance": 1e-6}),
    (4, "radau", {"tolerance": 1e-7}),
]
#: links, integrator and step [s]; longer steps are unstable
THERE = [(5, "RK4", 2e-3), (10, "RK4", 1e-3), (10, "implicitfast", 1e-3), (20, "RK4", 5e-4), (40, "RK4", 1e-4)]


def rates(members: int) -> np.ndarray:
    """Rates of the hinge at the start [rad/s], downwards."""
    return np.random.default_rng(5).uniform(0.5, 1.5, members)


def rod(elements: int) -> fm.PlanarModel:
    """The rod as a beam of component modes."""
    model = fm.PlanarModel("rod", gravity=(0, -GRAVITY))
    properties = fm.planar.BeamProperties(EA=1e6, GA=1e6, EI=EI, rhoA=DENSITY * AREA, rhoI=RHO_I)
    beam = model.add_beam("rod", (0, 0), (LENGTH, 0), properties=properties, elements=elements)
    model.revolute(model.ground, beam.start, name="hinge")
    return model


def runs(elements: int, method: str, options: dict[str, Any], members: int, threads: int = 1) -> fm.Runs:
    """Members that swing."""
    start = {"hinge.rate": -rates(members)}
    given = {"times": [0.0, T_END], "outputs": ENDS, "threads": threads, "progress": False, **options}
    return fm.batch(rod(elements), T_END, method, initial=start, **given)


def ends(found: fm.Runs) -> np.ndarray:
    """Places of the end of the rod (members, 2) at the end of the runs."""
    return np.stack([found[name][:, -1] for name in ENDS], axis=1)


def chain(links: int, integrator: str, step: float) -> Any:
    """The rod as links with springs."""
    mujoco: Any = importlib.import_module("mujoco")
    length, mass = LENGTH / links, MASS / links
    turning = mass * length**2 / 12.0 + RHO_I * length
    text = ""
    for k in range(links):
        text += f'<body pos="{length if k else 0.0} 0 0"><joint type="hinge" axis="0 1 0"'
        text += f' stiffness="{EI / length}"/>' if k else "/>"
        about = f"{2 * RHO_I * length} {turning} {turning}"  # of which only that about the hinges acts
        text += f'<inertial pos="{0.5 * length} 0 0" mass="{mass}" diaginertia="{about}"/>'
    text += "</body>" * links
    option = f'<option gravity="0 0 {-GRAVITY}" timestep="{step}" integrator="{integrator}"/>'
    return mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{text}</worldbody></mujoco>")


def rollouts(links: int, integrator: str, step: float, members: int, threads: int = 1) -> np.ndarray:
    """Places of the end of the chain (members, 2) after rollouts."""
    mujoco: Any = importlib.import_module("mujoco")
    rollout: Any = importlib.import_module("mujoco.rollout")
    model = chain(links, integrator, step)
    states = np.zeros((members, 1 + 2 * links))
    states[:, 1 + links] = rates(members)  # about −z of the plane of the beam, which is y here
    data = [mujoco.MjData(model) for _ in range(threads)]
    angles = np.cumsum(rollout.rollout(model, data, states, nstep=round(T_END / step))[0][:, -1, 1 : 1 + links], axis=1)
    return LENGTH / links * np.stack([np.cos(angles).sum(axis=1), -np.sin(angles).sum(axis=1)], axis=1)


def compared(
    text: str, run: Callable[[int, int], Any], members: int, wanted: np.ndarray, places: Callable[[Any], Any]
) -> None:
    """Print the price of members by one way, and their error."""
    one, two = price(lambda n: run(n, 1), 2, members), price(lambda n: run(n, 2), 2, members)
    line(text, float("nan"), one, two, float(np.abs(places(run(members, 1)) - wanted).max()))


def main(members: int = 40) -> None:
    """Print all prices."""
    warnings.simplefilter("ignore")
    wanted = ends(runs(16, "radau", {"tolerance": 1e-9}, members))
    for elements, method, options in HERE:
        text = f"{elements} elements, {method}, {', '.join(f'{x:g}' for x in options.values() if x)}"
        compared(text, lambda n, k: runs(elements, method, options, n, k), members, wanted, ends)  # noqa: B023
    if available("mujoco"):
        coarse, fine = rollouts(40, "RK4", 1e-4, members), rollouts(80, "RK4", 2.5e-5, members)
        limit = fine + (fine - coarse) / 3.0
        print(f"limits of both programs are {np.abs(limit - wanted).max():.1e} m apart")
        for links, integrator, step in THERE:
            text = f"{links} links by MuJoCo, {integrator}, {1e3 * step:g} ms"
            compared(text, lambda n, k: rollouts(links, integrator, step, n, k), members, limit, np.asarray)  # noqa: B023


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
