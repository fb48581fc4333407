"""A small humanoid robot that is shoved: momentum, the floor, and two ways to keep balance.

Takahashi (2012), chapter 6. The thesis does not print the data of its robot; lengths, masses and gains are ours. With
its constants of the first moment, 0.3 Nm/rad in each joint, no robot of this mass stands: weight overturns it with
about 18 Nm/rad at the ankles. So springs of the ankles are stronger here, and what is compared is what the thesis says
of its diagrams: phases of momenta, a mass center that rests, a zero-moment point on the soles.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.control import ReactionNullSpace
from flexmb.examples import humanoid
from flexmb.validation.registry import Check, case

#: from the begin of the shove until momenta have died away [s]
BEGIN, CALM = humanoid.T_SHOVE, 0.6


def in_flight() -> fm.Solution:
    """The robot in free flight, turning, with its joints soft; a motor swings a leg."""
    m = humanoid.build(gravity=0.0)
    for component in [c for c in m.components.values() if c.kind == "contact"]:
        m.switch_off(component)
    m.set_rigid_motion((0.1, 0.2, 0.3), (0.3, -0.2, 0.5))
    motors: Any = m.components
    motors["left hip y motor"].force = fm.Pulse(0.1, 0.2, 0.3)
    humanoid.yielding(m).control(period=1e-3)
    return fm.simulate(m, 1.0, "radau", tolerance=1e-8)


def under_soles(run: fm.Solution) -> tuple[np.ndarray, np.ndarray]:
    """The sum of the floor's forces (k, 3) under the corners of the soles, and the point (k, 2) in which they press."""
    tracks: list[Any] = [run[name] for name in run.support().contacts]
    forces, places = (np.array([getattr(track, what) for track in tracks]) for what in ("force", "position"))
    total, moment = forces.sum(axis=0), np.cross(places, forces).sum(axis=0)
    return total, np.stack([-moment[:, 1], moment[:, 0]], axis=1) / total[:, 2:]


def margin_of_held_feet(run: fm.Solution) -> np.ndarray:
    """How far the zero-moment point of a robot with held feet lies inside of the rectangle of its soles (k,) [m]."""
    x, y = run.whole.zmp[:, 0], run.whole.zmp[:, 1]
    half = humanoid.HALF_HIP + 0.5 * humanoid.FOOT[1]
    return np.asarray(np.minimum(0.5 * humanoid.FOOT[0] - np.abs(x - humanoid.AHEAD), half - np.abs(y)))


def phase(run: fm.Solution) -> float:
    """The correlation of the angular momenta about y and z after the shove: −1 in antiphase, 1 in phase."""
    chosen = (run.t > BEGIN) & (run.t < CALM)
    momentum = run.whole.angular_momentum[chosen]
    return float(np.corrcoef(momentum[:, 1], momentum[:, 2])[0, 1])


@case("humanoid", draw=humanoid.build)
def compute() -> Iterator[Check]:
    """a robot that is shoved turns and bends its upper body, and stands on its soles; held feet, and feet on a floor"""
    exact = "no force from outside"
    flight = in_flight().whole
    for what, values in (
        ("momentum [kg m/s]", flight.momentum),
        ("angular momentum [kg m²/s]", flight.angular_momentum),
    ):
        off = float(np.abs(values - values[0]).max())
        yield Check(f"free flight: drift of {what}", off, 0.0, 1e-9, exact, "tolerance 1e-8")

    rng, space = np.random.default_rng(0), ReactionNullSpace(humanoid.imagined())
    off = 0.0
    for _ in range(20):
        q = rng.uniform(-1.0, 1.0, 3)
        hips, trunk = 2.0 * (humanoid.YAW_MASS + humanoid.ROLL_MASS), humanoid.TRUNK_MASS
        (Sa, _, Sh), (Ca, Ch1, Ch) = np.sin(q), np.cos(q)
        n11 = -trunk * humanoid.CHEST * (Ca * Ch1 * Ch - Sa * Sh)
        n31 = (humanoid.LEG_MASS + hips + trunk) * humanoid.LEG * Ca  # both legs, at half their length
        n31 += trunk * humanoid.CHEST * (Ca * Ch - Sa * Ch1 * Sh)
        off = max(off, abs(space.ratio(q, "ankle", "bend", "momentum.x") - n11 / n31))
    yield Check("ankle per hip, largest error", off, 0.0, 1e-12, "n₁₁/n₃₁, derived anew", "rounding")

    for shove, (name, control) in humanoid.STRATEGIES.items():
        run, held = humanoid.shoved(control, shove), humanoid.shoved(control, shove, floor=False)
        front = shove == "from the front"
        source = "Takahashi (2012), " + ("figure 6.6" if front else "figure 6.8")
        opposite = "opposite signs" if front else "the same sign"
        yield Check(
            f"{name}: correlation of the momenta about y and z",
            phase(run),
            -1.0 if front else 1.0,
            0.15,
            source,
            opposite,
        )
        if not front:
            moved = float(np.ptp(run.whole.center_of_mass[:, 0]))
            yield Check(f"{name}: way of the mass center [m]", moved, 0.0, 0.012, source, "a tenth of a sole")
        least, of_held = float(np.nanmin(run.support().margin)), float(margin_of_held_feet(held).min())
        yield Check(f"{name}: least margin [m]", least, of_held, 2e-3, "the same with held feet", "soles give way")
        total, pressed = under_soles(run)
        # at the first instant soles and motors find their forces
        off = float(np.abs(run.whole.force - run.whole.load - total)[1:].max())
        yield Check(f"{name}: mass times acceleration less forces [N]", off, 0.0, 1e-6, "d'Alembert", "rounding")
        off = float(np.abs(run.whole.zmp[:, :2] - pressed)[1:].max())
        yield Check(
            f"{name}: zero-moment point less middle of the floor's forces [m]",
            off,
            0.0,
            1e-4,
            "statics",
            "a sole sinks in by 0.2 mm",
        )
        lost = humanoid.shoved(humanoid.yielding, shove)
        yield Check(
            f"{name} left out: it falls", float(lost.status == "stopped"), 1.0, 0.0, source, "hips below 0.17 m"
        )
