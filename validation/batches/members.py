"""Members of a batch against single runs, bit for bit, and pendulums of many starts against their equation of motion.

A member of :func:`flexmb.batch` is to be what :func:`flexmb.simulate` computes, whatever the method, the number of
threads, the order of the members and what ran before in the memory that it uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.validation.registry import Check, case

#: members of each batch, and their times [s]
COUNT, TIMES = 6, (0.05, 0.1)
#: methods with the numbers of threads and orders that are tried; steps [s] of those with fixed ones
THREADS = (1, 2, 5)
FIXED: dict[str, Any] = {"step": 2e-3, "second_run": False}
#: generalized-α follows the vibration of the beam in shorter ones
SHORT: dict[str, Any] = {"step": 1e-4, "second_run": False}
JOINTS: dict[str, Any] = {"formulation": "aba"}
#: pendulum: mass [kg], inertia about its mass center [kg m²], distance of it from the pivot [m]
MASS, INERTIA, LENGTH, GRAVITY = 2.0, 0.1, 1.0, 9.81
SINGLE = "single runs by flexmb.simulate"
SAME = "both are the same arithmetic"


def build() -> fm.PlanarModel:
    """A pendulum released level."""
    m = fm.PlanarModel("pendulum", gravity=(0, -GRAVITY))
    bob = m.add_body("bob", mass=MASS, inertia=INERTIA, position=(LENGTH, 0))
    m.revolute(m.ground, bob.attach("pivot", (-LENGTH, 0)), name="hinge")
    m.point_torque(bob.frame, 0.0, name="motor")
    return m


def arm() -> fm.SpatialModel:
    """Three links of 1 m on hinges about x and y."""
    m = fm.SpatialModel("arm", gravity=(0, 0, -GRAVITY))
    last = m.ground
    for k in range(3):
        link = m.add_body(f"link {k}", mass=1.0, inertia=(0.1, 0.1, 0.02), position=(0, 0, -0.5 - k))
        m.revolute(last, link.attach(f"top {k}", (0, 0, 0.5)), axis="xy"[k % 2], name=f"hinge {k}")
        last = link.attach(f"end {k}", (0, 0, -0.5))
    return m


def whip() -> fm.PlanarModel:
    """A rod of steel on a hinge, with a mass at its end."""
    m = fm.PlanarModel("whip", gravity=(0, -GRAVITY))
    steel = fm.Material(density=7850, youngs_modulus=205e9)
    rod = m.add_beam("rod", (0, 0), (1, 0), material=steel, section=fm.Circle(diameter=0.01), modes=1)
    m.revolute(m.ground, rod.start, name="hinge")
    m.add_point_mass("tip", rod.end, 0.1)
    return m


def servo() -> fm.PlanarModel:
    """The pendulum with a controller that reads a noisy sensor."""
    m = build()
    rate = fm.control.RelativeRate(m.ground, m.frame("bob"), noise=0.01)
    m.add_controller("servo", period=0.01, sensors=rate, commands="motor", law=fm.control.LinearLaw(D=[[-1.0]]))
    return m


def differing(runs: fm.Runs, singles: list[fm.Solution]) -> int:
    """The number of members that end otherwise than a single run, or of which an output differs in any bit."""
    return sum(
        (runs.status[k], runs.messages[k]) != (alone.status, alone.message)
        or any(runs[name][k].tobytes() != np.asarray(alone[name]).tobytes() for name in runs.outputs)
        for k, alone in enumerate(singles)
    )


def batches(model: Any, method: str, given: dict[str, Any], singles: list[fm.Solution], outputs: list[str]) -> int:
    """The number of members that differ from single runs, over all numbers of threads and both orders."""
    options: dict[str, Any] = {"times": TIMES, "outputs": outputs, "progress": False}
    wrong = 0
    for threads in THREADS:
        for back in (False, True):
            turned: dict[str, Any] = {
                key: {n: x[::-1] if back else x for n, x in given[key].items()} for key in ("vary", "initial")
            }
            others = {key: value for key, value in given.items() if key not in turned}
            runs = fm.batch(model, TIMES[-1], method, threads=threads, **turned, **others, **options)
            wrong += differing(runs, singles[::-1] if back else singles)
    return wrong


def _starts(model: Any) -> tuple[dict[str, list[float]], list[fm.State]]:
    """Angles and rates of all hinges of the members, and the same as states."""
    tree, rng = fm.Tree.of(model), np.random.default_rng(4)
    x, u = (np.repeat(y[None], COUNT, axis=0) for y in tree.start())
    hinges = [k for k, name in enumerate(tree.coordinate_names) if "hinge" in name]
    x[:, hinges], u[:, hinges] = rng.uniform(-1, 1, (2, COUNT, len(hinges)))
    named = {tree.coordinate_names[k]: x[:, k].tolist() for k in hinges}
    named |= {tree.coordinate_names[k].replace(".angle", ".rate"): u[:, k].tolist() for k in hinges}
    return named, [tree.state(*each) for each in zip(x, u)]


@case("batch", draw=arm)
def check() -> Iterator[Check]:
    """Members of batches and single runs."""
    of_trees: list[tuple[str, dict[str, Any]]] = [
        ("rkf45", FIXED | JOINTS),
        ("dop853", JOINTS),
        ("euler", FIXED | JOINTS),
        ("rkf45", FIXED),
        ("radau", {}),
    ]
    of_beams: list[tuple[str, dict[str, Any]]] = [("generalized_alpha", SHORT), ("radau", {})]
    starts: list[tuple[Any, str, list[tuple[str, dict[str, Any]]]]] = [
        (build, "bob.y", [*of_trees, ("generalized_alpha", FIXED)]),
        (arm, "link 2.y", of_trees),
    ]
    for make, output, methods in starts:
        model = make()
        named, states = _starts(model)
        for method, options in methods:
            given: dict[str, Any] = {"vary": {}, "initial": named, **options}
            singles = [
                fm.simulate(model, TIMES[-1], method, times=TIMES, initial=state, progress=False, **options)
                for state in states
            ]
            wrong = batches(model, method, given, singles, [output, "energy.kinetic"])
            where = "in joint coordinates" if "formulation" in options else "of bodies"
            yield Check(f"{model.name}, {method} {where}, other starts: members that differ", wrong, 0, 0, SINGLE, SAME)

    sizes, masses = [0.01 + 0.001 * k for k in range(COUNT)], [0.1 * (k + 1) for k in range(COUNT)]
    for method, options in of_beams:
        singles = []
        for d, mass in zip(sizes, masses):
            m: Any = whip()
            steel = fm.Material(density=7850, youngs_modulus=205e9)
            m.components["rod"].properties = fm.planar.BeamProperties.of(steel, fm.Circle(diameter=d))
            m.components["tip"].mass = mass
            singles.append(fm.simulate(m, TIMES[-1], method, times=TIMES, progress=False, **options))
        given = {"vary": {"rod.section.diameter": sizes, "tip.mass": masses}, "initial": {}, **options}
        wrong = batches(whip(), method, given, singles, ["rod.end.y", "hinge.fx"])
        yield Check(f"whip, {method}, other sections and masses: members that differ", wrong, 0, 0, SINGLE, SAME)

    laws, singles = [fm.control.LinearLaw(D=[[-0.5 * k]]) for k in range(COUNT)], []
    for law in laws:
        m = servo()
        m.controllers["servo"].law = law
        singles.append(fm.simulate(m, TIMES[-1], "generalized_alpha", times=TIMES, progress=False, **FIXED))
    given = {"vary": {"servo.law": laws}, "initial": {}, **FIXED}
    wrong = batches(servo(), "generalized_alpha", given, singles, ["bob.y", "hinge.fx"])
    yield Check("pendulum with a controller, other laws: members that differ", wrong, 0, 0, SINGLE, SAME)

    angles = np.linspace(-1.5, 1.5, 7)
    runs = fm.batch(
        build(), 2.0, "dop853", initial={"hinge.angle": angles}, outputs=["hinge.angle"], tolerance=1e-9, progress=False
    )
    about = MASS * LENGTH**2 + INERTIA
    reference = [
        solve_ivp(
            lambda t, y: [y[1], -MASS * GRAVITY * LENGTH * np.cos(y[0]) / about], (0, 2), [angle, 0], "DOP853",
            rtol=1e-12, atol=1e-13,
        ).y[0, -1]
        for angle in angles
    ]  # fmt: skip
    error = float(np.max(np.abs(runs["hinge.angle"][:, 0] - reference)))
    yield Check(
        "pendulums of seven starts after 2 s: largest error of an angle [rad]", error, 0, 1e-7,
        "θ'' = −m g l cos θ/(m l² + I) by scipy", "a hundred tolerances of 1e-9: errors of phase grow with time",
    )  # fmt: skip
