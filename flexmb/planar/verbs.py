"""The joints, drives and forces of a model in the plane: a method for each, which takes what its class takes."""

from __future__ import annotations

from flexmb.forces.body_load import BodyLoad
from flexmb.forces.bushing import Bushing
from flexmb.forces.contact import Contact
from flexmb.forces.contact_among import ContactAmong
from flexmb.forces.distance_stop import DistanceStop
from flexmb.forces.distributed_load import DistributedLoad
from flexmb.forces.drives.backlash import Backlash
from flexmb.forces.joint_force import JointForce
from flexmb.forces.joint_stop import JointStop
from flexmb.forces.motor import Motor
from flexmb.forces.planar.point_force import PointForce, PointTorque
from flexmb.forces.planar.python_force import PythonForce
from flexmb.forces.planar.tire import Tire
from flexmb.forces.spring_damper import SpringDamper
from flexmb.forces.thermal_load import ThermalLoad
from flexmb.forces.torsion_spring import TorsionSpring
from flexmb.joints.distance import Distance, DriveDistance
from flexmb.joints.planar.compound import Lock, PinInSlot, Prismatic, Weld
from flexmb.joints.planar.drive_angle import DriveAngle
from flexmb.joints.planar.drive_position import DrivePosition
from flexmb.joints.planar.gear import Gear
from flexmb.joints.planar.knife_edge import KnifeEdge
from flexmb.joints.planar.revolute import Revolute
from flexmb.joints.planar.rolling import RollingOnCircle, RollingOnLine
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
    backlash = pair_verb(Backlash)
    bushing = pair_verb(Bushing)
    motor = pair_verb(Motor)
    joint_force = verb(JointForce)
    tire = pair_verb(Tire)

    contact = pair_verb(Contact)
    contact_among = verb(ContactAmong)
    joint_stop = verb(JointStop)
    distance_stop = pair_verb(DistanceStop)

    point_force = frame_verb(PointForce)
    point_torque = frame_verb(PointTorque)
    distributed_load = verb(DistributedLoad)
    thermal_load = verb(ThermalLoad)
    body_load = verb(BodyLoad)
    python_force = verb(PythonForce)
