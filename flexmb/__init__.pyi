# The public names of flexmb. Each is stated once, here: `__init__.py` reads them at run time, and imports what is asked
# for when it is first used. A room is a folder of the package or one of its files.

# analyses: questions about a mechanism beside its motion in time, and their answers
from .analyses.kinematics.motion import Motion as Motion
from .analyses.kinematics.motion import Singularity as Singularity
from .analyses.kinematics.motion import kinematics as kinematics
from .analyses.kinematics.sketch import assemble as assemble
from .analyses.linear.frequency_response import FrequencyResponse as FrequencyResponse
from .analyses.linear.frequency_response import frequency_response as frequency_response
from .analyses.linear.linear_model import LinearModel as LinearModel
from .analyses.linear.linear_model import LinearRun as LinearRun
from .analyses.linear.linearise import linearise as linearise
from .analyses.sensitivity.sensitivity import Sensitivity as Sensitivity
from .analyses.sensitivity.sensitivity import sensitivity as sensitivity
from .analyses.sensitivity.sensitivity import static_sensitivity as static_sensitivity
from .analyses.statics.critical import CriticalPoint as CriticalPoint
from .analyses.statics.equilibrium import Equilibrium as Equilibrium
from .analyses.statics.equilibrium import equilibrium as equilibrium
from .analyses.statics.load_path import LoadPath as LoadPath
from .analyses.statics.load_path import load_path as load_path
from .analyses.statics.quasi_static import quasi_static as quasi_static
from .analyses.statics.rotation import SteadyRotation as SteadyRotation
from .analyses.vibration.campbell import Campbell as Campbell
from .analyses.vibration.campbell import campbell as campbell
from .analyses.vibration.complex_modes import ComplexModes as ComplexModes
from .analyses.vibration.complex_modes import complex_modes as complex_modes
from .analyses.vibration.critical_speeds import CriticalSpeed as CriticalSpeed
from .analyses.vibration.mode_shapes import ModeShape as ModeShape
from .analyses.vibration.modes import Modes as Modes
from .analyses.vibration.modes import modes as modes

# control: sensors, laws and controllers
from .control.attitude_sensors import AttitudeAngle as AttitudeAngle
from .control.attitude_sensors import AttitudeError as AttitudeError
from .control.attitude_sensors import AttitudeRate as AttitudeRate
from .control.attitude_sensors import StarTracker as StarTracker
from .control.controller import Controller as Controller
from .control.frame_sensors import Accelerometer as Accelerometer
from .control.frame_sensors import Gyro as Gyro
from .control.frame_sensors import RangeFinder as RangeFinder
from .control.frame_sensors import RangeRate as RangeRate
from .control.frame_sensors import Speedometer as Speedometer
from .control.joint_sensors import HingeAngle as HingeAngle
from .control.joint_sensors import HingeRate as HingeRate
from .control.joint_sensors import LoadCell as LoadCell
from .control.joint_sensors import SlidePosition as SlidePosition
from .control.joint_sensors import SlideSpeed as SlideSpeed
from .control.joint_sensors import TorqueMeter as TorqueMeter
from .control.laws import Law as Law
from .control.laws import LinearLaw as LinearLaw
from .control.laws import PythonLaw as PythonLaw
from .control.sensors import JointAngle as JointAngle
from .control.sensors import JointRate as JointRate
from .control.sensors import MotorAngle as MotorAngle
from .control.sensors import MotorRate as MotorRate
from .control.sensors import Reference as Reference
from .control.sensors import Sensor as Sensor
from .control.sensors import StrainGauge as StrainGauge
from .control.sliding_law import SlidingLaw as SlidingLaw

# design: feedback and filters, designed on linear models
from .design.filters import differentiator as differentiator
from .design.filters import filtered as filtered
from .design.filters import low_pass as low_pass
from .design.filters import transfer_function as transfer_function
from .design.lqr import Regulator as Regulator
from .design.lqr import lqr as lqr
from .design.output_feedback import lyapunov as lyapunov
from .design.output_feedback import minimum_error_excitation as minimum_error_excitation
from .design.servo import servo_errors as servo_errors
from .design.sliding import SlidingDesign as SlidingDesign
from .design.sliding import sliding_mode as sliding_mode

