"""Eight principles of mechanics, and that of Gibbs and Appell, on six mechanisms: identical equations, and those of
flexmb.

Likins (1974) compares them on a rigid body (A-1), a sphere that rolls (A-2), three bodies with elastic hinges (A-3),
bodies in a tree (A-4), an elastic body (B-1) and one on a rigid body (B-2), of which Ohkami et al. (1985) tell. The
figures of A-3 to B-2 are lost, and with them their numbers, so that these have numbers of their own. Rows are compared
for speeds and accelerations of chance, which are no motion, with thirty digits, of which 25 are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.errors import MissingExtraError
from flexmb.validation.references import principles
from flexmb.validation.registry import Check, case
from flexmb.validation.survey_tables import ANGLES, INERTIAS, LENGTHS, MASSES, SPEEDS, TORQUES, arm

THIRTY = "thirty digits"


def three_bodies() -> fm.PlanarModel:
    """A-3 as a model: a center, and a side on each end by a hinge with a spring."""
    given, m = principles.THREE, fm.PlanarModel("three bodies")
    center = m.add_body("center", mass=given["m0"], inertia=given["I0"])
    for side, name in ((1, "right"), (-1, "left")):
        far = given["R"] + given["d"]
        body = m.add_body(name, mass=given["m"], inertia=given["I"], position=(side * far, 0))
        ends = center.attach(name, (side * given["R"], 0)), body.attach("inner", (-side * given["d"], 0))
        m.revolute(*ends, name=f"hinge {name}")
        m.torsion_spring(*ends, stiffness=given["k"], name=f"spring {name}")
    return m


def state(count: int) -> tuple[list[float], list[float], list[float]]:
    """Coordinates, speeds and accelerations of chance, of three digits."""
    rng = np.random.default_rng(count)
    x, v, a = ([round(float(y), 3) for y in rng.normal(size=count)] for _ in range(3))
    return x, v, a


def same_rows(label: str, one: principles.Particles, Y: Any, W: Any) -> Iterator[Check]:
    """All principles for independent coordinates: ①, ④, ⑧ as they are; ③, ⑥ and Gibbs and Appell as Wᵀ ④."""
    given = state(len(one.q))

    def numbers(rows: Any) -> np.ndarray:
        return one.numbers(rows, *given)

    lagrange = numbers(one.lagrange())
    for name, rows in (("① D'Alembert and Lagrange", one.dalembert()), ("⑧ Hamilton", one.hamilton())):
        off = principles.apart(numbers(rows), lagrange)
        yield Check(f"{label}: {name}, relative difference", off, 0.0, 1e-25, "④ Lagrange", THIRTY)
    kane = numbers(one.kane(W))
    off = principles.apart(kane, principles.product(numbers(W), lagrange))
    yield Check(f"{label}: ③ Kane, relative difference", off, 0.0, 1e-25, "Wᵀ times ④", THIRTY)
    others = ("⑥ Boltzmann and Hamel", one.boltzmann_hamel(Y, W)), ("Gibbs and Appell", one.gibbs_appell(W))
    for name, rows in others:
        off = principles.apart(numbers(rows), kane)
        yield Check(f"{label}: {name}, relative difference", off, 0.0, 1e-25, "③ Kane", THIRTY)


def rigid_body() -> Iterator[Check]:
    """A-1."""
    one, Y, W, arms = principles.rigid_body()
    yield from same_rows("A-1, a rigid body", one, Y, W)
    given = state(3)
    euler = one.numbers(principles.newton_euler(one, arms), *given)
    off = principles.apart(one.numbers(one.kane(W), *given), euler)
    yield Check("A-1, a rigid body: ③ Kane, relative difference", off, 0.0, 1e-25, "Newton and Euler", THIRTY)


def sphere() -> Iterator[Check]:
    """A-2, with ②, ⑤ and ⑦ for constraints."""
    one, Y, W = principles.sphere()
    label = "A-2, a rolling sphere"
    yield from same_rows(label, one, Y, W)
    given = state(5)
    lagrange, free = one.numbers(one.lagrange(), *given), one.numbers(one.free_rates([0, 1]), *given)
    constrained = one.numbers(one.dalembert_constrained([0, 1]), *given)
    # where λ is a force along rows that the free rates obey, it has no part in their projections
    for name, rows in (("⑤ Lagrange", lagrange), ("⑦ Hamilton", one.numbers(one.hamilton(), *given))):
        off = principles.apart(constrained, principles.product(free, rows))
        what = f"{label}: ② D'Alembert and Lagrange, relative difference"
        yield Check(what, off, 0.0, 1e-25, f"{name} without λ", THIRTY)
    yield from sphere_by_flexmb(one, W, label)


def sphere_by_flexmb(one: principles.Particles, W: Any, label: str) -> Iterator[Check]:
    """(m + I/r²) v̇ = F + (T × n)/r, against Kane's rows and the formulations that take rolling."""
    q = [0.1, -0.2, 0.4, 0.3, -0.5]
    omega = np.array([0.7, -0.4, 0.2, 0.0, 0.0])
    still = [0.0] * 5
    rates = np.array(one.numbers(W, q, still, still), dtype=float) @ omega
    A = np.array(one.numbers(principles.turned(one.q[2:]), q, still, still), dtype=float)
    F, T = np.zeros(3), np.zeros(3)
    for k in range(3):
        for sign in (1, -1):
            force = np.array([float(x) for x in principles.sphere_force(k, sign)])
            F += force
            T += np.cross(A[:, k] * sign * principles.RADIUS * np.sqrt(0.6), force)
    r, m, inertia = principles.RADIUS, principles.MASS, principles.INERTIA
    known = (F + np.cross(T, [0.0, 0.0, 1.0]) / r)[:2] / (m + inertia / r**2)
    # of Kane: rows of ω are linear in q̈ = W u̇ + Ẇ u, with u̇ of ω alone
    turn = known[::-1] * np.array([-1.0, 1.0]) / r
    spin = T[2] / inertia
    into = np.array([turn[0], turn[1], spin, 0.0, 0.0])
    Wd = np.array(one.numbers(one.rate(W) * one.sp.Matrix(omega.tolist()), q, rates, still), dtype=float).ravel()
    second = np.array(one.numbers(W, q, still, still), dtype=float) @ into + Wd
    rows = np.array(one.numbers(one.kane(W), q, rates, second), dtype=float)[:3]
    source = "Newton and Euler in closed form"
    yield Check(f"{label}: ③ Kane's rows of ω [Nm]", float(np.max(np.abs(rows))), 0.0, 1e-13, source, "rounding")
    model = fm.SpatialModel("sphere")
    ball = model.add_body("ball", mass=m, inertia=(inertia,) * 3, position=(q[0], q[1], r))
    model.rolling_sphere(model.ground, ball.frame, radius=r, name="contact")
    tree = fm.Tree.of(model)
    x = tree.start()[0]
    u = np.array([r * omega[1], -r * omega[0], 0.0, *omega[:3]])
    for name in ("kane", "discos"):
        vdot = fm.formulation(tree, name)(x, u, None, np.array([[*T, F[0], F[1], 0.0]]))
        for axis, got, wanted in zip("xy", vdot, known):
            yield Check(f"{label}: {name}, v̇_{axis} [m/s²]", float(got), float(wanted), 1e-12, source, "rounding")


