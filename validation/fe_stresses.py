"""Stresses of bodies of finite elements: a bracket against its full model, a rod in motion, rings that spin."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from scipy.integrate import simpson

import flexmb as fm
from flexmb import bodies
from flexmb.bodies import stress_modes, von_mises
from flexmb.examples import slider_crank as example
from flexmb.results.pictures.deforming import deforming
from flexmb.validation.fe_slider_crank import HEIGHT, THICKNESS
from flexmb.validation.fe_slider_crank import build as slider_crank
from flexmb.validation.reduced_solids import (
    ALUMINIUM,
    E_MODULUS,
    NU,
    PATCHES,
    RHO,
    bracket_in_space,
    bracket_mesh,
)
from flexmb.validation.references.annulus import spinning_annulus
from flexmb.validation.references.held_solid import HeldSolid, von_mises_of
from flexmb.validation.references.solid_body import RigidPatch, SolidBody
from flexmb.validation.registry import Check, Record, case

#: a force of 20 N on some nodes inside of the upright plate
PATCH = bodies.on_plane((0.008, 0, 0), (1, 0, 0)) & bodies.in_box((-1.0, 0.02, 0.04), (1.0, 0.04, 0.06))
#: the shock: largest force [N] on B along x; half a period of the first mode with A held [s]
FORCE, SHOCK = 5.0, 0.5 / 274.321
FULL = "full model, by scikit-fem's own forms"


def _reduced(modes: int, **options: Any) -> bodies.ReducedBody:
    """The bracket with so many modes of held patches; `load` puts the force on the patch into the basis."""
    push = {"push": bodies.NodalLoad(PATCH, force=(20.0, 0, 0))} if options.pop("load", False) else None
    how = bodies.Reduction(estimate=False, progress=False, **options)
    return bodies.from_mesh(bracket_mesh(), ALUMINIUM, interfaces=PATCHES, loads=push, modes=modes, reduction=how)


@cache
def _full() -> HeldSolid:
    """The full model of the bracket, A held, in the order of nodes of the reduced one."""
    import skfem

    mesh = _reduced(0).mesh
    assert mesh is not None
    nodes = mesh.nodes + _reduced(0).origin
    solid = SolidBody(bracket_mesh(), skfem.ElementHex2(), 5, (E_MODULUS, NU, RHO), nodes)
    numbers = [chosen.numbers(nodes, "case") for chosen in PATCHES.values()]
    return HeldSolid(solid, *(RigidPatch(x, nodes[x].mean(axis=0)) for x in numbers))


def _at_rest(body: bodies.ReducedBody, nodal: np.ndarray | None, at_b: np.ndarray) -> np.ndarray:
    """The amplitudes (n,) under small nodal forces (N, 3), and a force and a moment (6,) at B, with A held.

    The reference frame is where A does not move: θ = −Φʳ_A η, r = −Φ_A η − θ × X_A.
    """
    a, b, mesh = body.interfaces["A"], body.interfaces["B"], body.mesh
    assert mesh is not None

    def moved(shapes: np.ndarray, X: np.ndarray) -> np.ndarray:
        return np.asarray(shapes - a.translation - np.cross(a.rotation.T, X - a.position).T)

    work = moved(b.translation, b.position).T @ at_b[:3] + (b.rotation - a.rotation).T @ at_b[3:]
    if nodal is not None:
        work = work + np.sum([moved(s, X).T @ f for s, X, f in zip(mesh.shapes, mesh.nodes, nodal)], axis=0)
    return np.asarray(work / body.stiffness)


def _off(got: np.ndarray, wanted: np.ndarray) -> float:
    """The larger one of the errors of the largest value and of all, rms, as parts."""
    peak = abs(np.max(got) - np.max(wanted)) / np.max(wanted)
    return float(max(peak, np.linalg.norm(got - wanted) / np.linalg.norm(wanted)))


def shaken(reduced: bodies.ReducedBody) -> fm.SpatialModel:
    """The bracket, bolted down at A, with a half-sine of force on B."""
    model = fm.SpatialModel("bracket under a shock")
    body = model.add_modal_body("bracket", reduced)
    model.weld(model.ground.attach("bolts", body.at("A").position), body.at("A"))
    t = np.linspace(0.0, SHOCK, 61)
    sine = fm.Spline(t, FORCE * np.sin(np.pi * t / SHOCK), "natural")  # 0 behind its end
    model.point_force(body.at("B"), (sine, 0.0, 0.0), name="shock")
    return model


@case("bracket", draw=bracket_in_space)
def bracket() -> Iterator[Record]:
    """stresses of von Mises in a bracket held at one patch, by modes, against its full model

    Means over elements; errors are those of the largest stress and of all, rms, the larger one. What acts at interfaces
    is exact with static modes alone, what acts between them with its own deformation in the basis.
    """
    full = _full()
    solid = full.solid
    nodes = solid.nodes
    all_loads = {"inertia_loads": True, "spin_loads": True}  # about an axis beside the mass center: both
    at_b = np.array([10.0, -5.0, 8.0, 0.1, 0.3, -0.2])
    chosen = PATCH.numbers(nodes, "case")
    push = np.zeros_like(nodes)
    push[chosen, 0] = 20.0 / len(chosen)
    gravity = (solid.mass @ np.tile([0.3, -0.5, 0.8], len(nodes))).reshape(-1, 3)
    spin = (solid.mass @ (nodes * [1.0, 1.0, 0.0]).ravel()).reshape(-1, 3)
    cases = (
        ("force and moment at B, no modes", _reduced(0), None, at_b, 1e-9, "rounding"),
        ("acceleration askew, with its modes", _reduced(6, inertia_loads=True), gravity, None, 1e-9, "rounding"),
        ("spin about z, with its modes", _reduced(6, **all_loads), spin, None, 1e-9, "rounding"),
        ("force on a patch, with its mode", _reduced(6, load=True), push, None, 1e-9, "rounding"),
        ("acceleration askew, 24 modes alone", _reduced(24), gravity, None, 1.5e-2, "left by the modes"),
    )  # fmt: skip
    for label, body, nodal, frame, tolerance, why in cases:
        wanted = von_mises_of(solid.element_stresses(full.rest(None if nodal is None else nodal.ravel(), frame)))
        eta = _at_rest(body, nodal, np.zeros(6) if frame is None else frame)
        assert body.mesh is not None
        got = von_mises(stress_modes(body.mesh).elements @ eta)
        yield Check(f"{label}: error [–]", _off(got, wanted), 0.0, tolerance, FULL, why)
    step, count = SHOCK / 200.0, 400

    def force(t: float) -> np.ndarray:
        return np.array([FORCE * np.sin(np.pi * min(t / SHOCK, 1.0)), 0, 0, 0, 0, 0])

    moved = full.shaken(force, step, count)
    wanted = np.array([von_mises_of(solid.element_stresses(u)) for u in moved[:, ::4].T])
    for modes in (6, 24):
        run = fm.simulate(shaken(_reduced(modes)), step * count, step=step, progress=False)
        track = run.at(4.0 * step * np.arange(count // 4 + 1))["bracket.von_mises"]
        got = np.array([track.elements(k) for k in range(len(track.t))])
        peak = abs(got.max() / wanted.max() - 1.0)
        why = "1 %: modes left out, and steps of both"
        yield Check(f"half-sine on B, {modes} modes: largest stress, error [–]", peak, 0.0, 1e-2, FULL, why)


def moving_rod() -> fm.PlanarModel:
    """The slider-crank of the example with its solid rod, and what inertia does to the rod in the basis."""
    import skfem

    x, y = np.linspace(0.0, example.ROD, 25), np.array([-0.5, 0.5]) * HEIGHT
    material = fm.Material(example.ROD_MASS / (example.ROD * HEIGHT * THICKNESS), 1e6 / (HEIGHT * THICKNESS), 0.0)
    ends = {name: bodies.on_plane((s, 0.0), (1, 0)) for name, s in (("near", 0.0), ("far", example.ROD))}
    middle = {"middle": bodies.Tie(bodies.on_plane((0.5 * example.ROD, 0.0), (1, 0)), average=True)}
    how = bodies.Reduction(inertia_loads=True, spin_loads=True, progress=False)
    reduced = bodies.from_mesh(
        skfem.MeshQuad.init_tensor(x, y), material, interfaces=ends, followers=middle, modes=4, thickness=THICKNESS,
        reduction=how,
    )  # fmt: skip
    return slider_crank(reduced)


def _beam_rod() -> fm.PlanarModel:
    """The same slider-crank with a rod of eight beams of component modes."""
    model = fm.PlanarModel("slider-crank of a beam")
    foot, far = 0.5 * example.CRANK, example.CRANK + example.ROD
    crank = model.add_body(
        "crank", mass=example.CRANK_MASS, inertia=example.CRANK_MASS * example.CRANK**2 / 12, position=(foot, 0.0)
    )
    slider = model.add_body("slider", mass=example.SLIDER_MASS, inertia=1e-4, position=(far, 0.0))
    E = 1e6 / (HEIGHT * THICKNESS)
    EI = E * THICKNESS * HEIGHT**3 / 12.0
    properties = fm.planar.BeamProperties(EA=1e6, EI=EI, rhoA=example.ROD_MASS / example.ROD)
    rod = model.add_beam("rod", (example.CRANK, 0.0), (far, 0.0), properties=properties, elements=8)
    model.revolute(model.ground, crank.attach("foot", (-foot, 0.0)), name="foot")
    model.prismatic(model.ground, slider, name="guide")
    model.revolute(crank.attach("top", (foot, 0.0)), rod.start, name="elbow")
    model.revolute(rod.end, slider, name="pin")
    model.drive_angle(model.ground, crank, example.DRIVE, name="motor")
    return model


@case("stress-in-motion", draw=moving_rod)
def in_motion() -> Iterator[Record]:
    """stresses of the solid rod of a slider-crank: force through a cut and momentum, fibers and beam theory, bending
    and a rod of component modes"""
    end = 1.5 * example.SPIN_UP
    run = fm.simulate(moving_rod(), end, step=1e-4, progress=False)
    half = 0.5 * example.ROD
    force, moment = run.section_force("rod", (half, 0.0), (1, 0), axes="body")
    # d'Alembert: what acts on the far half changes its momentum, Simpson's sum over the nodes on the axis of the rod
    mesh = next(deforming(run))
    x, y = mesh.shown.given(mesh.shown.nodes).T
    axis = np.flatnonzero((np.abs(y) < 1e-9) & (x > half - 1e-9))
    axis = axis[np.argsort(x[axis])]
    velocity = np.stack([mesh.velocities(k)[axis] for k in range(len(run.t))])
    momentum = example.ROD_MASS / example.ROD * simpson(velocity, x=x[axis], axis=1)
    ground, _ = run.section_force("rod", (half, 0.0), (1, 0))
    wanted = -run.reaction("pin")[0] - np.gradient(momentum, run.t, axis=0)  # the slider's force is one more
    off = float(np.max(np.abs(ground - wanted)[2:-2]) / np.max(np.abs(wanted)))
    why = "0.5 %: rates by differences over 0.1 ms"
    yield Check("force through the middle and momentum of a half, relative [–]", off, 0.0, 5e-3, "d'Alembert", why)
    area, second = HEIGHT * THICKNESS, THICKNESS * HEIGHT**3 / 12.0
    stress = run["rod.stress_xx"]
    for label, y in (("upper", 0.5 * HEIGHT), ("lower", -0.5 * HEIGHT)):
        wanted = force[:, 0] / area - moment * y / second
        off = float(np.max(np.abs(stress.at((half, y)) - wanted)) / np.max(np.abs(wanted)))
        why = "0.5 %: means of elements at the nodes"
        yield Check(f"stress of the {label} fiber, relative [–]", off, 0.0, 5e-3, "N/A − M y/I of the same cut", why)
    beam = fm.simulate(_beam_rod(), end, step=1e-4, progress=False)
    wanted = -beam["rod@0.5.bending_moment"] * 0.5 * HEIGHT / second
    bent = 0.5 * (stress.at((half, 0.5 * HEIGHT)) - stress.at((half, -0.5 * HEIGHT)))
    off = float(np.max(np.abs(bent - wanted)) / np.max(np.abs(wanted)))
    why = "0.5 %: modes of both, and shear and inertia of sections, which the beam has not"
    yield Check("bending stress of the middle, relative [–]", off, 0.0, 5e-3, "rod of 8 CMS elements", why)


INNER, OUTER, SPEED = 0.1, 0.3, 100.0
STEEL = fm.Material(density=7850.0, youngs_modulus=205e9, poissons_ratio=0.3)


@cache
def _ring(radial: int = 14, around: int = 64) -> bodies.ReducedBody:
    """A thin ring of curved nine-node elements in plane stress; its hub follows the inner edge on average."""
    import skfem

    r, turn = np.geomspace(INNER, OUTER, radial + 1), 2.0 * np.pi * np.arange(around) / around
    corners = np.array([[x * np.cos(s), x * np.sin(s)] for s in turn for x in r]).T
    number = np.arange(around * (radial + 1)).reshape(around, -1)
    after = np.roll(number, -1, axis=0)
    quads = np.stack([number[:, :-1], number[:, 1:], after[:, 1:], after[:, :-1]]).reshape(4, -1)
    straight = skfem.MeshQuad2.from_mesh(skfem.MeshQuad(corners, quads))
    places = straight.doflocs.copy()
    steps = np.arctan2(places[1], places[0]) / (2.0 * np.pi / around)
    between = np.abs(steps - np.round(steps)) > 0.25
    places[:, between] /= np.cos(np.pi / around)  # middle nodes onto their circles
    mesh = skfem.MeshQuad2(places, straight.t)
    hub = {"hub": bodies.Tie(bodies.on_cylinder((0, 0), None, INNER), average=True)}
    how = bodies.Reduction(spin_loads=True, progress=False)
    rim = {"rim": bodies.Tie(bodies.nearest((OUTER, 0.0), 5), average=True)}
    return bodies.from_mesh(mesh, STEEL, interfaces=hub, followers=rim, modes=4, thickness=0.01, reduction=how)


def spinning_ring() -> fm.PlanarModel:
    """The ring on a hinge that a motor turns."""
    model = fm.PlanarModel("spinning ring")
    ring = model.add_modal_body("ring", _ring())
    ring.at("rim").enter()
    axle = model.ground.attach("axle", ring.at("hub").position)
    model.revolute(axle, ring.at("hub"), name="hinge")
    model.drive_angle(axle, ring.at("hub"), fm.Polynomial([0.0, SPEED]), name="motor")
    return model


#: radial displacements [mm] by CalculiX, its test disk2, of a ring of 1 mm width between 1 and 2 mm at 1000 rad/s:
#: (radius, place along the axis from the middle) [mm]
CALCULIX = {(1.0, 0.0): 1.299631e-7, (1.0, 0.5): 1.274128e-7, (1.5, 0.0): 1.201500e-7, (2.0, 0.5): 1.113627e-7}


@cache
def _thick_ring() -> bodies.ReducedBody:
    """The ring of CalculiX's test as bricks."""
    import skfem

    around, r, z = 32, np.linspace(1e-3, 2e-3, 3), np.linspace(-0.5e-3, 0.5e-3, 3)
    turn = np.linspace(0.0, 2.0 * np.pi, around + 1)
    block = skfem.MeshHex.init_tensor(turn, r, z)
    s, x, height = block.p
    places = np.stack([x * np.cos(s), x * np.sin(s), height])
    _, first, back = np.unique(places.round(9), axis=1, return_index=True, return_inverse=True)
    straight = skfem.MeshHex2.from_mesh(skfem.MeshHex(places[:, first], np.reshape(back, -1)[block.t]))
    curved = straight.doflocs.copy()
    steps = np.arctan2(curved[1], curved[0]) / (2.0 * np.pi / around)
    between = np.abs(steps - np.round(steps)) > 0.25
    curved[:2, between] /= np.cos(np.pi / around)
    mesh = skfem.MeshHex2(curved, straight.t)
    hub = {"hub": bodies.Tie(bodies.on_cylinder((0, 0, 0), (0, 0, 1), 1e-3), average=True)}
    how = bodies.Reduction(spin_loads=True, estimate=False, progress=False)
    material = fm.Material(density=7800.0, youngs_modulus=2.1e11, poissons_ratio=0.3)
    return bodies.from_mesh(mesh, material, interfaces=hub, modes=0, reduction=how)


