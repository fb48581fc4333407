"""Solar panels that unfold in space: springs open their hinges, and latches close one after the other.

Two wings of three panels are folded against a satellite that turns slowly. Each hinge has a spring, and a latch that is
off until the hinge is straight: then an event switches it on, and what it joins goes on as one body. Each time speeds
jump and energy is lost, but no momentum.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: the satellite's body along x, y and z [m], its mass [kg]; length, thickness and width of a panel [m], its mass [kg]
BODY, BODY_MASS, PANEL, PANEL_MASS = (1.0, 1.2, 1.5), 150.0, (1.1, 0.03, 1.3), 7.0
#: middles of folded panels are so far apart [m]
GAP = 0.06
#: springs of the three hinges of each wing: stiffness [Nm/rad], angle of rest beyond straight [rad]; damping [Nms/rad]
STIFFNESS = {"left": (1.1, 0.8, 0.5), "right": (0.9, 0.8, 0.6)}
BEYOND, DAMPING = 0.4, 0.05
#: by which each hinge is folded [rad], and how the satellite turns at the start [rad/s]
FOLDED, SPIN = (0.5 * np.pi, -np.pi, np.pi), (0.05, 0.03, 0.02)
T_END = 9.0


def build() -> fm.SpatialModel:
    """The satellite with its folded wings."""
    m = fm.SpatialModel("deployment")
    hub = m.add_body("satellite", shape=fm.Box(BODY), mass=BODY_MASS)
    for side, turn in (("right", 0.0), ("left", np.pi)):
        mounted = Rotation.from_euler("z", turn)
        root = hub.attach(f"{side} root", mounted.apply((0.5 * BODY[0], -0.5 * BODY[1], 0.0)), mounted)
        place, angle = root.position, turn
        for k, (folded, stiffness) in enumerate(zip(FOLDED, STIFFNESS[side])):
            angle += folded
            turned = Rotation.from_euler("z", angle)
            # the hinge lies between the two panels that it folds onto each other
            arm = np.array([-0.5 * PANEL[0], 0.5 * GAP * (0, -1, 1)[k], 0.0])
            name = f"{side} {k + 1}"
            shape = fm.Box(PANEL)
            panel = m.add_body(
                name, shape=shape, mass=PANEL_MASS, position=place - turned.apply(arm), orientation=turned
            )
            end = panel.attach(f"{name} root", arm)
            hinge = m.revolute(root, end, axis="z", name=f"hinge {name}")
            m.torsion_spring(
                root, end, axis="z", stiffness=stiffness, free_angle=-folded - np.sign(folded) * BEYOND, damping=DAMPING
            )
            latch = m.lock(root, end, "angle", axis="z", name=f"latch {name}")
            m.switch_off(latch)
            straight = fm.crossing(f"{hinge.name}.angle", -folded)
            m.add_event(straight, fm.Switch(on=latch), name=f"latching {name}", once=True)
            arm = np.array([0.5 * PANEL[0], 0.5 * GAP * (-1, 1, 0)[k], 0.0])
            root = panel.attach(f"{name} tip", arm)
            place = root.position
    m.set_rigid_motion((0.0, 0.0, 0.0), SPIN)
    return m


def momenta(solution: fm.Solution) -> np.ndarray:
    """Linear and angular momentum (k, 6) at the times of a run."""
    assert solution.model is not None
    system = fm.System(solution.model)
    return np.array([system.momentum(t, q, v) for t, q, v in zip(solution.t, solution.q, solution.v)])


def _histories(solution: fm.Solution) -> Figure:
    """Angles of the hinges with the instants of the latches, the satellite's rate, and energy."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 7.2), layout="constrained")
    top, middle, bottom = figure.subplots(3, sharex=True, height_ratios=(2.0, 1.2, 1.4))
    for side, style in (("right", "-"), ("left", "--")):
        for k, folded in enumerate(FOLDED):
            angle = np.degrees(np.abs(solution[f"hinge {side} {k + 1}"].angle + folded))
            top.plot(solution.t, angle, style, color=f"C{k}", label=f"hinge {k + 1}, {side}")
    rate = np.column_stack([getattr(solution["satellite"], what) for what in ("wx", "wy", "wz")])
    for axis, values in zip("xyz", rate.T):
        middle.plot(solution.t, values, label=f"ω{axis}")
    energy = solution.energy
    parts = {"springs": energy.strain, "motion": energy.kinetic, "lost in latches": energy.switching}
    for label, values in {**parts, "lost in dampers": energy.dissipated}.items():
        bottom.plot(solution.t, values, label=label)
    for ax in (top, middle, bottom):
        for event in solution.events:
            ax.axvline(event.t, color="0.6", linewidth=0.8, linestyle=":", zorder=0)
        ax.legend(frameon=False, ncols=2 if ax is top else 4, loc="upper right")
    top.set(ylabel="from straight [°]", ylim=(-8.0, 200.0), xlim=(0.0, T_END))
    middle.set(ylabel="satellite [rad/s]")
    bottom.set(xlabel="t [s]", ylabel="energy [J]", ylim=(-1.5, 26.0))
    return figure


def run(out: Path) -> list[Path]:
    """Simulate the deployment, say what each latch does, and show it."""
    from matplotlib import style

    solution = fm.simulate(build(), T_END, "radau", tolerance=1e-7)
    print(solution)
    for event in solution.events:
        _, moment = event.impulses[event.on[0]]
        print(
            f"{event.name} at {event.t:.3f} s: takes {np.linalg.norm(moment):.3f} Nm s, and {event.lost:.3f} J are lost"
        )
    changed = np.max(np.abs(momenta(solution) - momenta(solution)[0]), axis=0)
    print(f"momentum changes by {np.max(changed[:3]):.1e} kg m/s and {np.max(changed[3:]):.1e} kg m²/s")

    view = solution.view(camera=(1.2, -2.2, 1.1), up=(0.0, 0.0, 1.0))
    picture = view.screenshot(out / "deployment.png", time=3.2, size=(1200, 560))
    film = view.movie(out / "deployment.gif", fps=12, size=(640, 360))
    history = out / "deployment-latches.png"
    with style.context("flexmb.plots.light"):
        _histories(solution).savefig(history, dpi=140)
    return [picture, film, history, solution.save(out / "deployment.h5")]