# elements: bodies and beams
from .elements.planar.ancf_cable import AncfCable as AncfCable
from .elements.planar.beam import Beam as Beam
from .elements.planar.beam import BeamPoint as BeamPoint
from .elements.planar.cms_beam import CmsBeam as CmsBeam
from .elements.planar.exact_beam import ExactBeam as ExactBeam
from .elements.planar.floating_beam import FloatingBeam as FloatingBeam
from .elements.planar.rigid_body import RigidBody as RigidBody
from .elements.spatial.beam import SpatialBeam as SpatialBeam
from .elements.spatial.beam import SpatialBeamPoint as SpatialBeamPoint
from .elements.spatial.cms_beam import SpatialCmsBeam as SpatialCmsBeam
from .elements.spatial.figure import Figure as Figure
from .elements.spatial.floating_beam import SpatialFloatingBeam as SpatialFloatingBeam
from .elements.spatial.offset_mass import SpatialPointMass as SpatialPointMass
from .elements.spatial.rigid_body import SpatialBody as SpatialBody
from .elements.spatial.wheel import ReactionWheel as ReactionWheel
from .elements.spatial.wheel import Wheel as Wheel

# errors: what may be raised, and what is warned of
from .errors import AccuracyWarning as AccuracyWarning
from .errors import BalanceWarning as BalanceWarning
from .errors import ControlError as ControlError
from .errors import DisplayError as DisplayError
from .errors import DivergenceWarning as DivergenceWarning
from .errors import EquilibriumError as EquilibriumError
from .errors import FlexmbError as FlexmbError
from .errors import FormulationError as FormulationError
from .errors import InitialConditionError as InitialConditionError
from .errors import InitialConditionWarning as InitialConditionWarning
from .errors import KernelError as KernelError
from .errors import LinearModelError as LinearModelError
from .errors import MissingExtraError as MissingExtraError
from .errors import ModelError as ModelError
from .errors import NamingError as NamingError
from .errors import PictureWarning as PictureWarning
from .errors import RedundancyError as RedundancyError
from .errors import RedundancyWarning as RedundancyWarning
from .errors import ResultFileError as ResultFileError
from .errors import SizeError as SizeError
from .errors import SizeWarning as SizeWarning
from .errors import SolverError as SolverError
from .errors import StudyError as StudyError
from .errors import StudyWarning as StudyWarning
from .errors import SwitchingError as SwitchingError
from .errors import UnknownArgumentError as UnknownArgumentError
from .errors import UnknownAttributeError as UnknownAttributeError
from .errors import UnstableLoopWarning as UnstableLoopWarning

# forces: springs, motors and loads
from .forces.contact_law import hertz as hertz
from .forces.friction import Friction as Friction
from .forces.planar.bushing import Bushing as Bushing
from .forces.planar.contact import Contact as Contact
from .forces.planar.contact import ContactAmong as ContactAmong
from .forces.planar.distributed_load import DistributedLoad as DistributedLoad
from .forces.planar.motor import Motor as Motor
from .forces.planar.point_force import PointForce as PointForce
from .forces.planar.point_force import PointTorque as PointTorque
from .forces.planar.python_force import PythonForce as PythonForce
from .forces.planar.spring_damper import SpringDamper as SpringDamper
from .forces.planar.stop import DistanceStop as DistanceStop
from .forces.planar.stop import JointStop as JointStop
from .forces.planar.torsion_spring import TorsionSpring as TorsionSpring
from .forces.planar.tyre import PlanarTyre as PlanarTyre
from .forces.spatial.bushing import SpatialBushing as SpatialBushing
from .forces.spatial.contact import SpatialContact as SpatialContact
from .forces.spatial.contact import SpatialContactAmong as SpatialContactAmong
from .forces.spatial.distributed_load import SpatialDistributedLoad as SpatialDistributedLoad
from .forces.spatial.gravity_gradient import GravityGradient as GravityGradient
from .forces.spatial.joint_actuator import JointActuator as JointActuator
from .forces.spatial.motor import SpatialMotor as SpatialMotor
from .forces.spatial.point_force import SpatialPointForce as SpatialPointForce
from .forces.spatial.point_force import SpatialPointTorque as SpatialPointTorque
from .forces.spatial.python_force import FrameState as FrameState
from .forces.spatial.python_force import SpatialPythonForce as SpatialPythonForce
from .forces.spatial.spring_damper import SpatialSpringDamper as SpatialSpringDamper
from .forces.spatial.stop import SpatialDistanceStop as SpatialDistanceStop
from .forces.spatial.stop import SpatialJointStop as SpatialJointStop
from .forces.spatial.torsion_spring import HingeSpring as HingeSpring
from .forces.spatial.tyre import SpatialTyre as SpatialTyre
from .forces.tyre import Tyre as Tyre

