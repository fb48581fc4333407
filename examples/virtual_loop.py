"""An arm of four links that moves as if it were a parallel four-bar, or a slider-crank: Takahashi (2012), chapter 7.

Nothing holds its end. A controller imagines joints that do, and springs and dampers that pull the mechanism where it
shall go, see :mod:`flexmb.control.virtual_loop`.

The links may bend, while the controller knows rigid ones. Then both halves of each motor need inertia, the rotor on one
link and the stator on the other: a torque that is held for a period would else turn the end of a beam, which has hardly
any, by so much that the next one overshoots. What is left falls with the square of the links' natural frequency.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm

LENGTHS, MASS, GRAVITY = (1.0, 1.0, 1.0, 0.5), 1.0, 9.81
#: relative angles of the links at the start [rad], from the upward vertical, clockwise, and where the crank shall go
FOUR_BAR, LEVEL = np.deg2rad([60.0, 30.0, 150.0, -60.0]), 0.0
SLIDER_CRANK, PLACE = np.deg2rad([30.0, 85.7, 0.0, 64.3]), 1.49
#: pull of the crank [Nm, Nms] and of the slider [N/m, Ns/m]
TURNING, SLIDING = 5.0, 10.0
#: of the arm that bends: inertia [kg m²] and mass [kg] of each half of a motor, stabilization of its loop [1/s]
HALF_MOTOR, LIGHT, SLOWER = 0.2, 1e-6, 10.0


def links(
    model: fm.PlanarModel, angles: Sequence[float] | np.ndarray, *, motors: bool, half_motor: float = 0.0
) -> fm.planar.Frame:
    """Add the links and their joints, with motors if asked for; the frame at the end. Links have the inertia of the
    halves of the motors at their ends, `half_motor` [kg m²] each."""
    at, place, turned = model.ground, np.zeros(2), np.cumsum(angles)
    for k, (length, turn) in enumerate(zip(LENGTHS, turned.tolist()), start=1):
        along = np.array([np.sin(turn), np.cos(turn)])
        middle, inertia = tuple(place + 0.5 * length * along), MASS * length**2 / 12.0
        inertia += half_motor * (2.0 if k < len(LENGTHS) else 1.0)
        body = model.add_body(f"link {k}", mass=MASS, inertia=inertia, position=middle, angle=0.5 * np.pi - turn)
        joint = model.revolute(at, body.attach(f"start {k}", (-0.5 * length, 0)), name=f"joint {k}")
        if motors:
            model.joint_force(joint, 0.0, name=f"motor {k}")
        at, place = body.attach(f"end {k}", (0.5 * length, 0)), place + length * along
    return at


def chain(angles: Sequence[float] | np.ndarray = FOUR_BAR, half_motor: float = 0.0) -> fm.PlanarModel:
    """The arm with its weight, with a motor in each joint."""
    model = fm.PlanarModel("arm of four links", gravity=(0, -GRAVITY))
    links(model, angles, motors=True, half_motor=half_motor)
    return model


def flexible(frequency: float, angles: Sequence[float] | np.ndarray = FOUR_BAR) -> fm.PlanarModel:
    """The arm with links that bend, which clamped at one end have a natural frequency [Hz], damped by 2 %."""
    model = fm.PlanarModel("arm of four links that bend", gravity=(0, -GRAVITY))
    at, place, turned = model.ground, np.zeros(2), np.cumsum(angles)
    section = fm.Rectangle(0.02, 0.02)
    for k, (length, turn) in enumerate(zip(LENGTHS, turned.tolist()), start=1):
        rotor = model.add_body(
            f"rotor {k}", mass=LIGHT, inertia=HALF_MOTOR, position=tuple(place), angle=0.5 * np.pi - turn
        )
        model.joint_force(model.revolute(at, rotor.frame, name=f"joint {k}"), 0.0, name=f"motor {k}")
        place = place + length * np.array([np.sin(turn), np.cos(turn)])
        bending = MASS * length**3 * (2.0 * np.pi * frequency / 1.8751040687**2) ** 2
        steel = fm.Material(MASS / (length * section.area), bending / section.second_moment)
        damping = fm.ModalDamping(0.02)
        beam = model.add_beam(f"link {k}", rotor.frame, tuple(place), material=steel, section=section, damping=damping)
        at = beam.end
        if k < len(LENGTHS):
            model.add_body(f"stator {k}", mass=LIGHT, inertia=HALF_MOTOR, frame=at)
    return model


def controlled_flexible(frequency: float, end: float, *, period: float = 1e-3) -> fm.Solution:
    """The arm with links that bend, from rest, under the torques of the four-bar of rigid links."""
    model, rigid = flexible(frequency), chain(half_motor=HALF_MOTOR)
    fm.control.VirtualLoop(rigid, four_bar(half_motor=HALF_MOTOR), stabilization=SLOWER).control(model, period=period)
    return fm.simulate(model, end, tolerance=1e-6)


def four_bar(
    angles: Sequence[float] | np.ndarray = FOUR_BAR, wanted: float = LEVEL, half_motor: float = 0.0
) -> fm.PlanarModel:
    """The arm as a parallel four-bar without weight, whose crank is pulled to the angle `wanted` [rad]."""
    model = fm.PlanarModel("as a four-bar")
    end = links(model, angles, motors=False, half_motor=half_motor)
    model.weld(model.add_frame("hold", end.position, angle=end.angle, fixed=True), end, name="closing")
    crank, free = model.frames["link 1"], 0.5 * np.pi - wanted
    model.torsion_spring(model.ground, crank, stiffness=TURNING, damping=TURNING, free_angle=free, name="pull")
    return model


def slider_crank(angles: Sequence[float] | np.ndarray = SLIDER_CRANK, wanted: float = PLACE) -> fm.PlanarModel:
    """The arm as a slider-crank without weight: links 2 and 3 are one rod, and the last one slides, pulled to the place
    `wanted` [m]."""
    model = fm.PlanarModel("as a slider-crank")
    links(model, angles, motors=False)
    last: Any = model.components["link 4"]
    slider = last.attach("slider", (-0.5 * LENGTHS[3], 0.0), angle=-last.frame.angle)  # upright, where joint 4 is
    height = slider.position[1]
    model.lock(model.frames["link 2"], model.frames["link 3"], "angle", name="stiff")
    model.prismatic(model.add_frame("rail", (0.0, height), fixed=True), slider, name="closing")
    far = model.add_frame("far", (-1.0, height), fixed=True)
    model.spring_damper(far, slider, stiffness=SLIDING, damping=SLIDING, free_length=1.0 + wanted, name="pull")
    return model


def controlled(
    loop: fm.PlanarModel,
    angles: Sequence[float] | np.ndarray,
    end: float,
    *,
    period: float = 1e-3,
    stabilization: float = 30.0,
) -> fm.Solution:
    """The arm, from rest at some angles, under the torques of a loop."""
    model = chain(angles)
    fm.control.VirtualLoop(chain(angles), loop, stabilization=stabilization).control(model, period=period)
    return fm.simulate(model, end, tolerance=1e-6)


def strays(solution: fm.Solution, end: str) -> np.ndarray:
    """Distance (k,) [m] of the `end` of the arm from its place at the start."""
    place = solution[end].position
    return np.asarray(np.linalg.norm(place - place[0], axis=1))


def _what_is_left(path: Path) -> None:
    """Draw how far the end of the arm strays with links of several natural frequencies."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 3.6), layout="constrained")
    ax = figure.subplots()
    for frequency in (20.0, 40.0, 80.0):
        bent = controlled_flexible(frequency, 3.0)
        left = 1e3 * strays(bent, "link 4.end")
        ax.semilogy(bent.t[1:], left[1:], label=f"links of {frequency:g} Hz")
        print(f"with links of {frequency:g} Hz that bend its end strays by {left.max():.2f} mm")
    ax.set(xlabel="t [s]", ylabel="end from its place [mm]", ylim=(1e-2, 1e2))
    ax.legend(frameon=False)
    figure.savefig(path, dpi=140)


