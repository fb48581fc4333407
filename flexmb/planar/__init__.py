"""The plane: the model of a mechanism in it, and the classes of its frames, bodies, joints and forces, which the
methods of :class:`PlanarModel` make."""

from typing import TYPE_CHECKING

from flexmb.elements.planar.ancf_cable import AncfCable
from flexmb.elements.planar.beam import Beam, BeamPoint
from flexmb.elements.planar.cms_beam import CmsBeam
from flexmb.elements.planar.exact_beam import ExactBeam
from flexmb.elements.planar.floating_beam import FloatingBeam
from flexmb.elements.planar.modal_body import BodyInterface, ModalBody
from flexmb.elements.planar.rigid_body import RigidBody
from flexmb.forces.body_load import BodyLoad
from flexmb.forces.bushing import Bushing
from flexmb.forces.contact import Contact
from flexmb.forces.contact_among import ContactAmong
from flexmb.forces.distance_stop import DistanceStop
from flexmb.forces.distributed_load import DistributedLoad
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
from flexmb.joints.planar.joint import Joint
from flexmb.joints.planar.knife_edge import KnifeEdge
from flexmb.joints.planar.revolute import Revolute
from flexmb.joints.planar.rolling import RollingOnCircle, RollingOnLine
from flexmb.model.frames import Frame
from flexmb.model.geometry.planar_properties import BeamProperties
from flexmb.model.hints import no_name_in
from flexmb.planar.model import PlanarModel
from flexmb.results.tracks.track import Track

__all__ = [
    "AncfCable",
    "Beam",
    "BeamPoint",
    "BeamProperties",
    "BodyInterface",
    "BodyLoad",
    "Bushing",
    "CmsBeam",
    "Contact",
    "ContactAmong",
    "Distance",
    "DistanceStop",
    "DistributedLoad",
    "DriveAngle",
    "DriveDistance",
    "DrivePosition",
    "ExactBeam",
    "FloatingBeam",
    "Frame",
    "Gear",
    "Joint",
    "JointForce",
    "JointStop",
    "KnifeEdge",
    "Lock",
    "ModalBody",
    "Motor",
    "PinInSlot",
    "PlanarModel",
    "PointForce",
    "PointTorque",
    "Prismatic",
    "PythonForce",
    "Revolute",
    "RigidBody",
    "RollingOnCircle",
    "RollingOnLine",
    "SpringDamper",
    "ThermalLoad",
    "Tire",
    "TorsionSpring",
    "Track",
    "Weld",
]

if not TYPE_CHECKING:  # for type checkers there are the names that there are
    __getattr__ = no_name_in(__name__, __all__)
