"""Forces in the plane, one a file."""

from flexmb.forces.planar.bushing import Bushing
from flexmb.forces.planar.contact import Contact, ContactAmong
from flexmb.forces.planar.distributed_load import DistributedLoad
from flexmb.forces.planar.motor import Motor
from flexmb.forces.planar.point_force import PointForce, PointTorque
from flexmb.forces.planar.python_force import PythonForce
from flexmb.forces.planar.spring_damper import SpringDamper
from flexmb.forces.planar.stop import DistanceStop, JointStop
from flexmb.forces.planar.tire import Tire
from flexmb.forces.planar.torsion_spring import TorsionSpring

__all__ = [
    "Bushing",
    "Contact",
    "ContactAmong",
    "DistanceStop",
    "DistributedLoad",
    "JointStop",
    "Motor",
    "PointForce",
    "PointTorque",
    "PythonForce",
    "SpringDamper",
    "Tire",
    "TorsionSpring",
]
