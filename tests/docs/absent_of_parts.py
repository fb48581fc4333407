"""What pages say that there is not, or is refused, of beams, bodies and files: a snippet for each, as in
:mod:`tests.docs.absences`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import flexmb as fm
from flexmb import bodies
from flexmb.machine import memory
from tests.docs.absences import FRICTION, STEEL, beam, pendulum, refused, sensitivity, swing


def bar(ratio: float = 1.0) -> Any:
    """The mesh of a bar, whose sides have a ratio."""
    import skfem

    x, y = np.linspace(0, 1, 5), np.linspace(-0.01, 0.01, 2)
    return skfem.MeshHex.init_tensor(x, y, ratio * y)


def solid(ratio: float = 1.0) -> bodies.ReducedBody:
    """The bar as a body."""
    ends = {name: bodies.on_plane((at, 0, 0), (1, 0, 0)) for name, at in (("root", 0), ("tip", 1))}
    return bodies.from_mesh(bar(ratio), STEEL, interfaces=ends, modes=4)


def sections() -> None:
    channel = fm.Channel(width=0.05, height=0.1, web_thickness=0.004, flange_thickness=0.006)
    rail = beam("exact", section=channel, elements=2)
    rail.model.point_force(rail.end, (0, 0, -10.0))
    refused(lambda: fm.equilibrium(rail.model).solution["beam@0.1.stress"], "without couplings")


def heat() -> None:
    def heated(theory: str, **given: Any) -> Any:
        warm = beam(theory, **given)
        return warm.model.thermal_load(warm, 20.0)

    for theory in ("ancf", "floating"):
        refused(lambda theory=theory: heated(theory), "takes no heat")
    refused(lambda: heated("exact", axis=fm.Arc(center=(0, 1, 0), start=(0, 0, 0), angle=1.0)), "straight beams")
    refused(lambda: heated("exact", section=lambda s: fm.Circle(diameter=0.02 - 0.01 * s)), "straight beams")


def damping_by_mass() -> None:
    assert [name for name in dir(fm) if "damping" in name.lower() or "proportional" in name.lower()] == [
        "ModalDamping",
        "StiffnessProportional",
    ]


def curved_beams() -> None:
    refused(lambda: beam("exact", section=lambda s: fm.Circle(diameter=0.02 - 0.03 * s)), "s = 0.6875", "positive")
    bent = beam("exact", twist=lambda s: abs(s - 0.37) - 0.37)
    assert np.allclose(bent.stations, np.linspace(0, 1, 9))


def cables_as_links() -> None:
    refused(lambda: fm.Tree.of(beam("ancf", elements=2).model), "beams but ANCF cables")


def meshes() -> None:
    import meshio

    corners = np.array(
        [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))] + [[0.5, 0.5, 2.0]], float
    )
    gaping = meshio.Mesh(corners, [("hexahedron", [[*range(8)]]), ("tetra", [[4, 5, 6, 8], [4, 6, 7, 8]])])
    shell = meshio.Mesh(corners, [("triangle", [[0, 1, 5], [0, 5, 4]])])
    for mesh, word in ((gaping, "put pyramids between them"), (shell, "no volume elements")):
        ask = lambda mesh=mesh: bodies.from_mesh(mesh, STEEL, interfaces={"a": [0, 1, 2]}, modes=2)  # noqa: E731
        refused(ask, word)


def memory_of_factors() -> None:
    little = mock.patch("flexmb.algebra.multifrontal.LITTLE", 0.0)
    with little, mock.patch.object(memory, "machine_memory", lambda: 1e5):
        refused(solid, "factors of its stiffness matrix", "need")


def files() -> None:
    run = fm.simulate(pendulum()[0], 0.01)
    if Path("/dev/null").exists():
        refused(lambda: run.save("/dev/null"), "this is a device")
        run.to_csv("/dev/null", ["rod.x"])


def robot_files() -> None:
    from flexmb.examples import robots

    text = (robots.folder() / "arm.urdf").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        path.write_text(text.replace('izz="0.0118125"', 'izz="1.18"'), encoding="utf-8")
        refused(lambda: fm.read_urdf(path), "improper_inertia='repair'")
        path.write_text('<mujoco model="arm"><worldbody/></mujoco>', encoding="utf-8")
        refused(lambda: fm.read_urdf(path))


def bodies_of_matrices() -> None:
    full = bodies.mesh_model(bar(), STEEL)
    found = bodies.from_matrices(full.stiffness, full.mass, full.nodes, interfaces={"root": [0, 1, 2, 3]}, modes=2)
    refused(lambda: fm.SpatialModel("m").add_modal_body("body", found, field="quadratic"), "field='linear'")


def derivatives_of_bodies() -> None:
    def clamped(parameter: float) -> fm.SpatialModel:
        model = fm.SpatialModel("bar", gravity=(0, 0, -9.81))
        model.weld(model.ground, model.add_modal_body("bar", solid(parameter)).at("root"))
        return model

    refused(lambda: sensitivity(clamped, "bar.tip.z"), "nearly the same frequency")


def laws_of_cables() -> None:
    cable = beam("ancf", elements=2)
    system = fm.System(cable.model)
    still, moving = np.zeros(system.n), np.random.default_rng(1).normal(size=system.n)
    forces = [system.residual(0.0, system.q0, v, still) for v in (still, moving)]
    assert np.array_equal(*forces)
    refused(lambda: fm.equilibrium(cable.model)["beam@0.5.shear_force_y"], "has no law for its shear force")


def classical_formulations() -> None:
    tank = fm.SpatialModel("tank")
    hull = tank.add_body("hull", mass=20.0, inertia=(80, 80, 1))
    tank.add_tank("fuel", hull.frame, 80.0, inertia=(60, 60, 4))
    for model, word in (
        (tank, "'fuel' breaks what it assumes, that bodies keep their masses"),
        (swing(friction=FRICTION)[0], "'hinge' breaks what it assumes, that friction"),
        *((beam(theory, elements=1).model, "'beam' breaks what it assumes") for theory in ("cms", "exact")),
        (beam("ancf", elements=2).model, "but ANCF cables"),
    ):
        for name in ("hooker-1970", "discos"):
            refused(lambda model=model, name=name: fm.formulation(model, name), word)


def batches() -> None:
    model = fm.PlanarModel("ball", gravity=(0, -9.81))
    model.add_body("ball", mass=1.0, inertia=0.1)
    given = {"outputs": ["ball.y"], "progress": False, "threads": 1, "step": 0.01}
    refused(lambda: fm.batch(model, 0.1, vary={"ball.weight": [1.0, 2.0]}, **given), "weight", "mass")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "runs"
        fm.batch(model, 0.1, vary={"ball.mass": [1.0, 2.0]}, file=file, **given)
        refused(lambda: fm.batch(model, 0.1, vary={"ball.mass": [1.0, 3.0]}, file=file, **given), "ball.mass")


def tanks_in_orbit() -> None:
    field = fm.spatial.CentralGravity(4.0e14, position=(7e6, 0, 0), velocity=(0, 7.5e3, 0))
    model = fm.SpatialModel("craft", gravity=field)
    hull = model.add_body("hull", mass=10.0, inertia=(1.0, 1.5, 0.8))
    model.add_tank("fuel", hull.frame, 2.0)
    refused(lambda: fm.simulate(model, 0.1, progress=False), "'fuel'")


def orbits() -> None:
    def field(speed: float) -> fm.spatial.CentralGravity:
        return fm.spatial.CentralGravity(4.9e14, (1e7, 0, 0), (0, speed, 0), radius=6.4e6)

    def craft(speed: float) -> fm.SpatialModel:
        model = fm.SpatialModel("craft", gravity=field(speed))
        hull = model.add_body("hull", mass=10.0, inertia=(1.0, 1.5, 1.8))
        model.solar_pressure(hull.frame, 1.0, axis="x", sun=(1.0, 0, 0))
        return model

    circle = (4.9e14 / 1e7) ** 0.5
    refused(lambda: field(1.42 * circle), "parabola")
    refused(lambda: fm.equilibrium(craft(1.1 * circle), spin=7e-4, axis="z"), "eccentricity")
    refused(lambda: fm.equilibrium(craft(circle), spin=7.1e-4, axis="z"), "spin=0.0007")


def loads_of_a_formulation() -> None:
    field = fm.spatial.CentralGravity(4.0e14, position=(7e6, 0, 0), velocity=(0, 7.5e3, 0))
    model = fm.SpatialModel("craft", gravity=field)
    hull = model.add_body("hull", mass=10.0, inertia=(1.0, 1.5, 0.8))
    arm = model.add_body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0))
    model.revolute(hull.attach("side", (0.5, 0.0, 0.0)), arm.attach("root", (-0.5, 0.0, 0.0)), axis="z")
    refused(lambda: fm.formulation(fm.Tree.of(model), "aba"), "gravity of")


def rest_with_bristles() -> None:
    model = fm.PlanarModel("shaft")
    wheel = model.add_body("wheel", mass=1.0, inertia=0.1)
    hinge = model.revolute(model.ground, wheel.frame, name="hinge")
    friction = fm.LuGre(stiffness=1e3, damping=1.0, viscous=0.1, coulomb=1.0, static=1.5, stribeck_speed=0.01)
    model.joint_force(hinge, 0.0, friction=friction, name="rubbing")
    refused(lambda: fm.equilibrium(model), "'rubbing'")


def poses_out_of_reach() -> None:
    model = fm.PlanarModel("arm")
    link = model.add_body("link", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    model.revolute(model.ground, link.attach("root", (-0.5, 0.0)), name="hinge")
    link.attach("hand", (0.5, 0.0))
    refused(lambda: fm.inverse_kinematics(model, {"hand": (3.0, 0.0)}), "hand")
