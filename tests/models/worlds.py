"""Small mechanisms and their results, each made when it is first asked for."""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

import flexmb as fm

STEEL = fm.Material(density=7850.0, youngs_modulus=2e11)
ROD = fm.Circle(diameter=0.05)


#: a column that buckles under 2.47 N
COLUMN = fm.planar.BeamProperties(EA=1e8, EI=1.0, rhoA=1.0)


class Results:
    """What is computed of such mechanisms, and never changed."""

    @cached_property
    def solution(self) -> fm.Solution:
        return fm.simulate(World().plane, 0.02, step=0.01, progress=False)

    @cached_property
    def solution_in_space(self) -> fm.Solution:
        return fm.simulate(World().space, 0.02, step=0.01, progress=False)

    @cached_property
    def motion(self) -> fm.Motion:
        return fm.kinematics(driven_model(), 0.1, steps=2, flexible="undeformed", progress=False)

    @cached_property
    def damped(self) -> fm.LinearModel:
        """An oscillator with one input, the position and the speed."""
        return fm.LinearModel([[0.0, 1.0], [-4.0, -0.4]], [[0.0], [1.0]], np.eye(2), np.zeros((2, 1)))

    @cached_property
    def robot_run(self) -> fm.Solution:
        robot = World().robot
        for joint in robot.moving:
            robot.drive(joint.name, joint.start)
        return fm.simulate(robot, 0.02, progress=False)

    @cached_property
    def standing(self) -> fm.Solution:
        """A box on a floor."""
        m = fm.SpatialModel("standing", gravity=(0.0, 0.0, -9.81))
        box = m.add_body("box", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, 0.5))
        for k, (x, y) in enumerate(((1, 1), (1, -1), (-1, -1), (-1, 1))):
            foot = fm.Sphere(radius=0.05, position=(x, y, -0.45))
            m.contact(m.ground, box, fm.HalfSpace("z"), foot, stiffness=1e5, name=f"foot {k}")
        return fm.simulate(m, 0.02, step=1e-3, progress=False)

    @cached_property
    def buckling(self) -> fm.EquilibriumPath:
        """A column under its load, beyond the first critical one."""
        m = fm.PlanarModel("column")
        rod = m.add_beam("rod", m.ground, (0, 1), properties=COLUMN, elements=2)
        m.point_force(rod.end, (0, -1), name="weight")
        return fm.equilibrium_path(m, "weight", factor=3.0)

    @cached_property
    def compared(self) -> fm.bodies.ModeComparison:
        mesh = self.reduced.mesh
        own = fm.bodies.MeasuredModes(
            [100.0],
            [0.01],
            self.modal_body.mesh_place().given(mesh.nodes),
            mesh.shapes[:, :, :1],
            range(len(mesh.nodes)),
        )
        return fm.bodies.compare_modes(self.reduced, own)

    @cached_property
    def controlled(self) -> fm.Solution:
        m = fm.PlanarModel("controlled")
        body = m.add_body("body", mass=1.0, inertia=0.1)
        m.revolute(m.ground, body, name="hinge")
        m.motor(m.ground, body, name="motor")
        angle = fm.control.RelativeAngle(m.ground, body.frame)
        m.add_controller("c", period=0.01, sensors=angle, commands="motor", law=[[-1.0]])
        return fm.simulate(m, 0.02, step=1e-3, progress=False)

    @cached_property
    def varying(self) -> Any:
        return fm.linearize(self.solution, inputs=["motor"], outputs=["body.x"], along=True)

    @cached_property
    def modal_body(self) -> Any:
        m = fm.SpatialModel("modal")
        return m.add_modal_body("bar", self.reduced)

    @cached_property
    def plant(self) -> fm.LinearModel:
        return fm.linearize(fm.equilibrium(World().plane), inputs=["motor"], outputs=["body.x", "body.angle"])

    @cached_property
    def study(self) -> fm.Study:
        return fm.study(power, fm.grid(x=[1.0, 2.0]), workers=0, progress=False)

    @cached_property
    def mesh(self) -> Any:
        import skfem

        return skfem.MeshHex.init_tensor(np.linspace(0, 0.4, 3), np.array([-0.01, 0.01]), np.array([-0.005, 0.005]))

    @cached_property
    def reduced(self) -> fm.bodies.ReducedBody:
        return fm.bodies.from_mesh(self.mesh, STEEL, interfaces=World().ends, modes=1)


@cache
def results() -> Results:
    """The results, made once in a process."""
    return Results()