def run(out: Path) -> list[Path]:
    """Move the arm as a four-bar and as a slider-crank; write pictures, a film, a page that turns and the results."""
    from matplotlib import style

    files = []
    for loop, angles, what in ((four_bar(), FOUR_BAR, "four-bar"), (slider_crank(), SLIDER_CRANK, "slider-crank")):
        solution = controlled(loop, angles, 5.0, period=2e-3)
        print(solution)
        end = solution["link 4.end 4"].position
        print(f"as a {what} its end strays by {1e6 * np.abs(end[:, 1] - end[0, 1]).max():.1f} µm in height")
        path = out / f"virtual-{what}.png"
        solution.draw(times=[0.0, 0.5, 1.0, 1.5, 5.0], path=path)
        torques = out / f"virtual-{what}-torques.png"
        solution.plot(*(f"virtual loop.motor {k}" for k in (1, 2, 3, 4)), path=torques)
        files += [path, torques, solution.save(out / f"virtual-{what}.h5")]
    path = out / "virtual-four-bar-bent.png"
    with style.context("flexmb.plots.light"):
        _what_is_left(path)
    files.append(path)
    films = [solution.animate(out / "virtual-slider-crank.gif", fps=15)]
    return [*files, *films, solution.view().html(out / "virtual-slider-crank.html")]
