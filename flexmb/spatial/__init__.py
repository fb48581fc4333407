"""Space: the model of a mechanism in it, and the classes of its frames, bodies, joints and forces, which the methods of
:class:`SpatialModel` make. What is the same in the plane and in space has one name in both rooms."""

from typing import TYPE_CHECKING

from flexmb.elements.spatial.ancf_cable import AncfCable
from flexmb.elements.spatial.beam import Beam, BeamPoint
from flexmb.elements.spatial.cms_beam import CmsBeam
from flexmb.elements.spatial.exact_beam import ExactBeam
from flexmb.elements.spatial.figure import Figure
from flexmb.elements.spatial.floating_beam import FloatingBeam
from flexmb.elements.spatial.modal_body import BodyInterface, ModalBody
from flexmb.elements.spatial.offset_mass import PointMass
from flexmb.elements.spatial.rigid_body import RigidBody
from flexmb.elements.spatial.tank import Tank
from flexmb.elements.spatial.wheel import ReactionWheel, Wheel
from flexmb.forces.body_load import BodyLoad
from flexmb.forces.bushing import Bushing
from flexmb.forces.contact import Contact
from flexmb.forces.contact_among import ContactAmong
from flexmb.forces.distance_stop import DistanceStop
from flexmb.forces.distributed_load import DistributedLoad
from flexmb.forces.joint_force import JointForce
from flexmb.forces.joint_stop import JointStop
from flexmb.forces.motor import Motor
from flexmb.forces.spatial.gravity_gradient import GravityGradient
from flexmb.forces.spatial.plate import Drag, SolarPressure
from flexmb.forces.spatial.point_force import PointForce, PointTorque
from flexmb.forces.spatial.python_force import FrameState, PythonForce
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
from flexmb.model.geometry.section_matrices import SectionMatrices
from flexmb.model.geometry.spatial_properties import BeamProperties
from flexmb.model.hints import no_name_in
from flexmb.model.spatial_frames import Frame
from flexmb.results.tracks.spatial_track import Track
from flexmb.spatial.arm_link import ArmLink
from flexmb.spatial.model import SpatialModel

__all__ = [
    "AncfCable",
    "ArmLink",
    "Beam",
    "BeamPoint",
    "BeamProperties",
    "Belt",
    "BodyInterface",
    "BodyLoad",
    "Bushing",
    "CmsBeam",
    "ConstantVelocity",
    "Contact",
    "ContactAmong",
    "Coupling",
    "Cylindrical",
    "Distance",
    "DistanceStop",
    "DistributedLoad",
    "Drag",
    "DriveAngle",
    "DriveDistance",
    "DriveJoint",
    "DrivePosition",
    "DriveRotation",
    "ExactBeam",
    "Figure",
    "FloatingBeam",
    "Frame",
    "FrameState",
    "Gear",
    "GravityGradient",
    "JointForce",
    "JointStop",
    "KnifeEdge",
    "Lock",
    "ModalBody",
    "Motor",
    "ParallelAxes",
    "PlanarJoint",
    "PointForce",
    "PointInPlane",
    "PointMass",
    "PointOnCurve",
    "PointOnLine",
    "PointTorque",
    "Prismatic",
    "PythonForce",
    "RackAndPinion",
    "ReactionWheel",
    "Revolute",
    "RigidBody",
    "RollingOnCylinder",
    "RollingOnSphere",
    "RollingSphere",
    "RollingWheel",
    "Screw",
    "SectionMatrices",
    "SolarPressure",
    "SpatialModel",
    "Spherical",
    "SpringDamper",
    "Tank",
    "ThermalLoad",
    "Thruster",
    "Tire",
    "TorsionSpring",
    "Track",
    "Universal",
    "Weld",
    "Wheel",
]

if not TYPE_CHECKING:  # for type checkers there are the names that there are
    __getattr__ = no_name_in(__name__, __all__)
