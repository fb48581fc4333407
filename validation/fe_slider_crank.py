"""A slider-crank whose rod is a solid of finite elements: against an exact rod, and with rods welded at both ends."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import flexmb as fm
from flexmb import bodies
from flexmb.examples import slider_crank as example
from flexmb.validation.registry import Check, case
from flexmb.validation.slider_crank import exact_bending

#: the rod of the example as a rectangle with its EA, EI and ρA
RHO_A, EA = example.ROD_MASS / example.ROD, 1e6
EI = (8.0 * example.SPEED) ** 2 * (example.ROD / np.pi) ** 4 * RHO_A
HEIGHT, THICKNESS = np.sqrt(12.0 * EI / EA), 0.01
T_END = 1.5 * example.SPIN_UP


def rod(modes: int = 4) -> bodies.ReducedBody:
    """The rod of 24 nine-node elements in plane stress, with interfaces at both ends and its middle."""
    import skfem

    x, y = np.linspace(0.0, example.ROD, 25), np.array([-0.5, 0.5]) * HEIGHT
    material = fm.Material(RHO_A / (HEIGHT * THICKNESS), EA / (HEIGHT * THICKNESS), 0.0)
    ends = {name: bodies.on_plane((s, 0.0), (1, 0)) for name, s in (("near", 0.0), ("far", example.ROD))}
    middle = {"middle": bodies.Tie(bodies.on_plane((0.5 * example.ROD, 0.0), (1, 0)), average=True)}
    return bodies.from_mesh(
        skfem.MeshQuad.init_tensor(x, y), material, interfaces=ends, followers=middle, modes=modes, thickness=THICKNESS
    )


def build(reduced: bodies.ReducedBody | None = None) -> fm.PlanarModel:
    """The driven mechanism of the example, its rod the solid."""
    model = fm.PlanarModel("slider-crank of a solid rod")
    crank = model.add_body(
        "crank", mass=example.CRANK_MASS, inertia=example.CRANK_MASS * example.CRANK**2 / 12,
        position=(0.5 * example.CRANK, 0.0),
    )  # fmt: skip
    far = example.CRANK + example.ROD
    slider = model.add_body("slider", mass=example.SLIDER_MASS, inertia=1e-4, position=(far, 0.0))
    body = model.add_modal_body("rod", rod() if reduced is None else reduced, (example.CRANK, 0.0))
    model.revolute(model.ground, crank.attach("foot", (-0.5 * example.CRANK, 0.0)), name="foot")
    model.prismatic(model.ground, slider, name="guide")
    model.revolute(crank.attach("top", (0.5 * example.CRANK, 0.0)), body.at("near"), name="elbow")
    model.revolute(body.at("far"), slider, name="pin")
    body.at("middle").enter()
    model.drive_angle(model.ground, crank, example.DRIVE, name="motor")
    return model


def bending(run: fm.Solution) -> np.ndarray:
    """Deflection (k,) [m] of the rod's middle across its chord."""
    start, end = run["rod.near"].position, run["rod.far"].position
    middle = run["rod.middle"].position - 0.5 * (start + end)
    chord = end - start
    return (chord[:, 0] * middle[:, 1] - chord[:, 1] * middle[:, 0]) / np.hypot(*chord.T)


def arm() -> fm.SpatialModel:
    """Two hubs in space with a strip of bricks welded between them: it bends, twists, and moments go through it."""
    import skfem

    sides = np.linspace(-0.02, 0.02, 2), np.linspace(-0.004, 0.004, 2)
    mesh = skfem.MeshHex.init_tensor(np.linspace(0.0, 0.6, 9), *sides)
    ends = {name: bodies.on_plane((s, 0, 0), (1, 0, 0)) for name, s in (("near", 0.0), ("far", 0.6))}
    strip = bodies.from_mesh(mesh, fm.Material(2700.0, 2e9, 0.3), interfaces=ends, modes=6)
    model = fm.SpatialModel("two hubs", gravity=(0, 0, -9.81))
    body = model.add_modal_body(
        "strip", strip, amplitudes=(0.03, 0.015, 0.01, 0.0, 0.0, 0.0, *[0.0] * (strip.modes - 6))
    )
    for name, mass, inertia in (("near", 0.6, (2e-3, 1e-3, 2e-3)), ("far", 0.3, (4e-3, 2e-3, 2e-3))):
        end = body.at(name)
        hub = model.add_body(
            f"hub {name}", mass=mass, inertia=inertia, position=end.position, orientation=end.orientation
        )
        model.weld(hub, end)
    model.set_rigid_motion((0.5, 0.0, 2.0), (3.0, 2.0, 6.0))
    return model


@case("fe-slider-crank", draw=build)
def compute() -> Iterator[Check]:
    """bending of a solid rod in a slider-crank against an exact rod; energy where moments go through interfaces"""
    times = np.linspace(0.0, T_END, 301)
    wanted = exact_bending(times)
    run = fm.simulate(build(), T_END, step=1e-4, progress=False)
    size = float(np.max(np.abs(wanted)))
    found = bending(run.at(times))
    off = float(np.max(np.abs(found - wanted))) / size
    left = "0.5 %: left by four modes, shear and the inertia of sections, which the rod has not"
    yield Check("deflection of the middle, relative [–]", off, 0.0, 5e-3, "exact rod by polynomials", left)
    run = fm.simulate(example.build(), T_END, step=1e-4, progress=False)
    off = float(np.max(np.abs(found - example.bending(run.at(times))))) / size
    left = "0.5 %: left by the modes of both, and by shear, which the rod has not"
    yield Check("deflection against a rod of component modes, relative [–]", off, 0.0, 5e-3, "CMS rod", left)
    run = fm.simulate(arm(), 0.5, "radau", tolerance=1e-9, progress=False)
    energy = run.energy
    law, left = "conserved", "by the tolerance of the method, 1e-9 a step"
    change = np.ptp(energy.total) / np.max(energy.kinetic)
    yield Check("two hubs in space: energy, change relative [–]", float(change), 0.0, 1e-7, law, left)
    strain = float(np.max(energy.strain) / np.max(energy.kinetic))
    yield Check("two hubs: 1 if they bend much", float(strain > 0.02), 1.0, 0.0, "a part of the energy", "yes or no")
