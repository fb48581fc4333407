"""A small humanoid robot that is shoved at its shoulder, and keeps its balance by springs that its motors imitate.

Takahashi (2012), chapter 6. Ten joints: three in each hip (about z, x and y) and two in each ankle (y and x); the upper
body is one rigid body. The mechanism is that of the thesis, which does not print the data of its robot: lengths and
masses are ours, near those of a robot half a meter high, and so are the gains. The feet press on the floor by points at
their corners, so that they can tip and lift.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import flexmb as fm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: half the distance between the hips, hip to ankle, and height of the ankle [m]
HALF_HIP, LEG, ANKLE = 0.045, 0.20, 0.035
#: length, width and thickness of a foot; how far its middle is ahead of the ankle [m]
FOOT, AHEAD = (0.11, 0.065, 0.015), 0.008
#: masses [kg]
TRUNK_MASS, YAW_MASS, ROLL_MASS, LEG_MASS, ANKLE_MASS, FOOT_MASS = 4.4, 0.15, 0.15, 0.7, 0.12, 0.25
TRUNK_INERTIA = (0.030, 0.026, 0.014)  # [kg m²]
#: height of the trunk's mass center and of the shoulders over the hips [m], half the distance between the shoulders
CHEST, SHOULDER, HALF_SHOULDER = 0.10, 0.17, 0.09
#: the floor: stiffness of a corner [N/m], damping [s/m], friction
STIFFNESS, DAMPING, FRICTION = 5e4, 200.0, 0.8
GRAVITY = 9.81
SIDES = {"right": -1.0, "left": 1.0}
#: joints of a leg from the hip down, and their axes
JOINTS = {"hip z": "z", "hip x": "x", "hip y": "y", "ankle y": "y", "ankle x": "x"}
JOINT_NAMES = [f"{side} {joint}" for side in SIDES for joint in JOINTS]


def build(*, floor: bool = True, gravity: float = GRAVITY) -> fm.SpatialModel:
    """The robot, upright, with a motor in each joint; with feet that press on a `floor`, or with feet that are held."""
    m = fm.SpatialModel("humanoid", gravity=(0, 0, -gravity))
    mass = TRUNK_MASS + 2.0 * (YAW_MASS + ROLL_MASS + LEG_MASS + ANKLE_MASS + FOOT_MASS)
    sunk = mass * gravity / (8.0 * STIFFNESS) if floor else 0.0
    hips = ANKLE + LEG - sunk
    parts = [
        fm.Box((0.09, 0.14, 0.20), position=(0, 0, 0.11)).colored("#c3ccd6"),
        fm.Sphere(diameter=0.09, position=(0, 0, 0.255)).colored("#c3ccd6"),
        *(fm.Cylinder(diameter=0.04, length=0.20, position=(0, side * HALF_SHOULDER, 0.08)) for side in SIDES.values()),
    ]
    trunk = m.add_body(
        "trunk",
        mass=TRUNK_MASS,
        inertia=TRUNK_INERTIA,
        center=(0.0, 0.0, CHEST),
        shape=fm.CompoundShape(parts),
        position=(0, 0, hips),
    )
    for side, sign in SIDES.items():
        trunk.attach(f"{side} shoulder", (-0.04, sign * HALF_SHOULDER, SHOULDER))
        at = trunk.attach(f"{side} hip", (0, sign * HALF_HIP, 0))
        for joint, axis in JOINTS.items():
            name = f"{side} {joint}"
            body = _link(m, name, at.position)
            hinge = m.revolute(at, body.frame, axis=axis, name=name)
            m.joint_force(hinge, 0.0, name=f"{name} motor")
            at = body.attach(f"{name} end", (0, 0, -LEG)) if joint == "hip y" else body.frame
        corners = [(x, y) for x in (-0.5 * FOOT[0], 0.5 * FOOT[0]) for y in (-0.5 * FOOT[1], 0.5 * FOOT[1])]
        if not floor:
            m.weld(m.add_frame(f"{side} hold", at.position, fixed=True), at, name=f"{side} held")
        for k, (x, y) in enumerate(corners if floor else []):
            under = body.attach(f"{side} corner {k + 1}", (AHEAD + x, y, -ANKLE))
            m.contact(
                m.ground,
                under,
                fm.HalfSpace("z"),
                stiffness=STIFFNESS,
                exponent=1.0,
                damping=DAMPING,
                friction=fm.JointFriction(FRICTION, smoothing=1e-3),
                name=f"{side} sole {k + 1}",
            )
    return m


def _link(m: fm.SpatialModel, name: str, at: Any) -> Any:
    """The body below a joint, with its frame in the joint."""
    if name.endswith("ankle x"):
        foot = fm.Box(FOOT, position=(AHEAD, 0, 0.5 * FOOT[2] - ANKLE)).colored("#40505f")
        return m.add_body(name + " foot", mass=FOOT_MASS, shape=foot, position=at)
    if name.endswith("hip y"):
        leg = fm.Box((0.05, 0.05, LEG - 0.04), position=(0, 0, -0.5 * LEG)).colored("#8a97a3")
        return m.add_body(name + " leg", mass=LEG_MASS, shape=leg, position=at)
    mass = {"hip z": YAW_MASS, "hip x": ROLL_MASS, "ankle y": ANKLE_MASS}[name.split(" ", 1)[1]]
    return m.add_body(name + " link", mass=mass, inertia=(5e-5, 5e-5, 5e-5), position=at)


def imagined() -> fm.SpatialModel:
    """The robot as its reactionless damper imagines it: both legs as one on the ground, and the trunk that turns about
    z and bends about y over the hips. Weight and the small parts of the hips do not matter to it."""
    m = fm.SpatialModel("ankle and hip")
    legs, hips = 2.0 * LEG_MASS, 2.0 * (YAW_MASS + ROLL_MASS)
    leg = m.add_body("legs", mass=legs, inertia=(1e-2, 1e-2, 1e-3), position=(0, 0, 0.5 * LEG))
    m.revolute(m.ground, leg.attach("foot", (0, 0, -0.5 * LEG)), axis="y", name="ankle")
    top = leg.attach("top", (0, 0, 0.5 * LEG))
    hip = m.add_body("hips", mass=hips, inertia=(1e-4, 1e-4, 1e-4), position=(0, 0, LEG))
    m.revolute(top, hip.frame, axis="z", name="turn")
    trunk = m.add_body("trunk", mass=TRUNK_MASS, inertia=TRUNK_INERTIA, position=(0, 0, LEG + CHEST))
    m.revolute(hip.frame, trunk.attach("hip", (0, 0, -CHEST)), axis="y", name="bend")
    return m


def turning(m: fm.SpatialModel) -> fm.control.VirtualSprings:
    """The upper body turns about z (section 6.3.1): the hips hardly resist that, and the right ankle is pushed against
    the left one, so that the ankles resist a fall but not a turn. Dampers grow with the turn α."""
    alpha = fm.control.AttitudeAngle(m.frames["trunk"], "ZYX", 1)

    def follow(first: float, last: float) -> fm.control.FollowingGain:
        return fm.control.FollowingGain(alpha, first, last, between=(0.05, 0.3))

    parts = []
    for side in SIDES:
        ankle = "left ankle y" if side == "right" else None
        for joint, stiffness, damping, other in (
            ("hip z", 0.3, follow(0.03, 0.5), None),
            ("hip x", 6.0, 0.3, None),
            ("hip y", 12.0, 0.6, None),
            ("ankle y", 14.0, follow(0.4, 1.5), ankle),
            ("ankle x", 6.0, 0.15, None),
        ):
            parts.append(fm.control.VirtualSpring(f"{side} {joint} motor", stiffness, damping, of=other))
    return fm.control.VirtualSprings(m, parts)


def bending(m: fm.SpatialModel) -> fm.control.VirtualSprings:
    """The upper body turns about z and bends about y (section 6.3.2): the hips yield, and the ankles follow their bend
    so that the mass center stays where it is. Springs and dampers grow with the bend β."""
    beta = fm.control.AttitudeAngle(m.frames["trunk"], "ZYX", 2)

    def follow(first: float, last: float) -> fm.control.FollowingGain:
        return fm.control.FollowingGain(beta, first, last, between=(0.05, 0.4))

    parts: list = [
        fm.control.ReactionlessDamper(
            imagined(),
            "bend",
            "ankle",
            16.0,
            {
                # joints of the robot are measured from the trunk down
                "ankle": {"right ankle y": -0.5, "left ankle y": -0.5},
                "turn": {"right hip z": -0.5, "left hip z": -0.5},
                "bend": {"right hip y": -0.5, "left hip y": -0.5},
            },
        )
    ]
    for side in SIDES:
        for joint, stiffness, damping in (
            ("hip z", 0.5, 0.05),
            ("hip x", 6.0, 0.3),
            ("hip y", follow(3.0, 6.0), follow(0.3, 0.5)),
            ("ankle y", 10.0, follow(0.05, 0.5)),
            ("ankle x", 6.0, 0.15),
        ):
            parts.append(fm.control.VirtualSpring(f"{side} {joint} motor", stiffness, damping))
    return fm.control.VirtualSprings(m, parts)


def yielding(m: fm.SpatialModel) -> fm.control.VirtualSprings:
    """All joints with the springs and dampers of the first moment alone (eq. 6.6)."""
    return fm.control.VirtualSprings(m, [fm.control.VirtualSpring(f"{name} motor", 0.3, 0.03) for name in JOINT_NAMES])


#: shoves: where, and along x [N]; from when on and how long [s]
SHOVES = {"from the front": ("trunk.left shoulder", -7.0), "from behind": ("trunk.right shoulder", 10.0)}
T_SHOVE, LASTS = 0.2, 0.1
#: the control that answers each shove, as its picture names it
STRATEGIES = {"from the front": ("turning", turning), "from behind": ("turning and bending", bending)}
#: the run of a robot that falls ends with its hips so low [m]
FALLEN = 0.17
T_END = 1.5


def shoved(
    control: Callable[[fm.SpatialModel], fm.control.VirtualSprings],
    shove: str,
    end: float = T_END,
    *,
    floor: bool = True,
    **options: Any,
) -> fm.Solution:
    """The robot under a shove of `SHOVES`, with a control; `options` of :func:`flexmb.simulate`."""
    m = build(floor=floor)
    place, force = SHOVES[shove]
    m.point_force(m.frames[place], (fm.Pulse(T_SHOVE, LASTS, force), 0.0, 0.0), name="shove")
    m.add_event(fm.crossing("trunk.z", FALLEN, "down"), fm.StopRun(), name="fall")
    control(m).control(period=1e-3)
    return fm.simulate(m, end, "radau", tolerance=1e-6, times=np.linspace(0.0, end, round(end / 2e-3) + 1), **options)


def _strip(kept: fm.Solution, lost: fm.Solution, names: tuple[str, str]) -> Figure:
    """What both robots look like at some times."""
    from matplotlib.figure import Figure

    times = (0.0, 0.3, 0.6, 0.9, 1.2)
    figure = Figure(figsize=(10.0, 5.6), layout="constrained")
    axes = figure.subplots(2, len(times))
    for row, run, name in zip(axes, (kept, lost), names):
        view = run.view(camera=(0.62, -0.72, 0.42), up=(0.0, 0.0, 1.0))
        shown = np.minimum(times, run.t[-1])
        with view.picture(shown, (420, 480), "strip of pictures") as picture:
            for k, (ax, time) in enumerate(zip(row, times)):
                picture.instant(k)
                ax.imshow(picture.image())
                ax.set(xticks=[], yticks=[], title=f"{shown[k]:.2f} s" + (", fallen" if shown[k] < time else ""))
        row[0].set_ylabel(name)
    return figure


def _histories(kept: fm.Solution, lost: fm.Solution, names: tuple[str, str]) -> Figure:
    """Angular momenta, angles of the upper body, mass center and margin, and the zero-moment point on the soles."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 6.4), layout="constrained")
    (top, angles, above), (center, margin, other) = figure.subplots(2, 3)
    momentum = kept.whole.angular_momentum
    for k, axis in ((1, "y"), (2, "z")):
        top.plot(kept.t, momentum[:, k], label=f"about {axis}")
    turned = np.degrees(kept["trunk"].orientation.as_euler("ZYX"))
    for k, what in ((0, "turn α about z"), (1, "bend β about y")):
        angles.plot(kept.t, turned[:, k], label=what)
    for run, name, style, ax in ((kept, names[0], "-", above), (lost, names[1], "--", other)):
        support = run.support()
        center.plot(run.t, 1e3 * run.whole.center_of_mass[:, 0], style, label=name)
        margin.plot(run.t, 1e3 * support.margin, style, label=name)
        corners = 1e3 * support.polygon(0)[:, :2]
        ax.fill(*corners.T, color="0.9")
        ax.plot(*(1e3 * support.zmp[:, :2]).T, linewidth=0.9)
        ax.set(xlabel="x [mm]", ylabel="y [mm]", aspect="equal", title=f"zero-moment point:\n{name}")
    center.set_ylim(-80.0, 80.0)
    for ax, label in (
        (top, "angular momentum [kg m²/s]"),
        (angles, "upper body [°]"),
        (center, "mass center, x [mm]"),
        (margin, "zero-moment point from the edge [mm]"),
    ):
        ax.axvspan(T_SHOVE, T_SHOVE + LASTS, color="0.9")
        ax.set(xlabel="t [s]", ylabel=label)
        ax.legend(frameon=False)
    return figure


