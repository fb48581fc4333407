"""All kinds of masses in central gravity by all formulations: each gives the engine's accelerations or refuses by name.

Accelerations are those of one state, with a hinge that turns. The engine itself, in absolute coordinates, is held to
its mass matrix: in a field that is linear over a craft, a = G x, the force changes by −M G where all is shifted, and
the moment about the origin is 3 k n × J n, with the mass M and the inertia J of rigid motions in the mass matrix. A
field differs from a linear one by 3 |x|/ρ of that, 1e-6 over the 2.3 m in which all is.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmb as fm
import flexmb.elements
import flexmb.feedback
import flexmb.forces
import flexmb.joints
from flexmb.algebra.factors import dense
from flexmb.elements.spatial import Beam
from flexmb.elements.spatial.offset_mass import SpatialMass
from flexmb.errors import FlexmbError
from flexmb.examples import robots
from flexmb.formulations.papers import NAMES
from flexmb.kernels.blocks import MODAL
from flexmb.model.components import Component
from flexmb.validation.agreement import velocities
from tests.models.own_masses import Attracted
from tests.models.particles import Particles

#: an orbit about which bodies of a metre are large, and one about which fields are linear
SMALL = fm.spatial.CentralGravity(50.0, (6.0, 2.0, -4.0), (0.5, 2.0, 0.8))
LARGE = fm.spatial.CentralGravity(3.986004418e14, (4.2e6, 5.6e6, 0), (-5e3, 3.75e3, 4e3))
GIVEN: dict[str, Any] = {"EA": 2e3, "EIy": 20.0, "EIz": 20.0, "GJ": 15.0, "rhoA": 0.8}
SECTION = fm.spatial.BeamProperties(**GIVEN, rhoIp=0.03, rhoIy=0.01, rhoIz=0.02, GAy=1e5, GAz=1e5)
CABLE = fm.spatial.BeamProperties(**GIVEN)
ARC = fm.Polyline(((0.6, 1.2, 0.3), (0.9, 1.2, 0.5), (1.1, 1.5, 0.4)), fillet=0.1)


def craft(gravity: Any) -> tuple[Any, Any, Any]:
    """A hull that floats with an arm on a hinge, and the tip of the arm, at which kinds of masses stand."""
    m = fm.SpatialModel("craft", gravity=gravity)
    hull = m.add_body("hull", mass=4.0, inertia=(1.8, 2.2, 2.0), position=(0.1, 0.2, 0.3))
    arm = m.add_body("arm", mass=1.0, inertia=(0.1, 0.2, 0.15), position=(0.1, 1.2, 0.3))
    m.revolute(hull.attach("h", (0, 0.5, 0)), arm.attach("g", (0, -0.5, 0)), axis="z", name="hinge")
    return m, hull, arm.attach("tip", (0.5, 0, 0))


def beam(theory: str, curved: bool = False, **options: Any) -> Callable[..., None]:
    def add(m: Any, hull: Any, tip: Any) -> None:
        given = CABLE if theory == "ancf" else SECTION
        where = {"start": tip, "axis": ARC} if curved else {"start": tip, "end": (1.4, 1.3, 0.5)}
        m.add_beam("part", **where, properties=given, theory=theory, y_axis=(0, 0, 1), **options)

    return add


def modal(field: str) -> Callable[..., None]:
    def add(m: Any, hull: Any, tip: Any) -> None:
        body = m.add_modal_body("part", Particles.random(seed=3).reduced(), (0.4, 1.2, 0.6), field=field)
        m.spherical(tip, body.frame.attach("on", (0.2, 0, -0.3)), name="ball")

    return add


def rigid(m: Any, hull: Any, tip: Any) -> None:
    body = m.add_body("part", mass=1.5, inertia=(0.2, 0.3, 0.25), center=(0.1, 0.2, 0), position=(0.6, 1.2, 0.3))
    m.universal(tip, body.frame, axis="x", axis_b="y", name="cross")


def tank(m: Any, hull: Any, tip: Any) -> None:
    m.add_tank("part", tip, 2.0)


def own(m: Any, hull: Any, tip: Any) -> None:
    body = m.add_body("carrier", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(0.6, 1.2, 0.3))
    m.revolute(tip, body.frame, axis="y", name="pin")
    m.add(Attracted(body.frame, "part"))


def motor(m: Any, hull: Any, tip: Any) -> None:
    m.motor(hull.frame, m.frame("arm"), axis="z", inertia=0.3, ratio=5.0, stiffness=20.0, torque=0.2, name="part")


#: what puts one more mass, "part", on the craft
KINDS: dict[str, Callable[..., None]] = {
    "rigid body": rigid,
    "rigid body off its node": lambda m, hull, tip: m.add_body(
        "part", mass=1.5, inertia=(0.2, 0.3, 0.25), center=(0.1, -0.2, 0.3), frame=tip
    ),
    "point mass": lambda m, hull, tip: m.add_point_mass("part", tip, 0.7),
    "wheel": lambda m, hull, tip: m.add_wheel("part", tip, inertia=0.3, axis="y", speed=4.0, mass=0.4, transverse=0.2),
    "reaction wheel": lambda m, hull, tip: m.add_wheel("part", tip, inertia=0.3, axis="y", speed=4.0, torque=0.3),
    "motor": motor,
    "beam: cms": beam("cms"),
    "beam: exact": beam("exact", elements=2),
    "beam: ancf": beam("ancf", elements=2),
    "beam: floating": beam("floating"),
    "beam: exact, curved": beam("exact", True, elements=12),
    "modal body: linear": modal("linear"),
    "modal body: quadratic": modal("quadratic"),
    "tank": tank,
    "of a user's own": own,
}


def made(kind: str, gravity: Any) -> Any:
    if kind == "flexible link":
        given = fm.FlexibleLink.beam(fm.Material(7850, 205e9), fm.Tube(outer_diameter=0.05, inner_diameter=0.044))
        joints: dict[str, Any] = {"positions": {"joint2": 0.4, "joint3": 0.9}, "rates": {"joint1": 1.0, "joint2": -0.5}}
        m = fm.read_urdf(robots.folder() / "six_joints.urdf", flexible={"upper": given}, meshes=False, **joints)
        m.gravity = gravity
        return m
    m, hull, tip = craft(gravity)
    KINDS[kind](m, hull, tip)
    return m


ALL = [*KINDS, "flexible link"]
#: what is refused whole, and what the message says
REFUSED = {"tank": "tank 'part' loses mass, which a central gravity does not know"}
#: what refusals name of a mechanism that is not the craft
NAMED = {"flexible link": "upper"}
#: classical formulations that take wheels with angles of their own, and modes of one frame; the rest takes rigid bodies
TURNING = {"frisch", "discos", "likins-1974"}
MODAL_ONES = set(NAMES) - {"roberson-wittenburg", "hooker-margulies", "hooker-1970", "jerkovsky"}
TAKEN: dict[str, set[str]] = {
    "reaction wheel": TURNING,
    "motor": TURNING,
    "beam: floating": MODAL_ONES,
    "modal body: linear": MODAL_ONES,
    "modal body: quadratic": MODAL_ONES,
    "beam: cms": set(),
    "beam: exact": set(),
    "beam: ancf": set(),
    "beam: exact, curved": set(),
    "flexible link": set(),
}


def accelerations(m: Any, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Those of the engine in absolute coordinates, M a + Gᵀ λ = −f, G a = γ, where rows may repeat others."""
    system, zero = fm.System(m), np.zeros_like(v)
    M, G = (dense(x) for x in (system.mass_matrix(t, q), system.jacobian(t, q)))
    A = np.block([[M, G.T], [G, np.zeros((len(G), len(G)))]])
    unit = np.concatenate([1.0 / np.sqrt(np.diag(M) + 1e-9 * np.max(np.diag(M))), np.ones(len(G))])
    right = np.concatenate([-system.residual(t, q, v, zero), system.constraint(t, q, v)[2]]) * unit
    A, found = A * unit * unit[:, None], np.zeros(len(A))
    for _ in range(2):
        found += np.linalg.lstsq(A, right - A @ found, rcond=1e-13)[0]
    return (unit * found)[: len(v)]


