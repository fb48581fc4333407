"""The joints, drives and forces of a model in space: a method for each, which takes what its class takes."""

from __future__ import annotations

from flexmb.forces.spatial import (
    Bushing,
    Contact,
    ContactAmong,
    DistanceStop,
    DistributedLoad,
    GravityGradient,
    JointForce,
    JointStop,
    Motor,
    PointForce,
    PointTorque,
    PythonForce,
    SpringDamper,
    Tire,
    TorsionSpring,
)
from flexmb.joints.spatial import (
    Belt,
    ConstantVelocity,
    Coupling,
    Cylindrical,
    Distance,
    DriveAngle,
    DriveDistance,
    DriveJoint,
    DrivePosition,
    DriveRotation,
    Gear,
    KnifeEdge,
    Lock,
    ParallelAxes,
    PlanarJoint,
    PointInPlane,
    PointOnCurve,
    PointOnLine,
    Prismatic,
    RackAndPinion,
    Revolute,
    RollingOnCylinder,
    RollingOnSphere,
    RollingSphere,
    RollingWheel,
    Screw,
    Spherical,
    Universal,
    Weld,
)
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
    motor = pair_verb(Motor)
    joint_force = verb(JointForce)
    gravity_gradient = verb(GravityGradient)
    tire = pair_verb(Tire)

    contact = pair_verb(Contact)
    contact_among = verb(ContactAmong)
    joint_stop = verb(JointStop)
    distance_stop = pair_verb(DistanceStop)

    point_force = frame_verb(PointForce)
    point_torque = frame_verb(PointTorque)
    distributed_load = verb(DistributedLoad)
    python_force = verb(PythonForce)
