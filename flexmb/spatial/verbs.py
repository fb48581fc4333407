"""The joints, drives and forces of a model in space: a method for each, which takes what its class takes."""

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
from flexmb.forces.spatial.gravity_gradient import GravityGradient
from flexmb.forces.spatial.point_force import PointForce, PointTorque
from flexmb.forces.spatial.python_force import PythonForce
from flexmb.forces.spatial.surfaces.drag import Drag
from flexmb.forces.spatial.surfaces.solar_pressure import SolarPressure
from flexmb.forces.spatial.thruster import Thruster
from flexmb.forces.spatial.tire import Tire
from flexmb.forces.spring_damper import SpringDamper
from flexmb.forces.thermal_load import ThermalLoad
from flexmb.forces.torsion_spring import TorsionSpring
from flexmb.joints.distance import Distance, DriveDistance
from flexmb.joints.spatial.constant_velocity import ConstantVelocity
from flexmb.joints.spatial.coupling import Coupling
from flexmb.joints.spatial.drives.drive_angle import DriveAngle
from flexmb.joints.spatial.drives.drive_joint import DriveJoint
from flexmb.joints.spatial.drives.drive_position import DrivePosition
from flexmb.joints.spatial.drives.drive_rotation import DriveRotation
from flexmb.joints.spatial.gear import Belt, Gear, RackAndPinion
from flexmb.joints.spatial.knife_edge import KnifeEdge
from flexmb.joints.spatial.lock import Lock
from flexmb.joints.spatial.lower_pairs import (
    Cylindrical,
    ParallelAxes,
    PlanarJoint,
    PointInPlane,
    PointOnLine,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    Weld,
)
from flexmb.joints.spatial.point_on_curve import PointOnCurve
from flexmb.joints.spatial.rolling import RollingSphere, RollingWheel
from flexmb.joints.spatial.rolling_bodies import RollingOnCylinder, RollingOnSphere
from flexmb.joints.spatial.screw import Screw
from flexmb.model.model import Model
from flexmb.model.verbs import frame_verb, pair_verb, verb


class SpatialVerbs(Model):
    """What stands on frames in space and between them; a body that is given for a frame means its own.

    An `axis` is 'x', 'y', 'z' or a direction (3,) in the axes of frame a; `axis_b` one in those of frame b, the same
    line at the start when not given. What moves is measured b against a, right-handed, angles from the start on; with
    `count_turns` a joint owns a coordinate that counts all turns of its angle.
    """

    weld = pair_verb(Weld)
    spherical = pair_verb(Spherical)
    revolute = pair_verb(Revolute)
    prismatic = pair_verb(Prismatic)
    cylindrical = pair_verb(Cylindrical)
    universal = pair_verb(Universal)
    planar_joint = pair_verb(PlanarJoint)
    parallel_axes = pair_verb(ParallelAxes)
    point_on_line = pair_verb(PointOnLine)
    point_in_plane = pair_verb(PointInPlane)
    point_on_curve = pair_verb(PointOnCurve)
    distance = pair_verb(Distance)
    lock = pair_verb(Lock)
    screw = pair_verb(Screw)
    constant_velocity = pair_verb(ConstantVelocity)
    coupling = verb(Coupling)
    gear = pair_verb(Gear)
    belt = pair_verb(Belt)
    rack_and_pinion = pair_verb(RackAndPinion)
    rolling_wheel = pair_verb(RollingWheel)
    rolling_sphere = pair_verb(RollingSphere)
    rolling_on_sphere = pair_verb(RollingOnSphere)
    rolling_on_cylinder = pair_verb(RollingOnCylinder)
    knife_edge = pair_verb(KnifeEdge)

    drive_angle = pair_verb(DriveAngle)
    drive_joint = verb(DriveJoint)
    drive_position = pair_verb(DrivePosition)
    drive_distance = pair_verb(DriveDistance)
    drive_rotation = pair_verb(DriveRotation)

    spring_damper = pair_verb(SpringDamper)
    bushing = pair_verb(Bushing)
    torsion_spring = pair_verb(TorsionSpring)
    backlash = pair_verb(Backlash)
    motor = pair_verb(Motor)
    joint_force = verb(JointForce)
    gravity_gradient = verb(GravityGradient)
    drag = verb(Drag)
    solar_pressure = verb(SolarPressure)
    thruster = frame_verb(Thruster)
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
