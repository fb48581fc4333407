"""An arm with two long links that bend: what its hand misses under joint control, and with a law that damps them.

The arm works in orbit, without weight. Its motors get the torques that a rigid arm would need for the plan, and
feedback of the angles and rates of their rotors. The links bend under the acceleration of the plan, and swing on when
it has ended, since stiff servos hold the joints, and little but the damping of the links takes energy away. The second
law also reads strain gauges at the roots of the links. It is designed on the linear model of the arm at the end of the
plan: the feedback of all states that costs least, and among all gains of these readings those that come nearest to it.
Then it moves the nonlinear arm.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import flexmb as fm
from flexmb.examples import robots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = robots.folder() / "six_joints.urdf"
#: where each joint starts and where the plan takes it [rad]
PLAN = {
    "joint1": (-0.8, 0.6), "joint2": (0.3, 0.9), "joint3": (1.6, 0.7), "joint4": (0.0, 0.4), "joint5": (0.4, 0.2),
    "joint6": (0.0, 0.5),
}  # fmt: skip
#: the plan takes so long; the end of the run; the period of the control [s]
DURATION, T_END, PERIOD = 0.8, 2.5, 1e-3
#: the links: aluminium tubes of 40 mm, 2 mm thick, with half a percent of damping
ALUMINIUM = fm.Material(density=2700.0, youngs_modulus=7e10)
TUBE = fm.Tube(outer_diameter=0.04, inner_diameter=0.036)
#: load in the hand [kg]
LOAD = 2.0
#: gear ratio of each motor, and inertia of its rotor [kg m²]
MOTORS = {
    "joint1": (100.0, 1e-4), "joint2": (100.0, 1e-4), "joint3": (100.0, 6e-5), "joint4": (50.0, 2e-5),
    "joint5": (50.0, 2e-5), "joint6": (50.0, 1e-5),
}  # fmt: skip
#: servos of the joints: frequency [rad/s] and damping ratio of each joint with a rigid arm on it
SERVO, RATIO = 50.0, 0.7
#: weights of the design, of angle [rad] and rate [rad/s] of a joint, beside torques as parts of those in the file
WEIGHTS = 200.0, 1.0
#: the hand is there when it misses its place by less [m]
NEAR = 0.5e-3
#: swings slower than this [rad/s] move the hand by much
LOW = 60.0


def links() -> dict[str, fm.FlexibleLink]:
    """The long links as beams."""
    tube = fm.FlexibleLink.beam(ALUMINIUM, TUBE, damping=fm.ModalDamping(0.005))
    return {"upper": tube, "fore": tube}


def build(flexible: bool = True, at: str = "start") -> fm.Robot:
    """The arm with its load, at the `start` or at the `end` of the plan."""
    places = {name: ends[at == "end"] for name, ends in PLAN.items()}
    bending = links() if flexible else None
    robot = fm.read_urdf(FILE, gravity=(0, 0, 0), positions=places, flexible=bending)
    grip = robot.links["hand"].attach("grip", (0.0, 0.0, 0.12))
    robot.add_body("load", shape=fm.Sphere(diameter=0.1).colored("#2f6f8f"), mass=LOAD, frame=grip)
    return robot


def plan() -> tuple[fm.Motion, dict[str, np.ndarray]]:
    """The motion of a rigid arm along the plan, and the torques that its joints need."""
    robot = build(flexible=False)
    for name, ends in PLAN.items():
        robot.drive(name, fm.SmoothStep(0.0, DURATION, *ends))
    motion = fm.kinematics(robot, T_END, steps=round(T_END / PERIOD), progress=False)
    return motion, robot.efforts(motion)


def motors(robot: fm.Robot) -> list[Any]:
    """A motor with a reducer in each joint."""
    made = []
    for name, (ratio, inertia) in MOTORS.items():
        joint = robot.joints[name]
        a, b = joint.frame, robot.links[joint.child]
        made.append(robot.motor(a, b, inertia=inertia, ratio=ratio, axis=joint.axis, name=f"{name} motor"))
    return made


def readings(robot: fm.Robot, made: list[Any]) -> list[Any]:
    """Angles and rates of the motors, and of flexible links two gauges each, on top and at the side of their roots."""
    read: list[Any] = [sensor(motor) for sensor in (fm.control.MotorAngle, fm.control.MotorRate) for motor in made]
    for link in robot.flexible.values():
        beam, r = link.components[0], TUBE.radius
        read += [
            fm.control.StrainGauge(beam.at(0.05), fiber=(r, 0.0)),
            fm.control.StrainGauge(beam.at(0.06), fiber=(0.0, r)),
        ]
    return read


def joint_gains() -> np.ndarray:
    """Gains (6, 12) of angles and rates of the motors: each joint is a spring and a damper for what it turns."""
    robot = build(flexible=False, at="end")
    q, _ = fm.Tree.of(robot).start()
    arm = np.diag(fm.TreeDynamics(robot).mass_matrix(q))[: len(PLAN)]
    ratio, rotor = np.array(list(MOTORS.values())).T
    inertia = arm / ratio**2 + rotor
    return np.hstack([np.diag(SERVO**2 * inertia), np.diag(2.0 * RATIO * SERVO * inertia)])


def damping_gains() -> tuple[np.ndarray, fm.LinearModel]:
    """Gains (6, 16) of all readings, designed on the linear model at the end of the plan, and that model."""
    robot = build(at="end")
    made = motors(robot)
    plant = fm.linearize(robot, made, readings(robot, made))
    ratio = np.array([ratio for ratio, _ in MOTORS.values()])
    effort = np.array([robot.joints[name].effort for name in PLAN])
    seen = plant.C[:12]
    weights = np.repeat(WEIGHTS, 6) / np.tile(ratio, 2) ** 2
    best = fm.control.lqr(plant, Q=seen.T @ np.diag(weights) @ seen, R=(ratio / effort) ** 2)
    return fm.control.minimum_error_excitation(plant, best.K, plant.B @ plant.B.T), plant


def controlled(gains: np.ndarray, torques: dict[str, np.ndarray], times: np.ndarray, flexible: bool = True) -> fm.Robot:
    """The arm under torques of the plan and feedback of its readings."""
    robot = build(flexible)
    made = motors(robot)
    read = readings(robot, made)
    angles, ahead = [], []
    for name, (ratio, _) in MOTORS.items():
        start, end = PLAN[name]
        angles.append(fm.SmoothStep(0.0, DURATION, 0.0, ratio * (end - start)))
        ahead.append(fm.Spline(times, torques[name] / ratio))
    wanted = [fm.control.Reference(way, rate=rate) for rate in (0, 1, 2) for way in angles]
    torque = [fm.control.Reference(way) for way in ahead]
    rotors = np.diag([inertia for _, inertia in MOTORS.values()])
    law = np.hstack([-gains[:, : len(read)], gains[:, :12], rotors, np.eye(6)])
    robot.add_controller("servo", period=PERIOD, sensors=[*read, *wanted, *torque], commands=made, law=law)
    return robot


def missed(run: fm.Solution, planned: fm.Motion) -> np.ndarray:
    """Distance (k,) [m] of the load from where a rigid arm would carry it."""
    there = np.stack([np.interp(run.t, planned.t, x) for x in planned["load"].position.T], axis=1)
    return np.linalg.norm(run["load"].position - there, axis=1)


def settled(t: np.ndarray, off: np.ndarray) -> float:
    """When [s] the load has come within :data:`NEAR` of the plan and stays there; infinite if it does not."""
    late = np.flatnonzero(off > NEAR)
    return float(t[0]) if not len(late) else float(t[late[-1] + 1]) if late[-1] + 1 < len(t) else np.inf


def runs() -> tuple[dict[str, tuple[np.ndarray, np.ndarray]], fm.Solution, list[str]]:
    """Times and errors of the rigid arm and of the flexible one under both laws, the last run, and what the linear
    model says: the swing of each loop with the least damping."""
    planned, torques = plan()
    joints = joint_gains()
    damping, plant = damping_gains()
    alone = np.hstack([joints, np.zeros((6, 4))])
    laws = {"rigid links": joints, "joint control": alone, "with gauges": damping}
    found, said, solution = {}, [], None
    for label, gains in laws.items():
        solution = fm.simulate(controlled(gains, torques, planned.t, label != "rigid links"), T_END, step=2e-3)
        found[label] = solution.t, missed(solution, planned)
        if label != "rigid links":
            poles = plant.closed(gains).poles
            worst = max((p for p in poles if 0.0 < p.imag < LOW), key=lambda p: p.real / abs(p))
            said.append(
                f"{label}: on the linear model a swing of {worst.imag / (2.0 * np.pi):.1f} Hz has the least damping, "
                f"{100.0 * -worst.real / abs(worst):.0f} % of critical"
            )
    assert solution is not None
    return found, solution, said


def chart(found: dict[str, tuple[np.ndarray, np.ndarray]]) -> Figure:
    """Errors of the load over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.2), layout="constrained")
    ax = figure.subplots()
    for (label, (t, off)), color in zip(found.items(), ("0.6", "#d95f02", "#0b3c5d")):
        ax.semilogy(t, 1e3 * np.maximum(off, 1e-7), color=color, label=label)
    ax.axvline(DURATION, color="0.5", linewidth=0.8)
    ax.annotate("end of the plan", (DURATION, 60.0), (4, 0), textcoords="offset points", fontsize=9)
    ax.axhline(1e3 * NEAR, color="0.5", linewidth=0.8, linestyle=":")
    ax.set(xlabel="t [s]", ylabel="load off by [mm]", ylim=(1e-3, 100.0))
    ax.legend(frameon=False)
    return figure


def run(out: Path) -> list[Path]:
    """Move the arm under both laws, and show what its load misses."""
    from matplotlib import style

    found, solution, said = runs()
    for line in said:
        print(line)
    for label, (t, off) in found.items():
        after = off[t > DURATION]
        print(
            f"{label}: off by {1e3 * off.max():.1f} mm at most, {1e3 * after.max():.1f} mm after the plan; within "
            f"{1e3 * NEAR:g} mm from t = {settled(t, off):.2f} s on"
        )
    history = out / "flexible-robot-error.png"
    with style.context("flexmb.plots.light"):
        chart(found).savefig(history, dpi=140)
    view = solution.view(trails=["load"], ghosts=[0.0, 0.4], camera=(1.2, -2.0, 0.9), forces=False)
    picture = view.screenshot(out / "flexible-robot.png", time=DURATION, size=(1200, 800))
    page = solution.view(trails=["load"], camera=(1.2, -2.0, 0.9), forces=False).html(
        out / "flexible-robot.html", pictures=121
    )
    return [history, picture, page, solution.save(out / "flexible-robot.h5")]
