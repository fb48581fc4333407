"""What is added to random mechanisms beside the verbs of their models: wheels, tanks, events, controllers, states,
feedback of robots, runs that are followed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.random_mechanisms.arguments import coordinates_of
from flexmb.validation.random_mechanisms.building import Builder


def _none(b: Builder) -> None:
    """Nothing."""


def _point_mass(b: Builder) -> None:
    """A point mass on the last link."""
    seat = b.on(b.links[-1].end, b.where(b.links[-1].end) + 0.2 * b.direction())
    b.make(b.model.add_point_mass, b.name("load"), seat, b.world.mass * b.make.uniform(0.1, 1.0))


def _wheel(b: Builder, driven: bool = False) -> None:
    """A wheel on the last link, of constant speed, or one that a torque turns."""
    make, w = b.make, b.world
    inertia = w.mass * w.length**2 * make.power(-3, -1)
    seat = b.on(b.links[-1].end, b.where(b.links[-1].end) + 0.2 * b.direction())
    own = {"inertia": inertia, "axis": tuple(b.direction()), "speed": make.uniform(-10.0, 10.0) / w.time}
    if make.chance(0.5):
        own |= {"mass": 0.1 * w.mass, "transverse": 0.6 * inertia}
    if driven:
        own |= {"torque": 0.05 * w.torque, "friction": 0.05 * w.torque * w.time}
    make(b.model.add_wheel, b.name("wheel"), seat, **own)


def _rotor(b: Builder) -> None:
    _wheel(b, driven=True)


def _tank(b: Builder) -> None:
    """A tank that a jet empties, on a rigid link."""
    make, w = b.make, b.world
    bodies = [link for link in b.links if link.kind == "rigid"]
    if not bodies:
        return
    seat = b.on(bodies[-1].end, b.where(bodies[-1].end))
    J = 0.01 * w.mass * w.length**2
    b.tank = make(b.model.add_tank, b.name("tank"), seat, 0.2 * w.mass, inertia=(J, J, 1.2 * J))
    b.frame = b.on(bodies[-1].end, b.where(bodies[-1].end) + 0.2 * b.direction())
    b.call("thruster", b.frame)


def _torque_on(b: Builder) -> tuple[Any, Any]:
    """A torque on the last link and the rate that goes with it, of a hinge if there is one."""
    frame, name = b.links[-1].end, b.name("commanded")
    if b.dimension == 2:
        return b.make(b.model.point_torque, frame, 0.0, name=name), fm.control.RelativeRate(b.base, frame)
    axis = tuple(b.direction())
    hinges = [joint for kind, joint in b.joints if kind == "revolute"]
    if hinges and b.make.chance(0.6):
        return b.make(b.model.joint_force, hinges[-1], 0.0, name=name), fm.control.JointRate(hinges[-1])
    torque = b.make(b.model.point_torque, frame, axis, axes="body", factor=0.0, name=name)
    return torque, fm.control.Gyro(frame, axis)


def _controller(b: Builder) -> None:
    """A sampled brake, by gains, a law with memory or a function of Python."""
    make, w = b.make, b.world
    commanded, rate = _torque_on(b)
    gain = w.torque * w.time * make.uniform(0.02, 0.3)
    law = make.choice(
        lambda: [[-gain]],
        lambda: make(fm.control.PythonLaw, lambda t, y: -gain * y, state_count=0),
        lambda: make(fm.control.LinearLaw, [[0.9]], [[0.1]], [[-gain]], [[0.0]]),
    )()
    make(
        b.model.add_controller, b.name("brake"), period=w.time * make.choice(0.02, 0.037), sensors=[rate],
        commands=commanded, law=law, delay=make.choice(0.0, 0.005 * w.time),
    )  # fmt: skip
    b.controlled = True


def _states(b: Builder) -> None:
    """A brake with a delay, which states of first order bring about: a linear law or functions of Python."""
    make, w = b.make, b.world
    commanded, rate = _torque_on(b)
    gain, delay = w.torque * w.time * make.uniform(0.02, 0.2), w.time * make.uniform(0.05, 0.5)
    if make.chance(0.5):
        law = fm.control.transfer_function([-gain], [delay, 1.0])
        make(b.model.add_states, b.name("lag"), law, sensors=rate, commands=commanded, sizes=1.0 / w.time)
        return

    def rates(t: float, y: Any, x: Any) -> Any:
        return ((y[0] * w.time - x[0]) / delay,)

    def decide(t: float, y: Any, x: Any) -> Any:
        return (-gain / w.time * x[0],)

    make(b.model.add_states, b.name("lag"), rates, decide=decide, start=[0.0], sensors=rate, commands=commanded)


def _spring(b: Builder) -> Any:
    """The spring from the ground to the last body."""
    make, w, end = b.make, b.world, b.links[-1].end
    hook = b.on(end, b.where(end))
    stiffness = w.force / w.length * make.power(-1, 2)
    damping = make.choice(0.0, 0.05) * stiffness * w.time
    return make(b.model.spring_damper, b.post(end), hook, stiffness=stiffness, damping=damping, name=b.name("spring"))


def _switch(b: Builder) -> None:
    """A spring that is cut at a time, or a joint that becomes stiff."""
    make, when = b.make, b.world.time * b.make.uniform(0.1, 0.8)
    kind, joint = b.joints[-1]
    if make.chance(0.5) or kind not in ("spherical", "universal", "revolute"):
        make(b.model.add_event, when=when, do=fm.Switch(off=_spring(b)), name=b.name("cut"))
        return
    weld = make(b.model.weld, joint.a, joint.b, name=b.name("clutch"))
    make(b.model.switch_off, weld)
    make(b.model.add_event, when=when, do=fm.Switch(on=weld, off=joint), name=b.name("catch"))


def _crossing(b: Builder) -> None:
    """A spring that is cut where it is as long as it may become; the event may never come."""
    spring = _spring(b)
    reach = fm.control.RangeFinder(spring.a, spring.b)
    far = float(np.linalg.norm(np.asarray(spring.a.position) - np.asarray(spring.b.position)))
    when = b.make(fm.crossing, reach, far * b.make.uniform(1.02, 1.2), "up")
    b.make(b.model.add_event, when=when, do=fm.Switch(off=spring), once=True, name=b.name("breaks"))


def _actuated(b: Builder) -> list[Any]:
    """A force of each joint that has a coordinate, by one name in all models of the mechanism."""
    found = []
    for k, (_, joint) in enumerate(b.joints):
        names = coordinates_of(joint)
        if names and (b.dimension == 3 or names[0] == "angle"):
            more = {"coordinate": names[0]} if b.dimension == 3 else {}
            found.append(b.make(b.model.joint_force, joint, 0.0, name=f"motor{k}", **more))
    return found


def _virtual_springs(b: Builder) -> None:
    """Springs that the motors of joints imitate."""
    motors, w = _actuated(b), b.world
    if not motors:
        return
    springs = [
        fm.control.VirtualSpring(
            motor, (unit := _unit(motor, w)) * b.make.uniform(0.5, 3.0), 0.3 * unit * w.time,
            free_angle=0.3 * (1.0 if motor.acts_on.startswith("angle") else w.length),
        )
        for motor in motors
    ]  # fmt: skip
    b.make(fm.control.VirtualSprings, b.model, springs).control(period=0.02 * w.time)
    b.controlled = True


def _unit(motor: Any, w: Any) -> float:
    """The stiffness of a motor's coordinate that is 1 in the units of the mechanism."""
    return float(w.torque if motor.acts_on.startswith("angle") else w.force / w.length)