def run(out: Path) -> list[Path]:
    """Shove the robot from the front and from behind, with its control and with soft joints; write pictures, a film, a
    page that turns and the results."""
    from matplotlib import style

    written = []
    for shove, (name, control) in STRATEGIES.items():
        kept, lost = shoved(control, shove), shoved(yielding, shove)
        names, stem = (name, "soft joints alone"), f"humanoid-{shove.replace(' ', '-')}"
        print(kept)
        moved = 1e3 * np.ptp(kept.whole.center_of_mass[:, 0])
        print(
            f"shoved {shove}: {name} keeps the zero-moment point {1e3 * np.nanmin(kept.support().margin):.1f} mm "
            f"inside, its mass center moves by {moved:.1f} mm; with soft joints alone it "
            + ("falls" if lost.events else "stands")
        )
        with style.context("flexmb.plots.light"):
            for what, draw in (("", _strip), ("-histories", _histories)):
                path = out / f"{stem}{what}.png"
                draw(kept, lost, names).savefig(path, dpi=140)
                written.append(path)
        written.append(kept.save(out / f"{stem}.h5"))
    view = kept.view(camera=(0.62, -0.72, 0.42), up=(0.0, 0.0, 1.0))
    film = view.movie(out / "humanoid.gif", fps=15, size=(420, 480), pace=0.5)
    return [*written, film, view.html(out / "humanoid.html")]
