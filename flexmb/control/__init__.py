"""Control: sensors, sampled controllers and their laws, and the design of feedback and filters on linear models."""

from typing import TYPE_CHECKING

from flexmb.analyses.linear.floquet import Floquet
from flexmb.analyses.linear.linear_model import LinearRun
from flexmb.analyses.linear.time_varying import TimeVaryingModel
from flexmb.control.computed_torque import ComputedTorque
from flexmb.control.filters import differentiator, filtered, low_pass, transfer_function
from flexmb.control.gains import Gains
from flexmb.control.loop_at import loop_at
from flexmb.control.lqr import Regulator, lqr
from flexmb.control.margins import StabilityMargins, stability_margins
from flexmb.control.operational_space import OperationalSpace
from flexmb.control.output_feedback import lyapunov, minimum_error_excitation
from flexmb.control.reaction_null_space import ReactionNullSpace
from flexmb.control.servo import servo_errors
from flexmb.control.sliding import SlidingDesign, sliding_mode
from flexmb.control.virtual_loop import VirtualLoop
from flexmb.control.virtual_springs import FollowingGain, ReactionlessDamper, VirtualSpring, VirtualSprings
from flexmb.feedback.attitude_sensors import AttitudeAngle, AttitudeError, AttitudeRate, StarTracker
from flexmb.feedback.controller import Controller
from flexmb.feedback.frame_sensors import Accelerometer, Gyro, RangeFinder, RangeRate, Speedometer
from flexmb.feedback.joint_sensors import JointAngle, JointPosition, JointRate, JointSpeed, LoadCell, TorqueMeter
from flexmb.feedback.laws import Law, LinearLaw, PythonLaw
from flexmb.feedback.named_sensors import NamedQuantity, OwnSensor
from flexmb.feedback.sensors import MotorAngle, MotorRate, Reference, RelativeAngle, RelativeRate, Sensor
from flexmb.feedback.sliding_law import SlidingLaw
from flexmb.feedback.states import States, StateValue
from flexmb.feedback.strain_gauge import StrainGauge
from flexmb.feedback.sum_sensor import WeightedSum
from flexmb.feedback.surface_gauge import SurfaceGauge
from flexmb.feedback.whole_sensor import WholeSensor
from flexmb.model.hints import no_name_in

__all__ = [
    "Accelerometer",
    "AttitudeAngle",
    "AttitudeError",
    "AttitudeRate",
    "ComputedTorque",
    "Controller",
    "Floquet",
    "FollowingGain",
    "Gains",
    "Gyro",
    "JointAngle",
    "JointPosition",
    "JointRate",
    "JointSpeed",
    "Law",
    "LinearLaw",
    "LinearRun",
    "LoadCell",
    "MotorAngle",
    "MotorRate",
    "NamedQuantity",
    "OperationalSpace",
    "OwnSensor",
    "PythonLaw",
    "RangeFinder",
    "RangeRate",
    "ReactionNullSpace",
    "ReactionlessDamper",
    "Reference",
    "Regulator",
    "RelativeAngle",
    "RelativeRate",
    "Sensor",
    "SlidingDesign",
    "SlidingLaw",
    "Speedometer",
    "StabilityMargins",
    "StarTracker",
    "StateValue",
    "States",
    "StrainGauge",
    "SurfaceGauge",
    "TimeVaryingModel",
    "TorqueMeter",
    "VirtualLoop",
    "VirtualSpring",
    "VirtualSprings",
    "WeightedSum",
    "WholeSensor",
    "differentiator",
    "filtered",
    "loop_at",
    "low_pass",
    "lqr",
    "lyapunov",
    "minimum_error_excitation",
    "servo_errors",
    "sliding_mode",
    "stability_margins",
    "transfer_function",
]

if not TYPE_CHECKING:  # for type checkers there are the names that there are
    __getattr__ = no_name_in(__name__, __all__)
