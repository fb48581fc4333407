"""The problems in Exudyn, Gerstmayr (2024), in its build without range checks.

Rigid mechanisms of the plane are read off flexmb's own models, so that both codes have the same bodies, hinges and
springs; for its explicit methods, which take no constraints, two plates are a kinematic tree in minimal coordinates.
The free body turns on the group (rotation vectors). The cable is the same discretization in both codes.

Where flexmb has a CMS element, there is a cable, with as many elements as bring its motion as near to that of an exact
rod as the CMS element is: 8 for the blade, whose largest deflection is then 0.02 % off (6 elements: 0.09 %; one CMS
element: 0.04 %), 8 for the slider-crank's rod, 2 for the stiff rod. Crank and hub, whose motion is given, are not there
as bodies: the coordinates of the cable's first node follow functions that Exudyn evaluates without Python. The two-link
arm, whose motors have rotors on the arm and elastic reducers, has no like there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.elements.planar.rigid_body import RigidBody
from flexmb.errors import ModelError
from flexmb.examples import slider_crank
from flexmb.model.functions.time_function import as_function
from flexmb.validation.performance import peer_exudyn
from flexmb.validation.performance.work_precision.problems import CABLE_ELEMENTS, ROD, ROD_LENGTH, Problem
from flexmb.validation.references import free_rotation as free_rotation_data
from flexmb.validation.references import spin_up as spin_up_data


@dataclass
class PeerModel:
    """A system of Exudyn, which is still to be assembled; `read`: its sensors' values (k, …) in the order of the
    sensors, as what the problem observes (k, c); `keep`: what must live as long as the system."""

    exu: Any
    system: Any
    sensors: list[Any]
    read: Callable[[list[np.ndarray], float], np.ndarray]
    keep: list[Any] = field(default_factory=list)


# -- cables -----------------------------------------------------------------------------------------------------------


def _node_of_cable(at: float) -> Callable[[np.ndarray, float], np.ndarray]:
    """Place and angle of a node that was at x = `at`, from its displacements (k, 4)."""

    def read(rows: np.ndarray, length: float) -> np.ndarray:
        angle = np.unwrap(np.arctan2(rows[:, 3], 1.0 + rows[:, 2]))
        return np.column_stack([(at + rows[:, 0]) / length, rows[:, 1] / length, angle])

    return read


def _pendulum(length: float, elements: int, **data: Any) -> PeerModel:
    exu, system, nodes = peer_exudyn.straight_cable(length, elements, gravity=9.81, fixed=(1, 1, 0, 0), **data)
    sensors = [peer_exudyn.node_sensor(exu, system, nodes[-1], "Coordinates")]
    read = _node_of_cable(length)
    return PeerModel(exu, system, sensors, lambda rows, scale: read(rows[0], scale))


def _cable() -> PeerModel:
    area, second = np.pi * 0.01**2 / 4, np.pi * 0.01**4 / 64
    return _pendulum(2.0, CABLE_ELEMENTS, rhoA=7850.0 * area, EA=2e9 * area, EI=2e9 * second)


def _stiff_rod() -> PeerModel:
    return _pendulum(ROD_LENGTH, 2, rhoA=ROD.rhoA, EA=ROD.EA, EI=ROD.EI)


def _spin_up() -> PeerModel:
    system, sensor, laws, exu = peer_exudyn.spin_up_system(8, 0, coordinates=True, assembled=False)
    read = _node_of_cable(spin_up_data.LENGTH)
    return PeerModel(exu, system, [sensor], lambda rows, scale: read(rows[0], scale), laws)


def _slider_crank() -> PeerModel:
    """The rod as a cable, whose start follows the crank's pin and whose end carries the slider's mass on the axis."""
    s = slider_crank
    EI = (8.0 * s.SPEED) ** 2 * (s.ROD / np.pi) ** 4 * s.ROD_MASS / s.ROD
    exu, system, nodes = peer_exudyn.straight_cable(s.ROD, 8, rhoA=s.ROD_MASS / s.ROD, EA=1e6, EI=EI)
    from exudyn.utilities import (
        CoordinateConstraint,
        CreateSymbolicUserFunction,
        MarkerNodeCoordinate,
        NodePoint2D,
        NodePointGround,
        ObjectMassPoint2D,
    )

    ground = system.AddMarker(MarkerNodeCoordinate(nodeNumber=system.AddNode(NodePointGround()), coordinate=0))
    slider = system.AddNode(NodePoint2D(referenceCoordinates=[s.ROD, 0.0]))
    system.AddObject(ObjectMassPoint2D(physicsMass=s.SLIDER_MASS, nodeNumber=slider))

    def marker(node: int, coordinate: int) -> Any:
        return system.AddMarker(MarkerNodeCoordinate(nodeNumber=node, coordinate=coordinate))

    def angle(t: Any) -> Any:
        c = 2.0 * np.pi / s.SPIN_UP
        ramp = s.SPEED / s.SPIN_UP * (t * t / 2 + (exu.symbolic.cos(c * t) - 1.0) / c**2)
        return exu.symbolic.IfThenElse(t < s.SPIN_UP, ramp, s.SPEED * s.SPIN_UP / 2 + s.SPEED * (t - s.SPIN_UP))

    def along(mbs: Any, t: Any, item: Any, offset: Any) -> Any:
        return s.CRANK * (exu.symbolic.cos(angle(t)) - 1.0)

    def across(mbs: Any, t: Any, item: Any, offset: Any) -> Any:
        return s.CRANK * exu.symbolic.sin(angle(t))

    laws = []
    for coordinate, law in enumerate((along, across)):
        held = [ground, marker(nodes[0], coordinate)]
        item = system.AddObject(CoordinateConstraint(markerNumbers=held))
        laws.append(CreateSymbolicUserFunction(system, law, "offsetUserFunction", item))
        system.SetObjectParameter(item, "offsetUserFunction", laws[-1])
        together = [marker(nodes[-1], coordinate), marker(slider, coordinate)]
        system.AddObject(CoordinateConstraint(markerNumbers=together))
    system.AddObject(CoordinateConstraint(markerNumbers=[ground, marker(slider, 1)]))
    sensors = [peer_exudyn.node_sensor(exu, system, node, "Coordinates") for node in (nodes[0], nodes[-1], slider)]
    start, end = _node_of_cable(s.CRANK), _node_of_cable(s.CRANK + s.ROD)

    def read(rows: list[np.ndarray], scale: float) -> np.ndarray:
        x = (s.CRANK + s.ROD + rows[2][:, 0]) / scale
        return np.column_stack([start(rows[0], scale), end(rows[1], scale), x, np.zeros((len(x), 2))])

    return PeerModel(exu, system, sensors, read, laws)


# -- rigid bodies -----------------------------------------------------------------------------------------------------


def _rigid(problem: Problem) -> PeerModel:
    """The bodies, hinges, springs and torques of a model of the plane, in absolute coordinates."""
    exu = peer_exudyn.exudyn()
    from exudyn.utilities import (
        LoadMassProportional,
        LoadTorqueVector,
        MarkerBodyMass,
        MarkerBodyPosition,
        MarkerBodyRigid,
        NodeRigidBody2D,
        ObjectConnectorSpringDamper,
        ObjectGround,
        ObjectJointRevolute2D,
        ObjectRigidBody2D,
    )

    model = problem.build()
    container = exu.SystemContainer()
    system = container.AddSystem()
    base = system.AddObject(ObjectGround(referencePosition=[0, 0, 0]))
    nodes, bodies, start = {}, {}, {}
    parts = list(model.components.values())
    for body in (part for part in parts if isinstance(part, RigidBody)):
        frame = body.frame
        place = [*map(float, frame.position), float(frame.angle)]
        speeds = [*map(float, frame.node.velocity), float(frame.node.angular_velocity)]
        node = system.AddNode(NodeRigidBody2D(referenceCoordinates=place, initialVelocities=speeds))
        data = {"physicsMass": body.mass, "physicsInertia": body.inertia, "nodeNumber": node}
        number = system.AddObject(ObjectRigidBody2D(**data))
        nodes[frame.name], bodies[id(frame.node)], start[frame.name] = node, number, np.array(place)
        weight = [float(x) for x in (*model.gravity, 0.0)]
        if any(weight):
            mass = system.AddMarker(MarkerBodyMass(bodyNumber=number))
            system.AddLoad(LoadMassProportional(markerNumber=mass, loadVector=weight))

    def marker(frame: Any) -> Any:
        place = frame.offset if id(frame.node) in bodies else frame.position
        local = [float(place[0]), float(place[1]), 0.0]
        return system.AddMarker(MarkerBodyPosition(bodyNumber=bodies.get(id(frame.node), base), localPosition=local))

    for part in parts:
        if isinstance(part, fm.planar.Revolute):
            system.AddObject(ObjectJointRevolute2D(markerNumbers=[marker(part.a), marker(part.b)]))
        elif isinstance(part, fm.planar.SpringDamper):
            data = {"stiffness": part.stiffness, "damping": part.damping, "referenceLength": part.free_length}
            system.AddObject(ObjectConnectorSpringDamper(markerNumbers=[marker(part.a), marker(part.b)], **data))
        elif isinstance(part, fm.planar.PointTorque):
            torque = float(as_function(part.torque, "torque", part.where)(0.0))
            at = system.AddMarker(MarkerBodyRigid(bodyNumber=bodies[id(part.frame.node)], localPosition=[0, 0, 0]))
            system.AddLoad(LoadTorqueVector(markerNumber=at, loadVector=[0, 0, torque]))
        elif not isinstance(part, RigidBody):
            raise ModelError(f"{part.where}: the model of Exudyn has nothing like it")
    sensors = [peer_exudyn.node_sensor(exu, system, nodes[name], "Coordinates") for name in problem.frames]

    def read(rows: list[np.ndarray], scale: float) -> np.ndarray:
        units = np.array([scale, scale, 1.0])
        return np.concatenate([(x + start[name]) / units for name, x in zip(problem.frames, rows)], axis=1)

    return PeerModel(exu, system, sensors, read, [container])


def _tree() -> PeerModel:
    """The two plates in the angles of their hinges."""
    exu = peer_exudyn.exudyn()
    from exudyn.utilities import (
        MarkerBodyPosition,
        MarkerKinematicTreeRigid,
        NodeGenericODE2,
        ObjectConnectorSpringDamper,
        ObjectGround,
        ObjectKinematicTree,
    )

    container = exu.SystemContainer()
    system = container.AddSystem()
    data = {"referenceCoordinates": [0, 0], "initialCoordinates": [0, 0], "initialCoordinates_t": [0, 0]}
    node = system.AddNode(NodeGenericODE2(numberOfODE2Coordinates=2, **data))
    mass = 5.0
    inertia = np.diag([1.0, 1.0, 2 / 3 * mass])
    tree = system.AddObject(
        ObjectKinematicTree(
            nodeNumber=node,
            gravity=[0, -9.81, 0],
            jointTypes=[exu.JointType.RevoluteZ] * 2,
            linkParents=[-1, 0],
            jointTransformations=exu.Matrix3DList([np.eye(3)] * 2),
            jointOffsets=exu.Vector3DList([[0, 0, 0], [2, 2, 0]]),
            linkInertiasCOM=exu.Matrix3DList([inertia] * 2),
            linkCOMs=exu.Vector3DList([[1, 1, 0], [1, -1, 0]]),
            linkMasses=[mass] * 2,
        )
    )
    base = system.AddObject(ObjectGround(referencePosition=[0, 0, 0]))
    anchor = system.AddMarker(MarkerBodyPosition(bodyNumber=base, localPosition=[4, 0, 0]))
    end = system.AddMarker(MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=1, localPosition=[2, -2, 0]))
    spring: dict[str, Any] = {"stiffness": 10.0, "damping": 1.0, "referenceLength": 0.0}
    system.AddObject(ObjectConnectorSpringDamper(markerNumbers=[anchor, end], **spring))
    sensors = [peer_exudyn.node_sensor(exu, system, node, "Coordinates")]

    def read(rows: list[np.ndarray], scale: float) -> np.ndarray:
        first, second = rows[0][:, 0], rows[0].sum(axis=1)
        z1 = (1 + 1j) * np.exp(1j * first)
        z2 = 2.0 * z1 + (1 - 1j) * np.exp(1j * second)
        return np.column_stack([z1.real / scale, z1.imag / scale, first, z2.real / scale, z2.imag / scale, second])

    return PeerModel(exu, system, sensors, read, [container])


def _free_body() -> PeerModel:
    exu = peer_exudyn.exudyn()
    from exudyn.utilities import RigidBodyInertia, SensorBody

    container = exu.SystemContainer()
    system = container.AddSystem()
    body = system.CreateRigidBody(
        inertia=RigidBodyInertia(mass=1.0, inertiaTensor=np.diag(free_rotation_data.INERTIA)),
        initialAngularVelocity=list(free_rotation_data.START),
        nodeType=exu.NodeType.RotationRotationVector,
    )
    kinds = (exu.OutputVariableType.Position, exu.OutputVariableType.RotationMatrix)
    sensors = [
        system.AddSensor(SensorBody(bodyNumber=body, storeInternal=True, outputVariableType=kind)) for kind in kinds
    ]
    return PeerModel(
        exu, system, sensors, lambda rows, scale: np.concatenate([rows[0] / scale, rows[1]], axis=1), [container]
    )


#: For each problem that Exudyn can do: the model of its implicit methods, that of its explicit ones, and the name of
#: the reference if the motion is not that of the problem. Of a cable that is held its explicit methods find another
#: motion than its implicit ones, however short the steps: the end of the stiff rod is 0.13 m off after 0.5 s.
MODELS: dict[str, tuple[Callable[[Problem], PeerModel], Callable[[Problem], PeerModel] | None, str]] = {
    "spin-up": (lambda problem: _spin_up(), None, "spin-up-exudyn"),
    "andrews": (_rigid, None, "andrews"),
    "n-four-bar": (_rigid, None, "n-four-bar"),
    "two-squares": (_rigid, lambda problem: _tree(), "two-squares"),
    "slider-crank": (lambda problem: _slider_crank(), None, "slider-crank-exudyn"),
    "cable": (lambda problem: _cable(), None, "cable"),
    "stiff-rod": (lambda problem: _stiff_rod(), None, "stiff-rod-exudyn"),
    "free-body": (lambda problem: _free_body(), lambda problem: _free_body(), "free-body"),
}
