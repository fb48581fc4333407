"""Forces in space, one a file."""

from flexmb.forces.spatial.bushing import Bushing
from flexmb.forces.spatial.contact import Contact, ContactAmong
from flexmb.forces.spatial.distributed_load import DistributedLoad
from flexmb.forces.spatial.gravity_gradient import GravityGradient
from flexmb.forces.spatial.joint_force import JointForce
from flexmb.forces.spatial.motor import Motor
from flexmb.forces.spatial.point_force import PointForce, PointTorque
from flexmb.forces.spatial.python_force import FrameState, PythonForce
from flexmb.forces.spatial.spring_damper import SpringDamper
from flexmb.forces.spatial.stop import DistanceStop, JointStop
from flexmb.forces.spatial.tire import Tire
from flexmb.forces.spatial.torsion_spring import TorsionSpring

__all__ = [
    "Bushing",
    "Contact",
    "ContactAmong",
    "DistanceStop",
    "DistributedLoad",
    "FrameState",
    "GravityGradient",
    "JointForce",
    "JointStop",
    "Motor",
    "PointForce",
    "PointTorque",
    "PythonForce",
    "SpringDamper",
    "Tire",
    "TorsionSpring",
]
