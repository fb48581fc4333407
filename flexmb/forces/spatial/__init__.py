"""Forces in space, one a file."""

from flexmb.forces.spatial.bushing import SpatialBushing
from flexmb.forces.spatial.contact import SpatialContact, SpatialContactAmong
from flexmb.forces.spatial.distributed_load import SpatialDistributedLoad
from flexmb.forces.spatial.gravity_gradient import GravityGradient
from flexmb.forces.spatial.joint_actuator import JointActuator
from flexmb.forces.spatial.motor import SpatialMotor
from flexmb.forces.spatial.point_force import SpatialPointForce, SpatialPointTorque
from flexmb.forces.spatial.python_force import FrameState, SpatialPythonForce
from flexmb.forces.spatial.spring_damper import SpatialSpringDamper
from flexmb.forces.spatial.stop import SpatialDistanceStop, SpatialJointStop
from flexmb.forces.spatial.torsion_spring import HingeSpring
from flexmb.forces.spatial.tyre import SpatialTyre

__all__ = [
    "FrameState",
    "GravityGradient",
    "HingeSpring",
    "JointActuator",
    "SpatialBushing",
    "SpatialContact",
    "SpatialContactAmong",
    "SpatialDistanceStop",
    "SpatialDistributedLoad",
    "SpatialJointStop",
    "SpatialMotor",
    "SpatialPointForce",
    "SpatialPointTorque",
    "SpatialPythonForce",
    "SpatialSpringDamper",
    "SpatialTyre",
]
