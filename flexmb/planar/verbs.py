"""The joints, drives and forces of a model in the plane: a method for each, which takes what its class takes."""

from __future__ import annotations

from flexmb.forces.planar import (
    Bushing,
    Contact,
    ContactAmong,
    DistanceStop,
    DistributedLoad,
    JointStop,
    Motor,
    PointForce,
    PointTorque,
    PythonForce,
    SpringDamper,
    Tire,
    TorsionSpring,
)
from flexmb.joints.planar import (
    Distance,
    DriveAngle,
    DriveDistance,
    DrivePosition,
    Gear,
    KnifeEdge,
    Lock,
    PinInSlot,
    Prismatic,
    Revolute,
    RollingOnCircle,
    RollingOnLine,
    Weld,
)
from flexmb.model.model import Model
from flexmb.model.verbs import frame_verb, pair_verb, verb


class PlanarVerbs(Model):
    """What stands on frames of the plane and between them. The second frame is measured against the first; a body that
    is given for a frame means its own. A strength is a number or a function of time."""

    revolute = pair_verb(Revolute)
    prismatic = pair_verb(Prismatic)
    weld = pair_verb(Weld)
    pin_in_slot = pair_verb(PinInSlot)
    distance = pair_verb(Distance)
    gear = pair_verb(Gear)
    lock = pair_verb(Lock)
    knife_edge = pair_verb(KnifeEdge)
    rolling_on_line = pair_verb(RollingOnLine)
    rolling_on_circle = pair_verb(RollingOnCircle)

    drive_angle = pair_verb(DriveAngle)
    drive_position = pair_verb(DrivePosition)
    drive_distance = pair_verb(DriveDistance)

    spring_damper = pair_verb(SpringDamper)
    torsion_spring = pair_verb(TorsionSpring)
    bushing = pair_verb(Bushing)
    motor = pair_verb(Motor)
    tire = pair_verb(Tire)

    contact = pair_verb(Contact)
    contact_among = verb(ContactAmong)
    joint_stop = verb(JointStop)
    distance_stop = pair_verb(DistanceStop)

    point_force = frame_verb(PointForce)
    point_torque = frame_verb(PointTorque)
    distributed_load = verb(DistributedLoad)
    python_force = verb(PythonForce)
