"""A hull that floats with two panels, which are reduced bodies in their mean frames and hang on it by interfaces, one
by a weld and one by a hinge, by every formulation that takes them; and runs in joint coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.formulations.papers import FLEXIBLE
from flexmb.validation.agreement import apart
from flexmb.validation.flexible_one_number import AMPLITUDES, ROUGH
from flexmb.validation.one_number import SOURCE, engine
from flexmb.validation.registry import Check, case

#: the compiled formulations, which take no loads of the model
COMPILED = "aba", "lagrange", "ada", "dca"
#: amplitudes of the two softest modes [kg½ m]: the panel bends by 0.6 m of its 3 m
BENT = 0.3
#: time of the runs [s]
END = 0.4
#: of each kind of hinge in runs: what turns it
HINGES = "free", "motor", "driven"


def panel() -> fm.bodies.ReducedBody:
    """A tube of 3 m with a field of second order."""
    tube = fm.Tube(outer_diameter=0.05, inner_diameter=0.046)
    side = fm.bodies.Member(("root", "tip"), fm.Material(2700.0, 70e9, 0.3), tube)
    ends = {"root": (0.0, 0.0, 0.0), "tip": (3.0, 0.0, 0.0)}
    return fm.bodies.from_frame(ends, [side], interfaces={"root": "root", "tip": "tip"}, modes=4)


def craft(tip: bool = True, hinge: str = "free", loaded: bool = False) -> fm.SpatialModel:
    """The hull with its panels, of which the welded one carries a body at its `tip`; what turns the `hinge`; `loaded`
    by gravity, a force and a torque on the hull."""
    m = fm.SpatialModel("hull and panels", gravity=(0.3, -0.2, 0.5) if loaded else (0.0, 0.0, 0.0))
    hull = m.add_body("hull", mass=4.0, inertia=(1.8, 2.2, 2.0))
    right, left = hull.frame.attach("right", (0.3, 0.0, 0.1)), hull.frame.attach("left", (-0.3, 0.0, 0.1))
    of_right = m.add_modal_body("right panel", panel(), (0.3, 0.0, 0.1))
    of_left = m.add_modal_body("left panel", panel(), (-0.3, 0.0, 0.1), fm.rotation_vector((0.0, 0.0, np.pi)))
    m.weld(right, of_right.at("root"), name="clamp")
    m.revolute(left, of_left.at("root"), axis="y", name="hinge")
    if tip:
        end = m.add_body("end", mass=0.5, inertia=(0.01, 0.02, 0.03), position=(3.4, 0.05, 0.12))
        m.spherical(of_right.at("tip"), end.frame.attach("eye", (-0.1, -0.05, -0.02)), name="ball")
    if hinge == "motor":
        given = {"inertia": 1e-3, "ratio": 10.0, "stiffness": 50.0, "damping": 0.5}
        m.motor(left, of_left.at("root"), axis="y", torque=0.05, name="motor", **given)
    elif hinge == "driven":
        m.drive_angle(left, of_left.at("root"), fm.Polynomial([0.0, 0.0, 0.4]), axis="y", name="drive")
    if loaded:
        m.point_force(hull.frame, (1.0, -2.0, 0.5))
        m.point_torque(hull.frame, (0.3, 0.1, -0.2))
    m.set_rigid_motion(angular_velocity=(0.2, -0.4, 0.5))
    return m


def state(tree: fm.Tree, bent: float = BENT, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Joint coordinates and speeds of chance, in which the panels bend."""
    rng, inner = np.random.default_rng(seed), len(tree.nodes.inner)
    x, u = tree.start()[0], rng.normal(size=tree.nv)
    soft = np.tile(np.argsort(np.argsort(panel().frequencies)) < 2, 2)
    x[-inner:] = bent * soft * rng.uniform(0.5, 1.0, inner)
    u[-inner:] *= np.where(soft, 0.3, 1e-3)
    return x, u


def errors(tip: bool, loaded: bool) -> dict[str, float]:
    """For each formulation that takes the craft, but those that drop terms, the largest relative error of its
    accelerations in some states."""
    tree = fm.Tree.of(craft(tip, loaded=loaded))
    taken = [name for name in fm.formulations_of(tree).taken if name in (*FLEXIBLE, *COMPILED) and name not in ROUGH]
    found = dict.fromkeys(taken, 0.0)
    for seed in range(4):
        x, u = state(tree, seed=seed)
        tau = np.random.default_rng(seed).normal(size=tree.nv)
        known = engine(tree, x, u, tau)
        for name in taken:
            a = tree.state(x, u, fm.formulation(tree, name)(x, u, tau)).a
            found[name] = max(found[name], apart(a[known.known], known.a[known.known]))
    return found


def without_coupling() -> list[float]:
    """Relative errors of Frisch's accelerations, over the amplitude."""
    tree = fm.Tree.of(craft())
    known, frisch, found = fm.formulation(tree, "kane"), fm.formulation(tree, "frisch"), []
    for part in AMPLITUDES:
        x, u = state(tree, 1e-5 * part)
        u[-len(tree.nodes.inner) :] *= 1e-5 * part
        found.append(apart(frisch(x, u), known(x, u)))
    return found


def run_apart(hinge: str, end: float = END) -> tuple[float, float]:
    """The largest distance of the tips between a run in joint coordinates and one in absolute ones [m], and how far the
    tips moved against the hull [m]."""
    given: dict[str, Any] = {"tolerance": 1e-9, "progress": False, "times": [0.0, 0.5 * end, end]}
    m = craft(hinge=hinge)
    whole = fm.simulate(m, end, "radau", **given)
    joints = fm.simulate(craft(hinge=hinge), end, "projection", formulation="aba", **given)
    tips = ("right panel.tip", "end")
    off = max(float(np.abs(whole[name].position - joints[name].position).max()) for name in tips)
    moved = max(float(np.ptp(np.linalg.norm(whole[n].position - whole["hull"].position, axis=1))) for n in tips)
    return off, moved


@case("hull-and-panel", draw=craft)
def compute() -> Iterator[Check]:
    """a floating hull with two panels that hang by interfaces, by all compiled formulations and the papers of flexible
    bodies, against the engine: accelerations, runs with a free hinge, a motor and a drive"""
    because = "rounding, where stiff modes have thousands of times the accelerations of the hull"
    for tip, loaded in ((False, True), (True, True), (False, False), (True, False)):
        what = f"{'a body at a tip' if tip else 'panels alone'}{', loads' if loaded else ''}"
        for name, off in errors(tip, loaded).items():
            yield Check(f"{name}, {what}: accelerations, relative error", off, 0.0, 1e-11, SOURCE, because)
    order = float(np.polyfit(np.log(AMPLITUDES), np.log(without_coupling()), 1)[0])
    why = "it is linear in the amplitude; what is left of its second order"
    yield Check("frisch: order of its error in the amplitude", order, 1.0, 0.02, "(★)", why)
    for hinge in HINGES:
        off, _ = run_apart(hinge)
        label = f"run by aba, hinge {hinge}: places of the tips after {END:g} s [m]"
        yield Check(label, off, 0.0, 1e-7, "absolute coordinates, radau", "tolerance 1e-9 of both runs")
