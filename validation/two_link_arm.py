"""The two-link flexible arm: its frequencies, modellings that agree, and the effect of control on its vibration.

The masses of elbow and tip were *identified* from the two printed frequencies, which therefore check nothing. The
reference for the frequencies of the model is the exact theory of two beams in a row.

The decay of the vibration under control is read from the motion: the roots λ of the exponentials in the tip's
acceleration. Under linear laws they must be the poles of the linear plant with its loop closed, and under SOSMC, when
all switching is over, the poles with the gain of the equivalent control. Kobayashi (n.d.) says of a tip that is 20 %
heavier, with the same gains: under SOFB the vibration "dies out worse" and stays stable, under SOSMC it is "nearly
the same" (figs. 16 and 17). A ratio of amplitudes at one late instant would not show this, since both are then
some 10⁻⁴ of the first.

With friction in the motors, which the source does not describe, the order of SOFB and SOSMC turns round with the gains
of the runs without: SOSMC leaves more vibration than SOFB. The cause is the torque that a law gives for an acceleration
of the tip. Below the amplitude at which that torque is the static friction, rotors stick, and the arm vibrates on as if
they were clamped. This amplitude follows from the gains alone; neither the sign of reaching, the boundary layer nor the
size of the switched part changes it much. The equivalent control K_eq = (S B)⁻¹ (S A + r S) acts on accelerations the
more, the larger the rate r of reaching; the source does not print one. With a rate of 150/s, at which the linear loop
without friction decays as fast as it can, SOSMC leaves the least for every friction from none to twice as much, with
one set of gains: the order of the source's experiment. The amplitudes are compared with those of runs by another
method.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb.examples import two_link_arm as arm
from flexmb.examples.two_link_arm import arm as data
from flexmb.validation.references.two_link_arm import frequencies
from flexmb.validation.registry import Check, case


def same_drive(modeling: str, method: str = "generalized_alpha", t_end: float = 1.0) -> fm.Solution:
    """The arm whose rotors turn exactly as case 2 demands, without any error of control."""
    angles = tuple(fm.TrapezoidalSpeed(angle * arm.RATIO, 0.2, 0.2, 0.2) for angle in arm.CASES["case 2"])
    model = arm.build(modeling, angles=(angles[0], angles[1])).model
    if method == "generalized_alpha":
        return fm.simulate(model, t_end, step=2.5e-4, progress=False)
    return fm.simulate(model, t_end, method, tolerance=1e-8, absolute_tolerance=1e-10, progress=False)


def tips_apart(first: fm.Solution, second: fm.Solution) -> float:
    """The distance of the tips at the end of the first run [m]."""
    t = first.t[-1]
    return float(np.hypot(*(first["tip"].position[-1] - second.at([t])["tip"].position[0])))


def roots(solution: fm.Solution, start: float, end: float, count: int = 6) -> np.ndarray:
    """The roots λ of the exponentials e^{λt} whose sum is the tip's acceleration along y between two times [s], by the
    pencil of its Hankel matrices: `count` of them, with positive imaginary part, [1/s] and [rad/s]."""
    spacing = 10
    between = (solution.t >= start) & (solution.t < end)
    y, step = solution["tip.ay"][between][::spacing], spacing * arm.PERIOD
    rows = len(y) // 2
    hankel = np.array([y[k : k + rows] for k in range(len(y) - rows + 1)])
    V = np.linalg.svd(hankel, full_matrices=False)[2][:count]
    shift = np.linalg.lstsq(V[:, :-1].T, V[:, 1:].T, rcond=None)[0]
    values = np.log(np.linalg.eigvals(shift).astype(complex)) / step
    return values[values.imag > 0.0]


def slowest(loop: fm.LinearModel) -> complex:
    """The pole of the slowest decay of a loop, with positive imaginary part."""
    swinging = loop.poles[loop.poles.imag > 0.0]
    return complex(swinging[np.argmax(swinging.real)])


def _frequencies() -> Iterator[Check]:
    simulated = {modeling: fm.modes(arm.held(modeling), 2).frequencies for modeling in arm.MODELLINGS}
    for k, printed in enumerate(arm.FREQUENCIES):
        about = f"natural frequency {k + 1} with motors held [Hz]"
        because = "printed to 0.01 Hz; the masses were chosen so"
        yield Check(about, simulated["shared"][k], printed, 0.005, "Kobayashi (n.d.), §2.3.2", because, identified=True)
    links = [data.properties(k) for k in (0, 1)]
    # the elbow's motor sits on the elbow: its rotor turns with it
    inertias = (data.ELBOW_INERTIA + data.ROTORS[1], data.TIP_INERTIA)
    masses = (data.ELBOW_MASS, data.TIP_MASS)
    exact = frequencies(data.LENGTHS, data.BENDING, [link.rhoA for link in links], masses, inertias)
    for modeling, frequency in simulated.items():
        for k in range(2):
            about = f"{modeling}: natural frequency {k + 1} [Hz]"
            why = "the reducer lets the rotor turn 1.4 % more" if k else "the same, a part in 10⁸; 16 cable elements"
            allowed = 4e-6 if k else 1e-7
            yield Check(about, frequency[k], exact[k], allowed, "two beams in a row, exact theory", why)


def _modellings() -> Iterator[Check]:
    reduced = tips_apart(same_drive("shared"), same_drive("clamped", "independent"))
    what = "tips apart: shared frames, and (62) reduced to independent coordinates [m]"
    yield Check(what, reduced, 0.0, 1e-6, "each other", "second order at 0.25 ms")
    for name in arm.CASES:
        off = arm.acceleration_difference(arm.move(name), arm.move(name, "ancf"))
        what = f"{name}: tip acceleration, CMS against ANCF after 1.5 s [–]"
        why = "frequencies 5e-8 apart, over 15 periods, and CMS's 0.01 % of bending"
        yield Check(what, off, 0.0, 1e-4, "16 ANCF elements a link", why)


def _control() -> Iterator[Check]:
    plant = arm.plant()
    states = "Kobayashi (n.d.), eq. (77)"
    yield Check("states of the plant with its filters", len(plant), 34.0, 0.0, states, "a count")
    out_of_reach = float(len(plant.uncontrollable) + len(plant.unobservable))
    what = "modes of the plant that are not reached, or not seen"
    yield Check(what, out_of_reach, 0.0, 0.0, states, "a count")
    design = arm.design(plant)
    (kp1, kd1), (kp2, kd2) = data.GAINS
    local = np.array([[kp1, kd1, 0, 0, 0, 0], [0, 0, kp2, kd2, 0, 0]])
    laws = (
        ("local feedback", local, (2.5, 4.3)),
        ("SOFB", design.S_c, (2.5, 4.3)),
        ("SOSMC", design.K_out, (4.0, 6.0)),  # all switching is over
    )
    poles = "poles of the linear plant with its loop closed"
    decays: dict[str, list[float]] = {}
    late: list[float] = []
    for name, gain, (start, end) in laws:
        for label, factor in (("", 1.0), (", tip mass +20 %", 1.2)):
            mass = factor * arm.TIP_MASS
            wanted = slowest(arm.plant(tip_mass=mass).closed(gain))
            run = arm.controlled(name, arm.SMALL, of=design, tip_mass=mass, t_end=end)
            if factor == 1.0:
                late.append(run.residual(*arm.TIP, **arm.LATE))
            exponents = roots(run, start, end)
            near = complex(exponents[np.argmin(np.abs(exponents - wanted))])
            decays.setdefault(name, []).append(-near.real)
            sampled = "1 ms of holding: ω · 1 ms of phase"
            allowed = max(0.02, 1e-3 * abs(wanted)) * abs(wanted.real)
            yield Check(f"+15°, {name}{label}: decay [1/s]", -near.real, -wanted.real, allowed, poles, sampled)
            about = f"+15°, {name}{label}: frequency [rad/s]"
            allowed = 2e-3 * wanted.imag
            yield Check(about, near.imag, wanted.imag, allowed, poles, sampled)
    ranked = float(late[0] > late[1] > late[2])
    what = "+15°, no friction: amplitude after 4 s, local feedback > SOFB > SOSMC [1: yes]"
    yield Check(what, ranked, 1.0, 0.0, "Kobayashi (n.d.), figs. 10 to 12", "yes or no")
    yield from _friction(design)
    worse = {name: 1.0 - heavier / nominal for name, (nominal, heavier) in decays.items()}
    source, why = "Kobayashi (n.d.), fig. 16", "yes or no"
    yield Check("tip mass +20 %: SOFB dies out worse [1: yes]", float(0.0 < worse["SOFB"] < 1.0), 1.0, 0.0, source, why)
    yield Check(
        "tip mass +20 %: SOSMC dies out worse, by a part of itself",
        max(0.0, worse["SOSMC"]),
        0.0,
        0.5 * worse["SOFB"],
        "Kobayashi (n.d.), fig. 17: nearly the same",
        "half of what SOFB loses",
    )


def _friction(design: fm.control.SlidingDesign) -> Iterator[Check]:
    """What is left of the vibration where the motors rub: its order is another one."""
    left: dict[str, float] = {}
    wanted: dict[str, float] = {}
    for name in arm.CONTROLLERS:
        fixed, radau = (
            arm.controlled(name, arm.SMALL, of=design, friction=arm.FRICTION, t_end=4.3, tolerance=tolerance)
            for tolerance in (None, 1e-8)
        )
        left[name], wanted[name] = (run.residual(*arm.TIP, **arm.LATE) for run in (fixed, radau))
        about = f"+15°, {name}, friction in the motors: amplitude after 4 s [m/s²]"
        why = "steps of 1 ms where rotors stick and slip"
        yield Check(about, left[name], wanted[name], 0.01 * wanted[name], "Radau IIA, tolerance 1e-8", why)
    yield from _order(design)
    turned = all(found["SOFB"] < found["SOSMC"] < found["local feedback"] for found in (left, wanted))
    what = "+15°, friction in the motors: amplitude after 4 s, local feedback > SOSMC > SOFB [1: yes]"
    yield Check(what, float(turned), 1.0, 0.0, "runs by both methods", "yes or no")


def _order(design: fm.control.SlidingDesign) -> Iterator[Check]:
    """The order of the source over friction from none to twice as much, with one set of gains; and why."""
    firm = arm.design(design.plant, arm.FIRM)
    for times in (0.0, 0.5, 1.0, 1.5, 2.0):
        left = [
            arm.controlled(name, arm.SMALL, of=of, friction=arm.friction(times), t_end=4.3, second_run=False).residual(
                *arm.TIP, **arm.LATE
            )
            for name, of in (("local feedback", design), ("SOFB", design), ("SOSMC", firm))
        ]
        ordered = float(left[0] > left[1] > left[2])
        shown = ", ".join(f"{amplitude:.4f}" for amplitude in left)
        what = f"+15°, friction ×{times:g}, reaching at 150/s: local feedback > SOFB > SOSMC [1: yes]"
        yield Check(what, ordered, 1.0, 0.0, "Kobayashi (n.d.), figs. 10 to 12", f"yes or no; {shown} m/s²")
    for name, gain in (("SOFB", design.S_c), ("SOSMC", firm.K_out), ("SOSMC, reaching at 42/s", design.K_out)):
        of = firm if gain is firm.K_out else design
        run = arm.controlled(name.split(",")[0], arm.SMALL, of=of, friction=arm.FRICTION, t_end=8.0, second_run=False)
        what = f"+15°, friction, {name}: amplitude from 7 to 8 s, as a part of that below which rotors stick"
        part = run.residual(*arm.TIP, after=7.0) / arm.sticking(gain).min()
        because = "between none and all of it: rotors stop anywhere below"
        yield Check(what, part, 0.5, 0.5, "torque of the gains against friction", because)


@case("two-link-arm", draw=lambda: arm.build("shared").model)
def compute() -> Iterator[Check]:
    """a two-link flexible arm: three modellings, its linear plant, controllers; Kobayashi (n.d.), §2.3.2 and §2.4"""
    yield from (*_frequencies(), *_modellings(), *_control())