# formulations: the same mechanism in joint coordinates
from .formulations.dynamics import MassCenter as MassCenter
from .formulations.dynamics import TreeDynamics as TreeDynamics
from .formulations.road import Road as Road
from .formulations.road import road as road
from .formulations.tree.loops import Loops as Loops
from .formulations.tree.tree import Tree as Tree

# io: files of other programs
from .io.meshes import read_surface as read_surface
from .io.robot import Robot as Robot
from .io.robot import RobotJoint as RobotJoint
from .io.urdf import load_urdf as load_urdf

# joints: constraints between frames, and drives
from .joints.friction import JointFriction as JointFriction
from .joints.planar.compound import Lock as Lock
from .joints.planar.compound import PinInSlot as PinInSlot
from .joints.planar.compound import Prismatic as Prismatic
from .joints.planar.compound import Weld as Weld
from .joints.planar.distance import Distance as Distance
from .joints.planar.distance import DriveDistance as DriveDistance
from .joints.planar.drive_angle import DriveAngle as DriveAngle
from .joints.planar.drive_position import DrivePosition as DrivePosition
from .joints.planar.gear import Gear as Gear
from .joints.planar.joint import Joint as Joint
from .joints.planar.knife_edge import KnifeEdge as KnifeEdge
from .joints.planar.revolute import Revolute as Revolute
from .joints.planar.rolling import RollingOnCircle as RollingOnCircle
from .joints.planar.rolling import RollingOnLine as RollingOnLine
from .joints.spatial.constant_velocity import ConstantVelocity as ConstantVelocity
from .joints.spatial.coupling import JointCoupling as JointCoupling
from .joints.spatial.distance import SpatialDistance as SpatialDistance
from .joints.spatial.distance import SpatialDriveDistance as SpatialDriveDistance
from .joints.spatial.drives.drive_angle import DriveHinge as DriveHinge
from .joints.spatial.drives.drive_joint import DriveJoint as DriveJoint
from .joints.spatial.drives.drive_position import SpatialDrivePosition as SpatialDrivePosition
from .joints.spatial.drives.drive_rotation import DriveRotation as DriveRotation
from .joints.spatial.gear import Belt as Belt
from .joints.spatial.gear import RackAndPinion as RackAndPinion
from .joints.spatial.gear import SpatialGear as SpatialGear
from .joints.spatial.knife_edge import SpatialKnifeEdge as SpatialKnifeEdge
from .joints.spatial.lock import SpatialLock as SpatialLock
from .joints.spatial.lower_pairs import Cylindrical as Cylindrical
from .joints.spatial.lower_pairs import Hinge as Hinge
from .joints.spatial.lower_pairs import ParallelAxes as ParallelAxes
from .joints.spatial.lower_pairs import PlanarJoint as PlanarJoint
from .joints.spatial.lower_pairs import PointInPlane as PointInPlane
from .joints.spatial.lower_pairs import PointOnLine as PointOnLine
from .joints.spatial.lower_pairs import SpatialPrismatic as SpatialPrismatic
from .joints.spatial.lower_pairs import SpatialWeld as SpatialWeld
from .joints.spatial.lower_pairs import Spherical as Spherical
from .joints.spatial.lower_pairs import Universal as Universal
from .joints.spatial.point_on_curve import PointOnCurve as PointOnCurve
from .joints.spatial.rolling import RollingSphere as RollingSphere
from .joints.spatial.rolling import RollingWheel as RollingWheel
from .joints.spatial.rolling_bodies import RollingOnCylinder as RollingOnCylinder
from .joints.spatial.rolling_bodies import RollingOnSphere as RollingOnSphere
from .joints.spatial.screw import Screw as Screw

