"""Random mechanisms, built by the public interface only: chains and loops of bodies and beams of any theory, joints,
springs, motors, loads, drives, Python functions and controllers, light and heavy, soft and stiff, small and large.

Other kinds are bodies on knife edges (:mod:`flexmb.validation.random_mechanisms.skates`), bodies in space
(:mod:`flexmb.validation.random_mechanisms.in_space`) and whatever the registries have
(:mod:`flexmb.validation.random_mechanisms.drawing`). The same seed, number and kind always give the same mechanism.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.random_mechanisms.drawing import drawn_mechanism
from flexmb.validation.random_mechanisms.in_space import in_space
from flexmb.validation.random_mechanisms.making import Maker, Mechanism, Scales
from flexmb.validation.random_mechanisms.skates import on_skates

#: kinds that are drawn from the registries, with their dimensions
DRAWN = {"registries, plane": 2, "registries, space": 3}
#: the kinds of mechanisms
KINDS = ("plane", "skates", "space", *DRAWN)


def mechanism(seed: int, number: int, kind: str = "plane", wrong: bool = False, **more: Any) -> Mechanism:
    """A mechanism by its number, one of the `KINDS`; with `wrong`, one argument of one call is senseless. `more`, of
    those that are drawn from the registries: the `world` in which it is expressed, and whether it is `bare`."""
    own = [seed, number, *([KINDS.index(kind) + 2] if kind != "plane" else [])]
    build = partial(_BUILDERS[kind], **more)
    if not wrong:
        return build(Maker(np.random.default_rng(own)))
    count = Maker(np.random.default_rng(own))
    build(count)
    wrong_call = int(np.random.default_rng([*own, 1]).integers(count.calls))
    return build(Maker(np.random.default_rng(own), wrong_call))


def _in_the_plane(make: Maker) -> Mechanism:
    """A chain in the plane, or a loop."""
    length, mass = make.power(-2, 1), make.power(-3, 3)
    gravity = make.choice(9.81, 9.81, 9.81, 0.0)
    time = float(np.sqrt(length / gravity)) if gravity else make.power(-2, 1)
    model = make(fm.PlanarModel, "by chance", gravity=(0.0, -gravity))
    scales = Scales(length, mass, time)
    ends = _chain(make, model, scales)
    _fittings(make, model, scales, ends)
    controlled = _motors(make, model, scales, ends)
    if make.chance(0.4):
        make(model.set_rigid_motion, angular_velocity=make.uniform(-2.0, 2.0) / time)
    return Mechanism(model, length, time, controlled)


def _chain(make: Maker, model: fm.PlanarModel, scales: Scales) -> list[tuple[fm.planar.Frame, fm.planar.Frame]]:
    """Add links in a chain from the ground on, which may close to a loop; returns the frames at both ends of each."""
    at = np.zeros(2)
    before: fm.planar.Frame = model.ground
    ends: list[tuple[fm.planar.Frame, fm.planar.Frame]] = []
    for k in range(int(make.rng.integers(1, 5))):
        angle = make.uniform(-np.pi, np.pi)
        to = at + scales.length * make.uniform(0.5, 1.5) * np.array([np.cos(angle), np.sin(angle)])
        link = _beam if make.chance(0.4) else _bar
        start, end = link(make, model, scales, f"link{k}", at, to)
        _joint(make, model, scales, before, start)
        ends.append((start, end))
        before, at = end, to
    if len(ends) > 1 and make.chance(0.3):
        wall = make(model.ground.attach, "wall", tuple(at))
        if make.chance(0.5):
            make(model.revolute, wall, before)
        else:
            far = make(model.ground.attach, "post", tuple(at + scales.length * np.array([1.0, 0.5])))
            make(model.distance, far, before)
    return ends


def _bar(
    make: Maker, model: fm.PlanarModel, scales: Scales, name: str, start: np.ndarray, end: np.ndarray
) -> tuple[fm.planar.Frame, fm.planar.Frame]:
    way = end - start
    size = float(np.hypot(*way))
    mass = scales.mass * make.uniform(0.3, 3.0)
    middle = 0.5 * (start + end)
    angle = float(np.arctan2(way[1], way[0]))
    inertia = mass * size**2 * make.choice(1 / 12, 0.3, 1e-3)
    body = make(model.add_body, name, mass=mass, inertia=inertia, position=tuple(middle), angle=angle)
    return make(body.attach, "start", (-size / 2, 0.0)), make(body.attach, "end", (size / 2, 0.0))


def _beam(
    make: Maker, model: fm.PlanarModel, scales: Scales, name: str, start: np.ndarray, end: np.ndarray
) -> tuple[fm.planar.Frame, fm.planar.Frame]:
    size = float(np.hypot(*(end - start)))
    per_length = scales.mass / size
    # the deflection under its own weight, as a part of its length, and the ratio of axial to bending stiffness
    bending = scales.force * size**2 / make.power(make.choice(-2, -2, -2, -4), 0.3)
    stretching = bending / size**2 * make.power(1, make.choice(4, 4, 4, 4, 7))
    turning = per_length * size**2 * make.power(-5, -3)
    theory = make.choice("cms", "cms", "ancf", "exact", "floating")
    shear = stretching / 3 if theory == "exact" else np.inf  # the others have none, and would be doubted
    properties = make(fm.planar.BeamProperties, EA=stretching, EI=bending, rhoA=per_length, rhoI=turning, GA=shear)
    damping = None
    if theory != "floating" and make.chance(0.3):
        damping = make(fm.StiffnessProportional, make.power(-4, -1) * scales.time)
    options: dict[str, Any] = {}
    if theory != "floating" and make.chance(0.4):
        options["elements"] = int(make.rng.integers(1, 7))
    if damping is not None:
        options["damping"] = damping
    beam = make(model.add_beam, name, tuple(start), tuple(end), properties=properties, theory=theory, **options)
    return beam.start, beam.end


def _joint(make: Maker, model: fm.PlanarModel, scales: Scales, a: fm.planar.Frame, b: fm.planar.Frame) -> None:
    if a is model.ground:
        a = make(model.ground.attach, "foot", (0.0, 0.0))
    kind = make.choice("revolute", "revolute", "revolute", "revolute", "weld", "prismatic", "pin_in_slot", "bushing")
    stiffness = scales.force / scales.length * make.power(0, 4)
    if kind in ("revolute", "weld"):
        make(getattr(model, kind), a, b)
    elif kind in ("prismatic", "pin_in_slot"):
        axis = make.uniform(-np.pi, np.pi)
        make(getattr(model, kind), a, b, axis=axis)
        make(model.bushing, a, b, stiffness=(stiffness, stiffness, 0.0), damping=(0.0, 0.0, 0.0))
    else:
        stiff = (stiffness, stiffness, scales.torque * make.power(-1, 3))
        part = make.power(-3, -1) * scales.time
        make(model.bushing, a, b, stiffness=stiff, damping=tuple(part * k for k in stiff))


def _fittings(
    make: Maker, model: fm.PlanarModel, scales: Scales, ends: list[tuple[fm.planar.Frame, fm.planar.Frame]]
) -> None:
    """Add springs, loads, and forces by Python functions."""
    for _ in range(int(make.rng.integers(0, 4))):
        _, end = ends[make.rng.integers(len(ends))]
        kind = make.choice("spring", "torsion", "force", "torque", "load", "python")
        if kind == "spring":
            place = scales.length * np.array([make.uniform(-4, 4), make.uniform(2, 4)])
            post = make(model.ground.attach, f"post{len(model.frames)}", tuple(place))
            stiffness = scales.force / scales.length * make.power(-1, 4)
            part = make.choice(0.0, make.power(-3, 0)) * scales.time
            make(model.spring_damper, post, end, stiffness=stiffness, damping=part * stiffness)
        elif kind == "torsion":
            stiffness = scales.torque * make.power(-1, 3)
            make(model.torsion_spring, model.ground, end, stiffness=stiffness, damping=0.01 * stiffness * scales.time)
        elif kind == "force":
            wave = make(fm.Harmonic, amplitude=1.0, frequency=make.power(-1, 1) / scales.time / 2 / np.pi)
            force = (scales.force * make.uniform(-1, 1), scales.force * make.uniform(-1, 1))
            make(model.point_force, end, force, factor=wave, axes="body" if make.chance(0.5) else "ground")
        elif kind == "torque":
            make(model.point_torque, end, scales.torque * make.uniform(-1, 1))
        elif kind == "load":
            beams = [c for c in model.components.values() if hasattr(c, "at")]
            if beams:
                density = (0.0, -scales.force / scales.length * make.uniform(0.0, 0.5))
                make(
                    model.distributed_load,
                    make.choice(*beams),
                    density,
                    axes="section" if make.chance(0.3) else "ground",
                )
        else:
            strength = scales.mass / scales.time * make.power(-2, 0)

            def drag(t: float, x: Any, v: Any, strength: float = strength) -> tuple[float, float, float]:
                return -strength * v[0], -strength * v[1], 0.0

            make(model.python_force, end, drag)


def _motors(
    make: Maker, model: fm.PlanarModel, scales: Scales, ends: list[tuple[fm.planar.Frame, fm.planar.Frame]]
) -> bool:
    """Add drives, motors and controllers; returns whether there is a controller."""
    first = ends[0][0]
    kind = make.choice("none", "none", "none", "drive", "motor", "controller")
    inertia = scales.mass * scales.length**2
    if kind == "drive":
        way = make.choice(
            lambda: make(fm.SmoothStep, 0.0, make.uniform(0.2, 2.0) * scales.time, 0.0, make.uniform(-2, 2)),
            lambda: make(fm.Harmonic, amplitude=make.uniform(0.1, 1.0), frequency=0.3 / scales.time),
            lambda: make(fm.SpinUp, make.uniform(-3, 3) / scales.time, 2.0 * scales.time),
        )()
        make(model.drive_angle, model.ground, first, way, relative_to_start=True)
    elif kind == "motor":
        friction = make.choice(0.0, make(fm.Friction, coulomb=0.1 * scales.torque, smoothing=0.05 / scales.time))
        make(
            model.motor,
            model.ground,
            first,
            inertia=inertia * make.power(-4, -1),
            ratio=make.choice(1.0, 10.0, 80.0),
            stiffness=make.choice(None, scales.torque * make.power(1, 4)),
            friction=friction,
            torque=scales.torque * make.uniform(-1, 1),
        )
    elif kind == "controller":
        make(model.point_torque, first, 0.0, name="commanded")
        angle = make(fm.control.RelativeAngle, model.ground, first)
        rate = make(fm.control.RelativeRate, model.ground, first)
        gains = [[-scales.torque * make.uniform(0.1, 3.0), -scales.torque * scales.time * make.uniform(0.1, 1.0)]]
        G = np.array(gains)
        law: Any = gains if make.chance(0.5) else make(fm.control.PythonLaw, lambda t, y: G @ y)
        make(
            model.add_controller,
            "servo",
            period=scales.time * make.choice(0.01, 0.037),
            sensors=[angle, rate],
            commands="commanded",
            law=law,
            delay=make.choice(0.0, 0.002 * scales.time),
        )
    return bool(kind == "controller")


_BUILDERS: dict[str, Callable[..., Mechanism]] = dict(
    zip(KINDS, (_in_the_plane, on_skates, in_space, *(partial(drawn_mechanism, dimension=d) for d in DRAWN.values())))
)
