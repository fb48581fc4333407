"""A two-link flexible arm: two slender rods, an elbow, a tip mass and two geared motors, moved by sampled feedback.

The arm of source 004, §2.3.2. *Printed* there are the links' length, diameter, density, Young's modulus and bending
stiffness, and the natural frequencies of the outstretched arm with its motors held, 2.32 and 6.04 Hz. *Identified* from
these frequencies are the masses of elbow and tip. *Assumed*, since nothing is said of them, are the hub, rotors,
reducers and feedback gains: stiff enough not to be seen in the vibration. The arm moves in a horizontal plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import flexmb as fm

# printed
DENSITY, YOUNGS_MODULUS = 7850.0, 205e9
LENGTHS = (0.415, 0.450)
DIAMETERS = (0.010, 0.006)
BENDING = (101.0, 13.0)
FREQUENCIES = (2.32, 6.04)
# identified
ELBOW_MASS, ELBOW_INERTIA, TIP_MASS = 5.461, 1e-3, 0.9486
# assumed
HUB_MASS, HUB_INERTIA = 0.5, 1e-3
FOREARM_SHARE = 0.3  # of the elbow's mass and inertia, on the side of the second link
RATIO = 100.0
ROTORS = (1e-4, 5e-5)
REDUCERS = (1e5, 5e4)
REDUCER_DAMPING = (5.0, 2.0)
GAINS = ((0.6, 0.03), (0.2, 0.01))  # of each motor: Nm/rad and Nms/rad, on the motor's side
PERIOD = 1e-3

#: how the parts of the arm hang together
MODELLINGS = ("shared", "clamped", "ancf")


def properties(k: int) -> fm.BeamProperties:
    """What link 1 or 2 (k = 0, 1) is as a beam, with the printed bending stiffness."""
    d = DIAMETERS[k]
    area = 0.25 * np.pi * d**2
    turning = DENSITY * np.pi * d**4 / 64.0
    return fm.BeamProperties(
        EA=YOUNGS_MODULUS * area, EI=BENDING[k], rhoA=DENSITY * area, rhoI=turning, outer_fibre=0.5 * d, area=area
    )


@dataclass
class Arm:
    """The arm's model and its parts."""

    model: fm.PlanarModel
    motors: tuple[fm.Motor, fm.Motor]


def build(modelling: str = "shared", *, tip_mass: float = TIP_MASS, elements: int = 16, modes: int = 2) -> Arm:
    """The arm, outstretched along x: rigid bodies 1 to 4 (hub, elbow, forearm, tip), links and motors.

    `modelling`: "shared": one CMS element a link, its ends are the frames of the bodies; "clamped": the same, with
    nodes of its own that constraints clamp to the bodies, eq. (62); "ancf": links of `elements` cable elements.
    `modes`: bending modes of a CMS element.
    """
    model = fm.PlanarModel("two-link arm")
    elbow_x, tip_x = LENGTHS[0], sum(LENGTHS)
    hub = model.add_body("hub", mass=HUB_MASS, inertia=HUB_INERTIA)
    share = FOREARM_SHARE
    rest = 1.0 - share
    elbow = model.add_body("elbow", mass=rest * ELBOW_MASS, inertia=rest * ELBOW_INERTIA, position=(elbow_x, 0.0))
    forearm = model.add_body("forearm", mass=share * ELBOW_MASS, inertia=share * ELBOW_INERTIA, position=(elbow_x, 0.0))
    tip = model.add_body("tip", mass=tip_mass, inertia=1e-6, position=(tip_x, 0.0))
    model.revolute(model.ground, hub.frame, name="shoulder")
    model.revolute(elbow.frame, forearm.frame, name="elbow hinge")
    for k, (start, end) in enumerate(((hub.frame, elbow.frame), (forearm.frame, tip.frame))):
        name = f"link{k + 1}"
        if modelling == "shared":
            model.add_beam(name, start, end, properties=properties(k), modes=modes)
            continue
        options = {"theory": "ancf", "elements": elements} if modelling == "ancf" else {"modes": modes}
        a, b = (float(frame.position[0]) for frame in (start, end))
        link = model.add_beam(name, (a, 0.0), (b, 0.0), properties=properties(k), **options)
        model.weld(start, link.start, name=f"{name} start clamp")
        model.weld(end, link.end, name=f"{name} end clamp")
    motors = []
    for k, (name, stator, output) in enumerate(
        (("shoulder motor", model.ground, hub.frame), ("elbow motor", elbow.frame, forearm.frame))
    ):
        motors.append(
            model.motor(
                stator, output, inertia=ROTORS[k], ratio=RATIO, stiffness=REDUCERS[k], damping=REDUCER_DAMPING[k],
                name=name,
            )
        )  # fmt: skip
    return Arm(model, (motors[0], motors[1]))