class World:
    """Mechanisms, which calls may change, with the results of :class:`Results`. `folder` is where files go."""

    folder = Path()

    def __getattr__(self, name: str) -> Any:
        return getattr(results(), name)

    @cached_property
    def plane(self) -> fm.PlanarModel:
        m = fm.PlanarModel("plane", gravity=(0.0, -9.81))
        body = m.add_body("body", mass=1.0, inertia=0.1, position=(0.0, -1.0))
        m.revolute(m.ground, body.attach("pin", (0.0, 1.0)), name="hinge")
        rod = m.add_beam("rod", (1.0, 0.0), (1.0, -1.0), material=STEEL, section=ROD, modes=1)
        m.weld(m.ground.attach("foot", (1.0, 0.0)), rod.start, name="clamp")
        m.motor(m.ground, body, name="motor")
        m.point_force(body, (0.0, -1.0), name="load")
        return m

    @cached_property
    def space(self) -> fm.SpatialModel:
        m = fm.SpatialModel("space", gravity=(0.0, 0.0, -9.81))
        body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, -1.0))
        m.revolute(m.ground, body.attach("pin", (0.0, 0.0, 1.0)), axis="y", name="hinge")
        rod = m.add_beam("rod", (1.0, 0.0, 0.0), (1.0, 0.0, -1.0), material=STEEL, section=ROD, modes=1)
        m.weld(m.ground.attach("foot", (1.0, 0.0, 0.0)), rod.start, name="clamp")
        return m

    @cached_property
    def arm(self) -> fm.SpatialModel:
        return arm_of("yy")

    @cached_property
    def long_arm(self) -> fm.SpatialModel:
        return arm_of("zyy")

    @cached_property
    def robot(self) -> fm.Robot:
        return fm.denavit_hartenberg([(0.0, 0.1, 0.2, 0.0), (0.0, 0.0, 0.3, 0.0)])

    @cached_property
    def whirl(self) -> Any:
        """A rotor by its speed, which Campbell's diagram takes."""

        def build(speed: float) -> fm.PlanarModel:
            m = fm.PlanarModel("rotor")
            shaft, disk = (m.add_body(name, mass=1.0, inertia=1.0) for name in ("shaft", "disk"))
            m.revolute(m.ground, shaft.frame)
            m.drive_angle(m.ground, shaft.frame, fm.Polynomial([0.0, speed]))
            m.bushing(shaft.frame, disk.frame, stiffness=(25.0, 25.0, 400.0))
            return m

        return build

    @cached_property
    def plain_arm(self) -> fm.SpatialModel:
        """The arm without its drives."""
        m = fm.SpatialModel("plain arm", gravity=(0.0, 0.0, -9.81))
        link = m.add_body("link 1", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, -1.0))
        m.revolute(m.ground, link.attach("pin", (0.0, 0.0, 1.0)), axis="y", name="hinge 0")
        return m

    @cached_property
    def frame_body(self) -> dict[str, Any]:
        return {"places": {"a": (0, 0, 0), "b": (1, 0, 0)}, "members": [fm.bodies.Member(("a", "b"), STEEL, ROD)]}

    @cached_property
    def tree(self) -> fm.Tree:
        return fm.Tree.of(self.arm)

    @property
    def ends(self) -> dict[str, Any]:
        return {"foot": fm.bodies.on_plane((0, 0, 0), (1, 0, 0)), "tip": fm.bodies.on_plane((0.4, 0, 0), (1, 0, 0))}

    @cached_property
    def foreign(self) -> fm.PlanarModel:
        m = fm.PlanarModel("foreign")
        m.add_frame("stranger")
        return m

    @cached_property
    def foreign_in_space(self) -> fm.SpatialModel:
        m = fm.SpatialModel("foreign in space")
        m.add_frame("stranger")
        return m


def arm_of(axes: str) -> fm.SpatialModel:
    """Links that hang in a chain, with a drive in each hinge."""
    m = fm.SpatialModel("arm", gravity=(0.0, 0.0, -9.81))
    last = m.ground
    for k, axis in enumerate(axes):
        link = m.add_body(f"link {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.3 * k, 0.0, -1.0 - k))
        hinge = m.revolute(
            last.attach(f"socket {k}", link.frame.position - last.position + (0.0, 0.0, 1.0)),
            link.attach("pin", (0.0, 0.0, 1.0)),
            axis=axis,
            name=f"hinge {k}",
        )
        m.joint_force(hinge, name=f"drive {k}")
        last = link.frame
    return m


def power(x: float) -> float:
    return x * x


def spring_model(stiffness: float = 100.0) -> fm.PlanarModel:
    m = fm.PlanarModel("spring")
    body = m.add_body("body", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    m.prismatic(m.ground, body)
    m.spring_damper(m.ground, body.attach("eye", (0.1, 0.0)), stiffness=stiffness, name="spring")
    return m


def driven_model() -> fm.PlanarModel:
    m = fm.PlanarModel("driven")
    crank = m.add_body("body", mass=1.0, inertia=0.1)
    m.revolute(m.ground, crank, name="hinge")
    m.drive_angle(m.ground, crank, fm.Polynomial([0.0, 1.0]), name="drive")
    rod = m.add_beam("rod", (1.0, 0.0), (1.0, -1.0), material=STEEL, section=ROD, modes=1)
    m.weld(m.ground.attach("foot", (1.0, 0.0)), rod.start, name="clamp")
    return m
