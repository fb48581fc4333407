"""A chain of panels unfolds from a free hub, and its hinges latch one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.references.deployment import Chain, deploy
from flexmb.validation.registry import Check, case

T_END = 6.0
#: options of a method, the error of the motion with them (in rad and s), and its cause
METHODS: dict[str, tuple[dict[str, Any], float, str]] = {
    "generalized_alpha": ({"tolerance": 1e-5}, 1e-4, "ten times the tolerance"),
    "radau": ({"tolerance": 1e-8}, 1e-7, "ten times the tolerance"),
    "independent": ({"tolerance": 1e-9}, 1e-7, "a hundred times the tolerance"),
    "baumgarte": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-8, "a hundred times the tolerance"),
    "projection": ({"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-8, "a hundred times the tolerance"),
    "dop853": ({"tolerance": 1e-9}, 1e-8, "ten times the tolerance"),
    "rkf45": ({"tolerance": 1e-9}, 1e-8, "ten times the tolerance"),
}


def build(chain: Chain) -> fm.PlanarModel:
    """The hub and its panels, folded; a latch at each hinge, which closes when the hinge is straight."""
    m = fm.PlanarModel("deployment")
    hub = m.add_body("hub", mass=chain.hub[0], inertia=chain.hub[1])
    edge, place, angle = hub.attach("edge", (chain.hub[2], 0.0)), np.array([chain.hub[2], 0.0]), 0.0
    for k, (folded, stiffness, free) in enumerate(zip(chain.folded, chain.springs, chain.free), 1):
        angle += folded
        along = chain.length * np.array([np.cos(angle), np.sin(angle)])
        panel = m.add_body(
            f"panel {k}", mass=chain.mass, inertia=chain.inertia, position=place + 0.5 * along, angle=angle
        )
        root, place = panel.attach("root", (-0.5 * chain.length, 0.0)), place + along
        m.revolute(edge, root, name=f"hinge {k}")
        m.torsion_spring(edge, root, stiffness=stiffness, free_angle=free, damping=chain.damping)
        latch = m.lock(edge, root, "angle", value=0.0, name=f"latch {k}")
        m.switch_off(latch)
        m.add_event(
            fm.crossing(fm.control.RelativeAngle(edge, root)), fm.Switch(on=latch), name=f"latching {k}", once=True
        )
        edge = panel.attach("tip", (0.5 * chain.length, 0.0))
    return m


def unfolding() -> fm.Solution:
    """The hub and its panels after 1.5 s."""
    return fm.simulate(build(Chain()), 1.5, progress=False)


@case("deployment", draw=unfolding)
def compute() -> Iterator[Check]:
    """panels that unfold and latch one after the other, against minimal coordinates with their own event location"""
    chain = Chain()
    known = deploy(chain, T_END)
    source, law = "minimal coordinates (references/deployment.py)", "conservation"
    for method, (options, error, why) in METHODS.items():
        solution = fm.simulate(build(chain), T_END, method, progress=False, **options)
        for event, (k, t, lost) in zip(solution.events, known.latched):
            yield Check(f"{method}: latch {k} closes at [s]", event.t, t, error, source, why)
            yield Check(f"{method}: energy lost in it [J]", event.lost, lost, 30.0 * error, source, why)
        yield Check(f"{method}: latches closed", len(solution.events), len(known.latched), 0, source, "a count")
        yield Check(f"{method}: angle of the hub [rad]", solution["hub"].angle[-1], known.theta[0], error, source, why)
        still = float(np.max(np.abs(solution.v[-1])))
        yield Check(f"{method}: speed when all are closed [m/s, rad/s]", still, 0.0, error, law, why)
        yield Check(f"{method}: balance of energy [–]", solution.energy.error, 0.0, 30.0 * error, law, why)