def vibration() -> Iterator[Check]:
    """A-3."""
    one = principles.three_bodies()
    identity = one.sp.eye(5)
    yield from same_rows("A-3, three bodies", one, identity, identity)
    zero = dict.fromkeys([*one.q, *one.rates, *one.second], 0)
    known = principles.frequencies()
    for name, rows in (
        ("④ Lagrange", one.lagrange()),
        ("⑧ Hamilton", one.hamilton()),
        ("③ Kane", one.kane(identity)),
    ):
        M, K = (np.array(rows.jacobian(by).subs(zero), dtype=float) for by in (one.second, one.q))
        found = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)[3:]
        for got, wanted in zip(found, known):
            what = f"A-3, three bodies: {name}, ω² [rad²/s²]"
            yield Check(what, float(got), wanted, 1e-12, "closed form", "rounding")
    modes = fm.modes(three_bodies(), 5)
    found = np.sort((2.0 * np.pi * np.asarray(modes.frequencies)) ** 2)[-2:]
    for got, wanted in zip(found, known):
        yield Check("A-3, three bodies: fm.modes, ω² [rad²/s²]", float(got), wanted, 1e-9, "closed form", "rounding")


def tree() -> Iterator[Check]:
    """A-4: what formulations find makes the rows of the principles zero."""
    one = principles.two_links(LENGTHS, MASSES, INERTIAS, TORQUES)
    sp = one.sp
    Y = sp.Matrix([[1, 0], [1, 1]])
    yield from same_rows("A-4, two links", one, Y, Y.inv())
    for name in ("hooker-1970", "roberson-wittenburg", "kane", "jerkovsky"):
        vdot = fm.formulation(arm(), name)(ANGLES, SPEEDS, TORQUES)
        rows = np.array(one.numbers(one.lagrange(), ANGLES, SPEEDS, vdot), dtype=float)
        off = float(np.max(np.abs(rows)))
        yield Check(f"A-4, two links: {name} in ④ Lagrange [Nm]", off, 0.0, 1e-13, "④ Lagrange", "rounding")


def elastic() -> Iterator[Check]:
    """B-1 and B-2, with F = m a and M = Ḣ about the mass center."""
    for label, hinged in (("B-1, an elastic body", False), ("B-2, rigid and elastic bodies", True)):
        one, Y, W = principles.elastic_body(hinged)
        yield from same_rows(label, one, Y, W)
        given = state(len(one.q))
        whole = one.numbers(principles.about_center(one), *given)
        off = principles.apart(one.numbers(one.kane(W), *given)[:3], whole)
        yield Check(f"{label}: ③ Kane, relative difference", off, 0.0, 1e-25, "F = m a and M = Ḣ", THIRTY)


@case("principles", draw=three_bodies)
def compute() -> Iterator[Check]:
    """eight principles of mechanics and that of Gibbs and Appell on six mechanisms, by SymPy: the same rows, and those
    of flexmb"""
    try:
        principles.sympy()
    except ImportError:
        raise MissingExtraError(
            "principles of mechanics: SymPy is not installed; pip install 'flexmb[symbolic]'"
        ) from None
    yield from rigid_body()
    yield from sphere()
    yield from vibration()
    yield from tree()
    yield from elastic()