def held(modelling: str = "shared") -> fm.PlanarModel:
    """The arm with its motors held."""
    arm = build(modelling)
    model = arm.model
    model.lock(model.ground, model.frame("hub"), "angle", name="shoulder brake")
    model.lock(model.frame("elbow"), model.frame("forearm"), "angle", name="elbow brake")
    return model


def local_feedback(arm: Arm, angles: tuple[float, float], phase: float = 0.5) -> None:
    """Each motor follows a trapezoidal speed to its angle [rad]; acceleration, cruise and deceleration take `phase` [s]
    each. Angle and rate of the rotor are fed back to its own torque, every millisecond."""
    for motor, angle, (kp, kd) in zip(arm.motors, angles, GAINS):
        way = fm.TrapezoidalSpeed(angle * RATIO, phase, phase, phase) if angle else fm.Constant(0.0)
        sensors = [fm.MotorAngle(motor), fm.MotorRate(motor), fm.Reference(way), fm.Reference(way, 1)]
        arm.model.add_controller(
            f"{motor.name} servo", period=PERIOD, sensors=sensors, commands=motor, law=[[-kp, -kd, kp, kd]]
        )


CASES = {"case 1": (np.radians(45.0), 0.0), "case 2": (np.radians(30.0), np.radians(-60.0))}


def move(case: str, modelling: str = "shared", t_end: float = 4.0) -> fm.Solution:
    """A motion of the source, figs. 6 and 7, with 1.5 s of drive and free vibration after it."""
    arm = build(modelling)
    local_feedback(arm, CASES[case])
    return fm.simulate(arm.model, t_end, step=PERIOD)


def apart(first: fm.Solution, second: fm.Solution, after: float = 1.5) -> float:
    """How far the tips' accelerations along y are apart over the free vibration, as a part of their size (root of the
    mean square)."""
    t = first.t[first.t >= after]
    a, b = (solution.at(t)["tip.ay"] for solution in (first, second))
    return float(np.sqrt(np.mean((a - b) ** 2) / np.mean(b**2)))


def run(out: Path) -> list[Path]:
    """Both motions: the arm at successive instants, and the tip's acceleration by one CMS element and by 16 cable
    elements a link."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    found = fm.modes(held(), 2).frequencies
    print(f"motors held: {found[0]:.3f} and {found[1]:.3f} Hz; printed {FREQUENCIES[0]} and {FREQUENCIES[1]} Hz")
    written = []
    for case in CASES:
        few, many = move(case), move(case, "ancf")
        print(
            f"{case}: tip accelerations of CMS and cable elements apart by {100 * apart(few, many):.4f} % after 1.5 s"
        )
        stem = case.replace(" ", "-")
        picture = out / f"two-link-arm-{stem}.png"
        few.draw(times=np.linspace(0.0, 2.0, 17), trail="tip", path=picture)
        figure, ax = plt.subplots(figsize=(8.0, 3.4), layout="constrained")
        ax.axvspan(0.0, 1.5, color="#f2f4f7", zorder=0)
        ax.plot(many.t, many["tip.ay"], color="#d95f02", linewidth=2.6, label="16 ANCF elements a link")
        label = "one CMS element a link, two bending modes"
        ax.plot(few.t, few["tip.ay"], "--", color="#0b3c5d", linewidth=1.4, label=label)
        ax.text(0.02, ax.get_ylim()[0] * 0.94, "motors move", color="#667085", fontsize=9)
        ax.set(xlim=(0.0, 4.0), xlabel="time [s]", ylabel="acceleration of the tip, y [m/s²]")
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, loc="upper right", ncols=2)
        curve = out / f"two-link-arm-{stem}-acceleration.png"
        figure.savefig(curve, dpi=140)
        plt.close(figure)
        written += [picture, curve, few.save(out / f"two-link-arm-{stem}.h5")]
    return written
