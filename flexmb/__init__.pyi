# The public names of flexmb. Each is stated once, here: `__init__.py` reads them at run time, and imports what is asked
# for when it is first used. A room is a folder of the package or one of its files; those with public names of their own
# come first.

from . import bodies as bodies
from . import control as control
from . import environments as environments
from . import errors as errors
from . import formulations as formulations
from . import planar as planar
from . import spatial as spatial

# analyses: questions about a mechanism beside its motion in time, and their answers
from .analyses.kinematics.inverse.inverse_kinematics import Posture as Posture
from .analyses.kinematics.inverse.inverse_kinematics import PostureSeries as PostureSeries
from .analyses.kinematics.inverse.inverse_kinematics import inverse_kinematics as inverse_kinematics
from .analyses.kinematics.inverse.joint_motion import JointMotion as JointMotion
from .analyses.kinematics.inverse.joint_motion import joint_motion as joint_motion
from .analyses.kinematics.motion import Motion as Motion
from .analyses.kinematics.motion import Singularity as Singularity
from .analyses.kinematics.motion import kinematics as kinematics
from .analyses.kinematics.sketch import assemble as assemble
from .analyses.linear.frequency_response import FrequencyResponse as FrequencyResponse
from .analyses.linear.frequency_response import frequency_response as frequency_response
from .analyses.linear.linear_model import LinearModel as LinearModel
from .analyses.linear.linearize import linearize as linearize
from .analyses.sensitivity.derivatives import Sensitivity as Sensitivity
from .analyses.sensitivity.sensitivity import sensitivity as sensitivity
from .analyses.sensitivity.sensitivity import static_sensitivity as static_sensitivity
from .analyses.statics.critical import CriticalPoint as CriticalPoint
from .analyses.statics.equilibrium import Equilibrium as Equilibrium
from .analyses.statics.equilibrium import equilibrium as equilibrium
from .analyses.statics.equilibrium_path import EquilibriumPath as EquilibriumPath
from .analyses.statics.equilibrium_path import equilibrium_path as equilibrium_path
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

# batches: one model many times
from .batches.batch import batch as batch
from .batches.runs import Runs as Runs

# errors: the base of all errors
from .errors import FlexmbError as FlexmbError

# forces: laws of friction, contacts and tires
from .forces.contact_law import hertz as hertz
from .forces.drives.lugre import LuGre as LuGre
from .forces.friction import Friction as Friction
from .forces.tire import TireLaw as TireLaw

# formulations: the same mechanism in joint coordinates
from .formulations.blocks.reading import SymbolicBlock as SymbolicBlock
from .formulations.choosing import formulation as formulation
from .formulations.classical.topology import Topology as Topology
from .formulations.dynamics import TreeDynamics as TreeDynamics
from .formulations.kinds import Hybrid as Hybrid
from .formulations.overview import formulations_of as formulations_of
from .formulations.tree.loops import Loops as Loops
from .formulations.tree.tree import Tree as Tree

# io: files of other programs, and robots
from .io.denavit_hartenberg import denavit_hartenberg as denavit_hartenberg
from .io.flexible_links import FlexibleLink as FlexibleLink
from .io.meshes import read_surface as read_surface
from .io.robot import Robot as Robot
from .io.robot import RobotJoint as RobotJoint
from .io.urdf import read_urdf as read_urdf

# joints: the law of friction in joints
from .joints.friction import JointFriction as JointFriction

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
from .model.geometry.axes import Arc as Arc
from .model.geometry.axes import Curve as Curve
from .model.geometry.axes import Helix as Helix
from .model.geometry.axes import Polyline as Polyline
from .model.geometry.axes import SplineCurve as SplineCurve
from .model.geometry.contact_shapes import Cavity as Cavity
from .model.geometry.contact_shapes import Corners as Corners
from .model.geometry.contact_shapes import Disk as Disk
from .model.geometry.contact_shapes import HalfPlane as HalfPlane
from .model.geometry.contact_shapes import HalfSpace as HalfSpace
from .model.geometry.section_outlines import section_of_outline as section_of_outline
from .model.geometry.section_outlines import section_of_regions as section_of_regions
from .model.geometry.section_shapes import Circle as Circle
from .model.geometry.section_shapes import Ellipse as Ellipse
from .model.geometry.section_shapes import Rectangle as Rectangle
from .model.geometry.section_shapes import Tube as Tube
from .model.geometry.sections import Material as Material
from .model.geometry.sections import Section as Section
from .model.geometry.shapes import Box as Box
from .model.geometry.shapes import CompoundShape as CompoundShape
from .model.geometry.shapes import Cylinder as Cylinder
from .model.geometry.shapes import HollowCylinder as HollowCylinder
from .model.geometry.shapes import OpenSurface as OpenSurface
from .model.geometry.shapes import Shape as Shape
from .model.geometry.shapes import Sphere as Sphere
from .model.geometry.surfaces import ClosedSurface as ClosedSurface
from .model.geometry.thin_walls import AngleSection as AngleSection
from .model.geometry.thin_walls import Channel as Channel
from .model.geometry.thin_walls import DoubleTee as DoubleTee
from .model.geometry.thin_walls import HollowRectangle as HollowRectangle
from .model.geometry.thin_walls import ThinWalls as ThinWalls
from .model.orientations import axes_along as axes_along
from .model.orientations import euler_angles as euler_angles
from .model.orientations import euler_parameters as euler_parameters
from .model.orientations import rotation_vector as rotation_vector

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
from .results.support import Support as Support
from .results.tracks.contact_track import ContactTrack as ContactTrack
from .results.tracks.contact_track import StopTrack as StopTrack
from .results.tracks.joint_track import JointTrack as JointTrack
from .results.tracks.whole_track import WholeTrack as WholeTrack

# solvers: motion in time
from .solvers.methods.own_method import add_method as add_method
from .solvers.methods.own_method import runge_kutta as runge_kutta
from .solvers.simulate import simulate as simulate
from .solvers.simulator import Simulator as Simulator

# spatial: the model of a mechanism in space
from .spatial.model import SpatialModel as SpatialModel

# studies: many runs over parameters
from .studies.outcomes import Outcome as Outcome
from .studies.parameters import grid as grid
from .studies.parameters import random_parameters as random_parameters
from .studies.refine import Refinement as Refinement
from .studies.refine import refine as refine
from .studies.study import load_study as load_study
from .studies.study import study as study
from .studies.table import Study as Study

# system: the equations of a model
from .system.freedoms import Freedoms as Freedoms
from .system.system import System as System

# visual: pictures in space
from .visual.paraview import export_vtk as export_vtk
from .visual.paraview import export_xdmf as export_xdmf
from .visual.view import View as View

__version__: str