def _virtual_loop(b: Builder) -> None:
    """A chain that moves as if a spring held its end."""
    if not _actuated(b):
        return
    chain, loop = b.again(), b.again()
    _actuated(chain)
    end, w = loop.links[-1].end, b.world
    hook, off = loop.on(end, loop.where(end)), b.direction()
    stiffness = w.force / w.length
    loop.model.spring_damper(loop.post(end, off), hook, stiffness=stiffness, damping=0.3 * stiffness * w.time)
    b.make(fm.control.VirtualLoop, chain.model, loop.model, stabilization=3.0 / w.time).control(
        b.model, period=0.02 * w.time
    )
    b.controlled = True


def _followed_run(b: Builder) -> None:
    """A chain that follows a run of its own, finished or from a file."""
    if not _actuated(b):
        return
    first, chain = b.again(), b.again()
    for motor in _actuated(first):
        motor.force = fm.SmoothStep(0.0, 0.3 * b.world.time, 0.0, 0.1 * b.world.torque)
    run = fm.simulate(first.model, 0.5 * b.world.time, progress=False)
    if b.make.chance(0.5):
        with tempfile.TemporaryDirectory() as folder:
            run.save(Path(folder) / "first.h5")
            run = fm.load(Path(folder) / "first.h5")
    _actuated(chain)
    fast = 6.0 / b.world.time
    gains = fm.control.Gains.of(fast)
    b.make(fm.control.ComputedTorque, chain.model, run, gains).control(b.model, period=0.02 * b.world.time)
    b.controlled = True


PLANE_AND_SPACE, SPACE = (2, 3), (3,)
#: additions by name: the dimensions of their models, and what draws them
ADDITIONS: dict[str, tuple[tuple[int, ...], Callable[[Builder], None]]] = {
    "none": (PLANE_AND_SPACE, _none),
    "point mass": (PLANE_AND_SPACE, _point_mass),
    "wheel": (SPACE, _wheel),
    "rotor": (SPACE, _rotor),
    "tank": (SPACE, _tank),
    "controller": (PLANE_AND_SPACE, _controller),
    "states": (PLANE_AND_SPACE, _states),
    "switch": (PLANE_AND_SPACE, _switch),
    "crossing": (PLANE_AND_SPACE, _crossing),
    "virtual springs": (PLANE_AND_SPACE, _virtual_springs),
    "virtual loop": (PLANE_AND_SPACE, _virtual_loop),
    "followed run": (PLANE_AND_SPACE, _followed_run),
}
#: those of robots, which know a model of their tree
FEEDBACK = ("virtual springs", "virtual loop", "followed run")