@case("spinning-disc", draw=spinning_ring)
def disc() -> Iterator[Record]:
    """stresses of a flat ring that spins, and the growth of a thick one by another program"""
    turning = fm.equilibrium(spinning_ring(), spin=SPEED).solution
    r = np.geomspace(INNER, OUTER, 15)  # corners of elements
    radial, hoop = spinning_annulus(r, INNER, OUTER, STEEL.poissons_ratio, STEEL.density * SPEED**2)
    largest, why = float(np.max(hoop)), "0.1 % of the largest: 14 elements across the ring"
    source = "Timoshenko and Goodier (1951)"
    for label, wanted, what in (("radial", radial, "stress_xx"), ("hoop", hoop, "stress_yy")):
        track = turning[f"ring.{what}"]
        got = np.array([float(track.at((x, 0.0))[0]) for x in r])
        off = float(np.max(np.abs(got - wanted)) / largest)
        yield Check(f"{label} stress, error relative to the largest [–]", off, 0.0, 1e-3, source, why)
    peak = turning["ring.von_mises"].max()
    yield Check("largest stress of von Mises [MPa]", peak / 1e6, largest / 1e6, 1e-3 * largest / 1e6, source, why)
    body = _thick_ring()
    mesh = body.mesh
    assert mesh is not None
    # −ω̃ω̃X in the products of mass: the load of ω_z² on each mode
    work = 1e6 * np.einsum("kii->k", body.products[0, 1 : 1 + body.modes, :2, :2])
    moved = mesh.shapes @ (work / body.stiffness)
    for (radius, height), growth in CALCULIX.items():
        node = int(np.argmin(np.linalg.norm(mesh.nodes - [1e-3 * radius, 0.0, 1e-3 * height], axis=1)))
        grown = 1e3 * float(moved[node, 0])
        label = f"growth of a thick ring at {radius:g} mm, {height:g} mm along the axis [mm]"
        why = "0.5 %: coarse meshes of both, of different elements"
        yield Check(label, grown, growth, 5e-3 * growth, "CalculiX, its test disk2", why)
