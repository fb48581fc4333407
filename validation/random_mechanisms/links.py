"""Links of random mechanisms: rigid bodies, beams of every theory, reduced bodies of every kind. Each function takes
the two places of a link in the axes of the mechanism, in its lengths, and returns the frames there and the component.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.elements import planar, spatial
from flexmb.validation.random_mechanisms.building import Builder, Link
from flexmb.validation.random_mechanisms.trees import random_inertia

#: theories of beams by the dimension of their models
THEORIES: dict[int, Mapping[str, Any]] = {2: planar.BEAMS, 3: spatial.BEAMS}


def rigid(b: Builder, name: str, start: np.ndarray, end: np.ndarray) -> Link:
    """A rigid body, whose frame may lie beside its mass center."""
    make, w, d = b.make, b.world, b.dimension
    mass = w.mass * make.uniform(0.3, 3.0)
    unit = mass * w.length**2
    center = {"center": tuple(0.2 * w.length * b.direction())} if make.chance(0.4) else {}
    turn = b.rotation()
    pose = w.turned * turn
    inertia = 0.3 * unit * random_inertia(make.rng) if d == 3 else make.uniform(0.03, 0.3) * unit
    posed = {"orientation": pose} if d == 3 else {"angle": float(w.pose + turn.as_rotvec()[2])}
    middle = tuple(w.place(0.5 * (start + end)))
    body = make(b.model.add_body, name, mass=mass, inertia=inertia, position=middle, **posed, **center)
    return Link("rigid", b.on(body.frame, start), b.on(body.frame, end), body)


def _stiffness(b: Builder, size: float) -> tuple[float, float, float]:
    """EI, ρA and EA of a beam that bends by up to a third of its length under its weight."""
    w = b.world
    bending = w.force * w.length**2 * size**2 * b.make.power(0.3, 2)
    return bending, 0.3 * w.mass / (size * w.length), bending / (w.length * size) ** 2 * 1e3


def beam(theory: str) -> Callable[[Builder, str, np.ndarray, np.ndarray], Link]:
    """A beam of a theory; in space one that takes curved axes is curved, twisted or tapered half of the time."""

    def link(b: Builder, name: str, start: np.ndarray, end: np.ndarray) -> Link:
        make, w, size = b.make, b.world, float(np.linalg.norm(end - start))
        family = THEORIES[b.dimension][theory]
        bending, per_length, stretching = _stiffness(b, size)
        turning = per_length * (w.length * size) ** 2 * 1e-4
        shear = stretching / 3 if family.has_shear else np.inf
        hot: dict[str, Any] = {"thermal_expansion": 1e-4}
        given: dict[str, Any] = {}
        if make.chance(0.4) and (b.dimension == 2 or theory != "ancf"):  # which damps stretching alone
            given["damping"] = make(fm.StiffnessProportional, make.power(-3, -1.5) * w.time)
        if make.chance(0.4) and theory != "floating":
            given["elements"] = make.choice(2, 3)
        if "modes" in family.options() and make.chance(0.5):
            given["modes"] = 1

        def properties(part: float = 1.0) -> Any:
            if b.dimension == 2:
                of = fm.planar.BeamProperties
                return make(of, EA=stretching, EI=bending, rhoA=per_length, rhoI=turning, GA=shear, **hot)
            flat = 1.0 if theory == "ancf" else 1.5
            return fm.spatial.BeamProperties(
                EA=stretching * part, EIy=bending * part, EIz=flat * bending * part, GJ=0.8 * bending * part,
                rhoA=per_length * part, rhoIy=turning * part, rhoIz=flat * turning * part, GAy=shear * part,
                GAz=shear * part, **hot,
            )  # fmt: skip

        ends = [tuple(w.place(x)) for x in (start, end)]
        across = {} if b.dimension == 2 else {"y_axis": tuple(w.direction(b.across(end - start)))}
        course = getattr(family, "takes_courses", False) and make.chance(0.5)
        if course:
            given["elements"] = 3
            beside = tuple(w.place(0.5 * (start + end) + 0.2 * size * b.across(end - start)))
            given |= make.choice(
                lambda: {"twist": make.uniform(-1.0, 1.0)},
                lambda: {"properties": lambda s: properties(1.0 - 0.5 * s)},
                lambda: {"axis": make(fm.SplineCurve, [ends[0], beside, ends[1]])},
            )()
        if "axis" not in given:
            given |= {"start": ends[0], "end": ends[1]}
        made = make(b.model.add_beam, name, **{"properties": properties(), **across, **given}, theory=theory)
        b.stiff = True
        return Link(f"beam {theory}" + ", curved" * bool(course), made.start, made.end, made)

    return link


def _material(b: Builder, size: float, *, square: bool) -> tuple[fm.Material, float]:
    """The material of a bar, square or round, of a thickness [m] that bends as a beam does."""
    thick = 0.15 * size * b.world.length
    bending, per_length, _ = _stiffness(b, size)
    area, second = (thick**2, thick**4 / 12.0) if square else (np.pi * thick**2 / 4.0, np.pi * thick**4 / 64.0)
    return fm.Material(per_length / area, bending / second, 0.3, thermal_expansion=1e-4), thick


def _member(b: Builder, size: float, elements: int = 3) -> fm.bodies.Member:
    """A beam of a frame between its points a and b."""
    material, thick = _material(b, size, square=False)
    return fm.bodies.Member(("a", "b"), material, fm.Circle(diameter=thick), elements=elements)


def _along(b: Builder, *places: float) -> list[tuple[float, ...]]:
    """Places on the x-axis of a body."""
    return [(x * b.world.length, *(0.0,) * (b.dimension - 1)) for x in places]


def _reduction(b: Builder) -> fm.bodies.Reduction:
    """A reduction: of either method, of either field, in a mean frame or in that of an interface."""
    make = b.make
    return fm.bodies.Reduction(
        method=make.choice("craig-bampton", "craig-bampton", "free"), damping=make.choice(0.0, 0.02),
        field=make.choice("quadratic", "linear"), reference=make.choice("mean", "a"), progress=False, estimate=False,
    )  # fmt: skip


def _loads(b: Builder, end: Any) -> dict[str, Any]:
    """A force on a set of nodes, and heat."""
    push = fm.bodies.NodalLoad(end, force=tuple(0.3 * b.world.force * b.direction()))
    return {"push": push, "heat": fm.bodies.ThermalLoad(30.0)}


def _of_frame(b: Builder, size: float) -> fm.bodies.ReducedBody:
    places = dict(zip("ab", _along(b, 0.0, size)))
    return b.make(
        fm.bodies.from_frame, places, [_member(b, size)], interfaces={"a": "a", "b": "b"},
        loads=_loads(b, "b"), modes=2, reduction=_reduction(b),
    )  # fmt: skip


def _bar(b: Builder, size: float, thick: float) -> Any:
    """A mesh of a bar, with some elements."""
    import skfem

    along, half = np.linspace(0.0, size * b.world.length, 4), np.array([-0.5, 0.5]) * thick
    if b.dimension == 2:
        return skfem.MeshQuad.init_tensor(along, half)
    return skfem.MeshHex.init_tensor(along, half, half)


def _ends(b: Builder, size: float) -> dict[str, Any]:
    normal = _along(b, 1.0)[0]
    return {name: fm.bodies.on_plane(x, normal) for name, x in zip("ab", _along(b, 0.0, size))}


def _of_mesh(b: Builder, size: float) -> fm.bodies.ReducedBody:
    material, thick = _material(b, size, square=True)
    plane = {"thickness": thick} if b.dimension == 2 else {}
    ends = _ends(b, size)
    return b.make(
        fm.bodies.from_mesh, _bar(b, size, thick), material, interfaces=ends, loads=_loads(b, ends["b"]), modes=2,
        reduction=_reduction(b), **plane,
    )  # fmt: skip


def _of_substructures(b: Builder, size: float) -> fm.bodies.ReducedBody:
    member = _member(b, size, elements=2)
    parts = {
        name: fm.bodies.frame_model(dict(zip("ab", _along(b, *ends))), [member], name=name)
        for name, ends in (("one", (0.0, 0.5 * size)), ("two", (0.5 * size, size)))
    }
    return b.make(
        fm.bodies.from_substructures, parts, {"middle": [("one", "b"), ("two", "a")]},
        interfaces={"a": ("one", "a"), "b": ("two", "b")}, modes=2, reduction=_reduction(b),
    )  # fmt: skip


def _of_matrices(b: Builder, size: float) -> fm.bodies.ReducedBody:
    full = fm.bodies.frame_model(dict(zip("ab", _along(b, 0.0, size))), [_member(b, size)])
    how = fm.bodies.Reduction(field="linear", progress=False, estimate=False)
    return b.make(
        fm.bodies.from_matrices, full.stiffness, full.mass, full.nodes, sets={"a": [0], "b": [1]},
        interfaces={"a": "a", "b": "b"}, modes=2, reduction=how,
    )  # fmt: skip


def _of_modes(b: Builder, size: float) -> fm.bodies.ReducedBody:
    """A body of particles on two lines, with two bending modes."""
    w, n = b.world, 5
    x = np.linspace(0.0, 1.0, n)
    nodes = np.zeros((2 * n, b.dimension))
    nodes[:, 0], nodes[:, 1] = np.tile(size * w.length * x, 2), np.repeat([-0.05, 0.05], n) * size * w.length
    if b.dimension == 3:
        nodes[::2, 2] = 0.05 * size * w.length
    shapes = np.zeros((2 * n, b.dimension, 2))
    shapes[:, 1, 0], shapes[:, -1, 1] = np.tile(x**2 * (3.0 - x), 2), np.tile(x**2 * (2.0 - 3.0 * x), 2)
    omegas = np.array([5.0, 20.0]) * b.make.uniform(0.5, 2.0) / w.time
    masses = np.full(2 * n, 0.3 * w.mass / (2 * n))
    ends = {"a": [0, 1, n], "b": [n - 2, n - 1, 2 * n - 1]}
    return b.make(
        fm.bodies.from_modes, nodes, shapes, omegas, masses, modal_masses=[0.1 * w.mass] * 2, interfaces=ends,
        damping=0.02,
    )  # fmt: skip


#: functions that make reduced bodies of a size, by the names of those of `fm.bodies` that they call
REDUCED: dict[str, Callable[[Builder, float], fm.bodies.ReducedBody]] = {
    "from_frame": _of_frame, "from_mesh": _of_mesh, "from_modes": _of_modes, "from_substructures": _of_substructures,
    "from_matrices": _of_matrices,
}  # fmt: skip


def reduced(kind: str) -> Callable[[Builder, str, np.ndarray, np.ndarray], Link]:
    """A reduced body that lies along its x-axis."""

    def link(b: Builder, name: str, start: np.ndarray, end: np.ndarray) -> Link:
        make, w = b.make, b.world
        made = REDUCED[kind](b, float(np.linalg.norm(end - start)))
        lying = b.along(end - start)
        posed = {"orientation": w.turned * lying} if b.dimension == 3 else {"angle": w.pose + lying.as_rotvec()[2]}
        field = make.choice("linear", "quadratic") if len(made.slaves) else "linear"
        body = make(b.model.add_modal_body, name, made, position=tuple(w.place(start)), **posed, field=field)
        b.stiff = True
        b.loads = [*made.loads]
        return Link(f"{kind}, {field}", body.at("a"), body.at("b"), body)

    return link


def links(dimension: int) -> dict[str, Callable[[Builder, str, np.ndarray, np.ndarray], Link]]:
    """All kinds of links, of a model in the plane or in space."""
    return {
        "rigid": rigid, **{f"beam {name}": beam(name) for name in THEORIES[dimension]},
        **{name: reduced(name) for name in REDUCED},
    }  # fmt: skip