# model: what a mechanism is made of, and functions of time
from .model.components import Component as Component
from .model.damping import ModalDamping as ModalDamping
from .model.damping import StiffnessProportional as StiffnessProportional
from .model.events import Crossing as Crossing
from .model.events import Event as Event
from .model.events import Note as Note
from .model.events import StopRun as StopRun
from .model.events import Switch as Switch
from .model.events import crossing as crossing
from .model.frames import Frame as Frame
from .model.functions.jumping_functions import PiecewiseLinear as PiecewiseLinear
from .model.functions.jumping_functions import Pulse as Pulse
from .model.functions.jumping_functions import Step as Step
from .model.functions.smooth_functions import Harmonic as Harmonic
from .model.functions.smooth_functions import Polynomial as Polynomial
from .model.functions.smooth_functions import SmoothStep as SmoothStep
from .model.functions.smooth_functions import SpinUp as SpinUp
from .model.functions.smooth_functions import TrapezoidalSpeed as TrapezoidalSpeed
from .model.functions.splines import Spline as Spline
from .model.functions.splines import SplineFit as SplineFit
from .model.functions.splines import spline_fit as spline_fit
from .model.functions.time_function import Constant as Constant
from .model.functions.time_function import TimeFunction as TimeFunction
from .model.geometry.contact_shapes import Cavity as Cavity
from .model.geometry.contact_shapes import Disc as Disc
from .model.geometry.contact_shapes import HalfPlane as HalfPlane
from .model.geometry.contact_shapes import HalfSpace as HalfSpace
from .model.geometry.sections import BeamProperties as BeamProperties
from .model.geometry.sections import Circle as Circle
from .model.geometry.sections import Material as Material
from .model.geometry.sections import Rectangle as Rectangle
from .model.geometry.sections import Section as Section
from .model.geometry.sections import SpatialBeamProperties as SpatialBeamProperties
from .model.geometry.sections import Tube as Tube
from .model.geometry.shapes import Box as Box
from .model.geometry.shapes import CompoundShape as CompoundShape
from .model.geometry.shapes import Cylinder as Cylinder
from .model.geometry.shapes import HollowCylinder as HollowCylinder
from .model.geometry.shapes import OpenSurface as OpenSurface
from .model.geometry.shapes import Shape as Shape
from .model.geometry.shapes import Sphere as Sphere
from .model.geometry.surfaces import ClosedSurface as ClosedSurface
from .model.orientations import axes_along as axes_along
from .model.orientations import euler_angles as euler_angles
from .model.orientations import euler_parameters as euler_parameters
from .model.orientations import rotation_vector as rotation_vector
from .model.spatial_frames import SpatialFrame as SpatialFrame

# planar: the model of a mechanism in the plane
from .planar.model import PlanarModel as PlanarModel

# results: what happened: solutions, and what they give by name
from .results.energy.ledger import Ledger as Ledger
from .results.events import EventRecord as EventRecord
from .results.names import Series as Series
from .results.signals import ControlLog as ControlLog
from .results.solution import Solution as Solution
from .results.spectrum import Spectrum as Spectrum
from .results.state import Place as Place
from .results.state import State as State
from .results.statistics import Statistics as Statistics
from .results.store.reading import load as load
from .results.tracks.contact_track import ContactTrack as ContactTrack
from .results.tracks.contact_track import StopTrack as StopTrack
from .results.tracks.joint_track import JointTrack as JointTrack
from .results.tracks.spatial_track import SpatialTrack as SpatialTrack
from .results.tracks.track import Track as Track

# solvers: motion in time
from .solvers.simulate import simulate as simulate

# spatial: the model of a mechanism in space
from .spatial.model import SpatialModel as SpatialModel

# studies: many runs over parameters
from .studies.outcomes import Outcome as Outcome
from .studies.parameters import grid as grid
from .studies.parameters import random_parameters as random_parameters
from .studies.study import load_study as load_study
from .studies.study import study as study
from .studies.table import Study as Study

# system: the equations of a model
from .system.system import System as System

# visual: pictures in space
from .visual.paraview import export_vtk as export_vtk
from .visual.paraview import export_xdmf as export_xdmf
from .visual.view import View as View

__version__: str