def rigid_motions(m: Any) -> tuple[np.ndarray, np.ndarray]:
    """The speeds (n, 3) of shifts along the axes and of turns about these at the origin, less those of wheels."""
    found = []
    for motion in [np.zeros(6), *np.eye(6)]:
        m.set_rigid_motion(motion[:3], motion[3:], about=(0, 0, 0))
        found.append(fm.System(m).v0)
    moving = np.array(found[1:]) - found[0]
    return moving[:3].T, moving[3:].T


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in REFUSED])
def test_the_engine_attracts_each_mass_by_its_mass_matrix(kind: str) -> None:
    m = made(kind, LARGE)
    shift, turn = rigid_motions(m)
    system = fm.System(m)
    q, still = system.q0, np.zeros(system.n)
    M = dense(system.mass_matrix(0.0, q))
    mass = shift.T @ M @ shift
    np.testing.assert_allclose(mass, mass[0, 0] * np.eye(3), rtol=1e-12, atol=1e-12)

    moved = [q.copy() for _ in range(6)]
    for k in range(3):
        moved[k][: system.n] += shift[:, k]
        moved[3 + k][: system.n] -= shift[:, k]
    pushed = [-shift.T @ system.residual(0.0, x, still, still) for x in moved]
    G = LARGE.gradient(0.0, (0, 0, 0))
    change = np.array([0.5 * (pushed[k] - pushed[3 + k]) for k in range(3)])
    np.testing.assert_allclose(change, mass[0, 0] * G, atol=1e-6 * mass[0, 0] * np.abs(G).max())
    n = LARGE.position / np.linalg.norm(LARGE.position)
    J = turn.T @ M @ turn
    wanted = 3.0 * LARGE.mu / np.linalg.norm(LARGE.position) ** 3 * np.cross(n, J @ n)
    found = -turn.T @ system.residual(0.0, q, still, still)
    np.testing.assert_allclose(found, wanted, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize("formulation", ["aba", "lagrange"])
@pytest.mark.parametrize("kind", ALL)
def test_joint_coordinates_have_the_accelerations_of_the_engine(kind: str, formulation: str) -> None:
    """After a few steps of a run, where the rates are those of the formulation and the field has moved on."""
    m = made(kind, SMALL)
    start: dict[str, Any] = {"formulation": formulation, "progress": False}
    if kind in REFUSED:
        with pytest.raises(FlexmbError, match=REFUSED[kind]):
            fm.simulate(m, 1e-3, "dop853", **start)
        return
    run = fm.simulate(m, 1e-3, "dop853", **start)
    wanted = accelerations(m, run.t[-1], run.q[-1], run.v[-1])
    np.testing.assert_allclose(run.a[-1], wanted, atol=1e-11 * np.abs(wanted).max())


def one_way(tree: Any, x: np.ndarray, t: float) -> np.ndarray:
    """Rates of all speeds at rest, undeformed, where hinges move as of a rigid mechanism and shapes follow them."""
    system, state = tree.system, tree.state(x)
    still = np.zeros(system.n)
    J = velocities(tree, x)
    M = J.T @ dense(system.mass_matrix(t, state.q)) @ J
    f = J.T @ system.residual(t, state.q, still, still)
    bends = np.any(J[system.assembly.free.mask(MODAL)] != 0.0, axis=0)
    found = np.zeros(tree.nv)
    found[~bends] = np.linalg.solve(M[np.ix_(~bends, ~bends)], -f[~bends])
    found[bends] = np.linalg.solve(M[np.ix_(bends, bends)], -(f + M @ found)[bends])
    return found


@pytest.mark.parametrize("kind", ALL)
def test_classical_formulations_have_them_or_say_which_part_they_do_not_take(kind: str) -> None:
    m = made(kind, SMALL)
    if kind in REFUSED:
        with pytest.raises(FlexmbError, match=REFUSED[kind]):
            fm.Tree.of(m)
        return
    tree, t = fm.Tree.of(m), 0.3
    x, u = tree.start()
    u = u + 0.1 * np.arange(1.0, 1.0 + tree.nv)
    state = tree.state(x, u, t=t)
    wanted, taken = accelerations(m, t, state.q, state.v), set()
    bends = bool(np.any(tree.system.assembly.free.mask(MODAL)))
    for name in NAMES:
        try:
            solve: Any = fm.formulation(tree, name)
        except FlexmbError as refusal:
            assert re.search(f"'{NAMED.get(kind, '(part|ball|cross)')}", str(refusal)), (name, refusal)
            continue
        taken.add(name)
        if name == "ho" and bends:  # Ho and Herber: hinges do not see what bends
            rates, known = solve(x, 0.0 * u, t=t), one_way(tree, x, t)
            assert np.abs(rates - known).max() < 1e-6 * np.abs(known).max()
            continue
        found = tree.state(x, u, solve(x, u, t=t)).a
        assert np.abs(found - wanted).max() < 1e-10 * np.abs(wanted).max(), name
    assert taken == TAKEN.get(kind, set(NAMES))


def test_every_kind_of_component_that_is_attracted_is_in_the_table() -> None:
    """A new kind of mass has a method `attraction`, without which it is refused, and so is missed here."""
    for room in (flexmb.elements, flexmb.forces, flexmb.joints, flexmb.feedback):
        for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(found.name)
    known, every = set(), set(Component.__subclasses__())
    while more := {one for of in every for one in of.__subclasses__()} - every:
        every |= more
    for kind in KINDS:
        m, hull, tip = craft((0, 0, 0))
        KINDS[kind](m, hull, tip)
        known |= {type(part) for part in m.components.values()}
    ours = {one for one in every if one.__module__.startswith("flexmb.") and one.attraction is not Component.attraction}
    assert len(ours) > 8
    bases = {SpatialMass, Beam}  # which share what masses on a node and beams of all theories have
    left = {one.__name__ for one in ours - known - bases}
    assert not left, f"give kinds of masses in KINDS that are or contain {', '.join(sorted(left))}"
