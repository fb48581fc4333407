"""Dynamic stiffening of solids: a reduced body of finite elements that a hub spins up beyond its first frequency."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import flexmb as fm
from flexmb import bodies
from flexmb.validation.references import spin_up as flat
from flexmb.validation.references import spin_up_space as reference
from flexmb.validation.references.spin_up import amplitude, largest
from flexmb.validation.registry import Check, case

#: a rectangle in plane stress, and a square of bricks, with the EI, EA and ρA of the spin-up
HEIGHT, THICKNESS = 0.0367578, 0.0198547
SIDE, DENSITY = 0.0315121, 2033.606
ELEMENTS, BRICKS, STEP = 60, 40, 0.01
ROOT, TIP = bodies.on_plane((0, 0), (1, 0)), bodies.on_plane((flat.LENGTH, 0), (1, 0))


def blade(modes: int = 3, **options: Any) -> bodies.ReducedBody:
    """The blade of 60 nine-node elements, its root tied to an interface."""
    import skfem

    x, y = np.linspace(0.0, flat.LENGTH, ELEMENTS + 1), np.array([-0.5, 0.5]) * HEIGHT
    material = fm.Material(flat.DENSITY, 6.8952e10, 0.0)
    return bodies.from_mesh(
        skfem.MeshQuad.init_tensor(x, y), material, interfaces={"root": ROOT}, followers={"tip": TIP}, modes=modes,
        thickness=THICKNESS, reduction=bodies.Reduction(**options),
    )  # fmt: skip


def build(reduced: bodies.ReducedBody | None = None, **options: Any) -> fm.PlanarModel:
    """The blade on its driven hub."""
    model = fm.PlanarModel("spin-up of a solid")
    body = model.add_modal_body("blade", blade() if reduced is None else reduced, **options)
    model.revolute(model.ground, body.at("root"), name="hub")
    model.drive_angle(model.ground, body.at("root"), fm.SpinUp(flat.SPEED, flat.DURATION), name="motor")
    body.at("tip").enter()
    return model


def deflections(t_end: float = flat.T_END, step: float = STEP, **given: Any) -> tuple[np.ndarray, np.ndarray]:
    """Times (k,) and the deflection of the tip (k,) [m] in the axes of the hub."""
    run = fm.simulate(build(**given), t_end, step=step, progress=False)
    return run.t, run.relative("blade.tip", to="blade.root").position[:, 1]


def extrapolated(**given: Any) -> np.ndarray:
    """Largest deflection [m] and amplitude after 15 s [m], extrapolated from runs with two steps, of second order."""
    found = []
    for step in (STEP, 0.5 * STEP):
        t, w = deflections(step=step, **given)
        found.append([largest(t, w)[0], amplitude(t, w)])
    return (4.0 * np.array(found[1]) - np.array(found[0])) / 3.0


def bricks() -> bodies.ReducedBody:
    """The blade of 40 bricks of 27 nodes, with three modes in each plane."""
    import skfem

    x, across = np.linspace(0.0, reference.LENGTH, BRICKS + 1), np.array([-0.5, 0.5]) * SIDE
    material = fm.Material(DENSITY, reference.EI / (SIDE**4 / 12.0), 0.1)
    return bodies.from_mesh(
        skfem.MeshHex.init_tensor(x, across, across), material, modes=6,
        interfaces={"root": bodies.on_plane((0, 0, 0), (1, 0, 0))},
        followers={"tip": bodies.on_plane((reference.LENGTH, 0, 0), (1, 0, 0))},
    )  # fmt: skip


def build_in_space(reduced: bodies.ReducedBody, **options: Any) -> fm.SpatialModel:
    """The same in space, with a weight along the axis of the hub."""
    model = fm.SpatialModel("spin-up of a solid in space", gravity=(0.0, 0.0, reference.WEIGHT))
    body = model.add_modal_body("blade", reduced, **options)
    model.revolute(model.ground, body.at("root"), axis="z", name="hub")
    law = fm.SpinUp(reference.SPEED, reference.DURATION)
    model.drive_angle(model.ground, body.at("root"), law, axis="z", name="motor")
    body.at("tip").enter()
    return model


@case("fe-blade-spin-up", draw=build)
def compute() -> Iterator[Check]:
    """largest deflection of a blade of solid elements that is spun up: the quadratic field stiffens, linear ones fail

    The body stands in its mean frame, and one set of modes serves at every speed. What makes it stiff is the second
    order of its field, in six slave shapes; or, with a linear field, the geometric stiffness of unit loads: those of
    spin as they are, and the reaction of the root by the second order of its interface.
    """
    rod, part = "exact rod by polynomials; Exudyn's cable", 2e-3
    left = "0.2 %: left by three modes and a field of second order"
    w, late = extrapolated(reduced=blade())
    wanted = flat.REFERENCE_DEFLECTION
    yield Check("plane stress, mean frame, 3 modes: deflection [m]", w, wanted, part * abs(wanted), rod, left)
    wanted = flat.REFERENCE_AMPLITUDE
    yield Check("plane stress, mean frame, 3 modes: amplitude after 15 s [m]", late, wanted, 5e-3 * wanted, rod, left)
    for modes in (2, 3):
        given = blade(modes, field="unit-loads")
        w, late = extrapolated(reduced=given, field="linear", geometric_stiffness=True)
        wanted, label = flat.REFERENCE_DEFLECTION, f"plane stress, linear with unit loads, {modes} modes"
        left = "0.3 %: the loads of spin and of the root's reaction stiffen as the second order of the field does"
        yield Check(f"{label}: deflection [m]", w, wanted, 3e-3 * abs(wanted), rod, left)
        wanted = flat.REFERENCE_AMPLITUDE
        yield Check(f"{label}: amplitude after 15 s [m]", late, wanted, 5e-3 * wanted, rod, left)
    t, w = deflections(10.0, reduced=blade(reference="root"))
    left = "0.6 %: in the frame of the root the field is as good to a lower order"
    wanted = flat.REFERENCE_DEFLECTION
    yield Check(
        "plane stress, frame of the root: deflection [m]", largest(t, w)[0], wanted, 6e-3 * abs(wanted), rod, left
    )
    t, w = deflections(10.2, reduced=blade(), field="linear")
    apart = "CMS elements with the strain of their chord alone, whose field is linear too"
    chord = next(row for row in flat.CMS_ROWS if (row.axial, row.elements) == ("chord", 1)).deflection
    left = "bounded and wrong by 13 %: the body is as stiff as its chord"
    yield Check(
        "plane stress, linear, mean frame: deflection [m]", float(np.min(w)), chord, 0.03 * abs(chord), apart, left
    )
    t, w = deflections(10.2, reduced=blade(reference="root"), field="linear")
    what = "plane stress, linear, frame of the root: 1 if it is off by more than a length at 10.2 s"
    yield Check(what, float(abs(w[-1]) > flat.LENGTH), 1.0, 0.0, "Kobayashi (n.d.), fig. 3: it diverges", "yes or no")
    solid = bricks()
    times = np.linspace(0.0, 8.0, 401)
    run = fm.simulate(build_in_space(solid), 8.0, "radau", tolerance=1e-6, times=times, progress=False)
    lag, flap = run.relative("blade.tip", to="blade.root").position[:, 1:].T
    exact, left = reference.EXACT, "0.2 %: left by three modes a plane"
    for what, got, wanted in (("lag", lag, exact.lag), ("flap", flap, exact.flap)):
        about = f"bricks in space, 3 modes a plane: largest {what} [m]"
        yield Check(about, largest(run.t, got)[0], wanted, part * abs(wanted), "exact rod by polynomials", left)
