"""A robot arm from a URDF file: the torques that a throw needs, and what happens when its motors fail in the middle.

The arm follows a planned motion of all its joints. The torques of the drives that hold it to the plan are those that
its motors have to give (inverse dynamics); its file says how much they can. At the fastest moment they fail: the arm is
thrown about by its own momentum and by its weight, meets the stops at the limits of its joints, and friction in the
joints brings it to rest.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import flexmb as fm
from flexmb.examples import robots

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: where each joint starts and where the plan would take it [rad]; thrown so, the arm does not come near its column,
#: with which it has no contact here
PLAN = {
    "joint1": (-1.0, 0.6),
    "joint2": (0.0, 1.2),
    "joint3": (0.0, 1.0),
    "joint4": (2.1, 1.0),
    "joint5": (0.3, 1.0),
    "joint6": (0.9, -0.6),
    "joint7": (0.0, 0.5),
    "finger": (0.035, 0.035),
}
#: the plan takes so long, and the motors fail here; the end of the run [s]
DURATION, FAILURE, T_END = 1.6, 0.8, 3.0
#: height of the column [m], and the mass that the arm holds [kg]
HEIGHT, LOAD = 0.6, 4.0


def build(fails: bool = True) -> fm.Robot:
    """The arm on a column, driven along the plan until its motors fail."""
    start = {name: start for name, (start, _) in PLAN.items()}
    robot = fm.read_urdf(robots.folder() / "arm.urdf", position=(0, 0, HEIGHT), positions=start, stops=True)
    column = [
        fm.Cylinder(diameter=0.15, length=HEIGHT - 0.03, position=(0, 0, 0.5 * HEIGHT + 0.01)).colored("#8a97a3"),
        fm.Cylinder(diameter=0.5, length=0.03, position=(0, 0, 0.01)).colored("#5c6670"),
    ]
    robot.add_figure("column", robot.ground, fm.CompoundShape(column))
    grip = robot.links["hand"].attach("grip", (0.0, 0.0, 0.10))
    robot.add_body("load", shape=fm.Sphere(diameter=0.10).colored("#2f6f8f"), mass=LOAD, frame=grip)
    drives = [
        robot.drive(name, fm.SmoothStep(0.0, DURATION, start, end) if start != end else start)
        for name, (start, end) in PLAN.items()
    ]
    if fails:
        robot.add_event(FAILURE, fm.Switch(off=drives[:-1]), name="failure")  # the gripper goes on gripping
    return robot


def _histories(robot: fm.Robot, solution: fm.Solution, planned: fm.Motion) -> Figure:
    """The torques of the plan as parts of what the motors can give, and the positions between the limits."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 6.2), layout="constrained")
    top, bottom = figure.subplots(2)
    places, torques = robot.positions(solution), robot.efforts(planned)
    for name in list(PLAN)[:-1]:
        joint = robot.joints[name]
        (line,) = top.plot(planned.t, torques[name] / joint.effort, label=name)
        middle, half = 0.5 * (joint.lower + joint.upper), 0.5 * (joint.upper - joint.lower)
        bottom.plot(solution.t, (places[name] - middle) / half, color=line.get_color())
    for ax, what in ((top, "torque of the plan / limit"), (bottom, "position between its limits")):
        for limit in (-1.0, 1.0):
            ax.axhline(limit, color="0.5", linewidth=0.8, linestyle=":")
        ax.set(xlabel="t [s]", ylabel=what, ylim=(-1.1, 1.1))
    bottom.axvline(FAILURE, color="0.5", linewidth=0.8)
    bottom.annotate("motors fail", (FAILURE, -1.0), (4, 4), textcoords="offset points", fontsize=9)
    top.legend(frameon=False, ncols=1, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def run(out: Path) -> list[Path]:
    """Plan the throw, let the motors fail, and show the arm."""
    from matplotlib import style

    robot = build(fails=False)
    planned = fm.kinematics(robot, DURATION, steps=320)
    for name, torque in robot.efforts(planned).items():
        limit, unit = robot.joints[name].effort, "N" if name == "finger" else "Nm"
        print(f"{name}: the plan needs up to {np.abs(torque).max():.1f} {unit} of {limit:g} {unit}")

    robot = build()
    solution = fm.simulate(robot, T_END)
    print(solution)
    hardest = max(robot.rates(solution).items(), key=lambda item: np.abs(item[1]).max())
    print(f"fastest: {hardest[0]}, {np.abs(hardest[1]).max():.2f} rad/s")

    view = solution.view(trails=["load"], ghosts=[0.0, FAILURE], camera=(0.5, -2.0, 0.6), forces=False)
    picture = view.screenshot(out / "robot.png", time=1.1, size=(1200, 800))
    moving = solution.view(trails=["load"], camera=(0.5, -2.0, 0.6), forces=False)
    page = moving.html(out / "robot.html", pictures=181)
    film = moving.movie(out / "robot.gif", fps=20, size=600)

    history = out / "robot-torques.png"
    with style.context("flexmb.plots.light"):
        _histories(robot, solution, planned).savefig(history, dpi=140)
    return [picture, page, film, history, solution.save(out / "robot.h5")]
