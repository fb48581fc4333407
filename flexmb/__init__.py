"""flexmb: flexible multibody dynamics, for mechanisms that turn far and bend.

Everything a user needs stands here; it is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_WHERE = {
    "PlanarModel": "flexmb.model.planar",
    "Frame": "flexmb.model.frames",
    "Component": "flexmb.model.components",
    "Material": "flexmb.model.materials",
    "Section": "flexmb.model.sections",
    "Circle": "flexmb.model.sections",
    "Tube": "flexmb.model.sections",
    "Rectangle": "flexmb.model.sections",
    "BeamProperties": "flexmb.model.sections",
    "StiffnessProportional": "flexmb.model.damping",
    "ModalDamping": "flexmb.model.damping",
    "System": "flexmb.system.system",
    "simulate": "flexmb.solvers.simulate",
    "study": "flexmb.studies.study",
    "load_study": "flexmb.studies.study",
    "Study": "flexmb.studies.table",
    "grid": "flexmb.studies.parameters",
    "random_parameters": "flexmb.studies.parameters",
    "Controller": "flexmb.control.controller",
    "LinearLaw": "flexmb.control.laws",
    "PythonLaw": "flexmb.control.laws",
    "SlidingLaw": "flexmb.control.sliding_law",
    "SlidingDesign": "flexmb.control.sliding",
    "sliding_mode": "flexmb.control.sliding",
    "lqr": "flexmb.control.lqr",
    "lyapunov": "flexmb.control.lyapunov",
    "minimum_error_excitation": "flexmb.control.output_feedback",
    "servo_errors": "flexmb.control.servo",
    "transfer_function": "flexmb.control.filters",
    "low_pass": "flexmb.control.filters",
    "differentiator": "flexmb.control.filters",
    "filtered": "flexmb.control.filters",
    "Accelerometer": "flexmb.control.sensors",
    "JointAngle": "flexmb.control.sensors",
    "JointRate": "flexmb.control.sensors",
    "MotorAngle": "flexmb.control.sensors",
    "MotorRate": "flexmb.control.sensors",
    "Reference": "flexmb.control.sensors",
    "Speedometer": "flexmb.control.sensors",
    "StrainGauge": "flexmb.control.sensors",
    "State": "flexmb.analyses.state",
    "equilibrium": "flexmb.analyses.equilibrium",
    "Equilibrium": "flexmb.analyses.equilibrium",
    "load_path": "flexmb.analyses.load_path",
    "LoadPath": "flexmb.analyses.load_path",
    "quasi_static": "flexmb.analyses.quasi_static",
    "kinematics": "flexmb.analyses.kinematics",
    "Motion": "flexmb.analyses.kinematics",
    "assemble": "flexmb.analyses.sketch",
    "Singularity": "flexmb.analyses.kinematics",
    "modes": "flexmb.analyses.modes",
    "Modes": "flexmb.analyses.modes",
    "complex_modes": "flexmb.analyses.complex_modes",
    "ComplexModes": "flexmb.analyses.complex_modes",
    "campbell": "flexmb.analyses.campbell",
    "Campbell": "flexmb.analyses.campbell",
    "CriticalPoint": "flexmb.analyses.critical",
    "sensitivity": "flexmb.analyses.sensitivity",
    "static_sensitivity": "flexmb.analyses.sensitivity",
    "Sensitivity": "flexmb.analyses.sensitivity",
    "linearise": "flexmb.analyses.linearise",
    "LinearModel": "flexmb.analyses.linear_model",
    "frequency_response": "flexmb.analyses.frequency_response",
    "FrequencyResponse": "flexmb.analyses.frequency_response",
    "darken": "flexmb.results.dark",
    "Solution": "flexmb.results.solution",
    "load": "flexmb.results.solution",
    "View": "flexmb.visual.view",
    "export_vtk": "flexmb.visual.paraview",
    "export_xdmf": "flexmb.visual.paraview",
    "AncfCable": "flexmb.elements.ancf_cable",
    "CmsBeam": "flexmb.elements.cms_beam",
    "ExactBeam": "flexmb.elements.exact_beam",
    "FloatingBeam": "flexmb.elements.floating_beam",
    "Bushing": "flexmb.forces.bushing",
    "DistributedLoad": "flexmb.forces.distributed_load",
    "Friction": "flexmb.forces.friction",
    "Motor": "flexmb.forces.motor",
    "PythonForce": "flexmb.forces.python_force",
    "PointForce": "flexmb.forces.point_force",
    "PointTorque": "flexmb.forces.point_force",
    "SpringDamper": "flexmb.forces.spring_damper",
    "TorsionSpring": "flexmb.forces.torsion_spring",
    "Constant": "flexmb.model.functions",
    "Harmonic": "flexmb.model.functions",
    "Polynomial": "flexmb.model.functions",
    "SmoothStep": "flexmb.model.functions",
    "SpinUp": "flexmb.model.functions",
    "Spline": "flexmb.model.functions",
    "TimeFunction": "flexmb.model.functions",
    "TrapezoidalSpeed": "flexmb.model.functions",
    "spline_fit": "flexmb.model.functions",
    "Distance": "flexmb.joints.distance",
    "DriveAngle": "flexmb.joints.drive_angle",
    "DriveDistance": "flexmb.joints.distance",
    "DrivePosition": "flexmb.joints.drive_position",
    "Gear": "flexmb.joints.gear",
    "Lock": "flexmb.joints.lock",
    "PinInSlot": "flexmb.joints.pin_in_slot",
    "Prismatic": "flexmb.joints.prismatic",
    "Revolute": "flexmb.joints.revolute",
    "Weld": "flexmb.joints.weld",
    "Joint": "flexmb.joints.base",
    "FlexmbError": "flexmb.errors",
    "EquilibriumError": "flexmb.errors",
    "ControlError": "flexmb.errors",
    "DisplayError": "flexmb.errors",
    "KernelError": "flexmb.errors",
}

__all__ = ["__version__", *sorted(_WHERE)]

if TYPE_CHECKING:
    from flexmb.analyses.campbell import Campbell, campbell
    from flexmb.analyses.complex_modes import ComplexModes, complex_modes
    from flexmb.analyses.critical import CriticalPoint
    from flexmb.analyses.equilibrium import Equilibrium, equilibrium
    from flexmb.analyses.frequency_response import FrequencyResponse, frequency_response
    from flexmb.analyses.kinematics import Motion, Singularity, kinematics
    from flexmb.analyses.linear_model import LinearModel
    from flexmb.analyses.linearise import linearise
    from flexmb.analyses.load_path import LoadPath, load_path
    from flexmb.analyses.modes import Modes, modes
    from flexmb.analyses.quasi_static import quasi_static
    from flexmb.analyses.sensitivity import Sensitivity, sensitivity, static_sensitivity
    from flexmb.analyses.sketch import assemble
    from flexmb.analyses.state import State
    from flexmb.control.controller import Controller
    from flexmb.control.filters import differentiator, filtered, low_pass, transfer_function
    from flexmb.control.laws import LinearLaw, PythonLaw
    from flexmb.control.lqr import lqr
    from flexmb.control.lyapunov import lyapunov
    from flexmb.control.output_feedback import minimum_error_excitation
    from flexmb.control.sensors import (
        Accelerometer,
        JointAngle,
        JointRate,
        MotorAngle,
        MotorRate,
        Reference,
        Speedometer,
        StrainGauge,
    )
    from flexmb.control.servo import servo_errors
    from flexmb.control.sliding import SlidingDesign, sliding_mode
    from flexmb.control.sliding_law import SlidingLaw
    from flexmb.elements.ancf_cable import AncfCable
    from flexmb.elements.cms_beam import CmsBeam
    from flexmb.elements.exact_beam import ExactBeam
    from flexmb.elements.floating_beam import FloatingBeam
    from flexmb.errors import ControlError, DisplayError, EquilibriumError, FlexmbError, KernelError
    from flexmb.forces.bushing import Bushing
    from flexmb.forces.distributed_load import DistributedLoad
    from flexmb.forces.friction import Friction
    from flexmb.forces.motor import Motor
    from flexmb.forces.point_force import PointForce, PointTorque
    from flexmb.forces.python_force import PythonForce
    from flexmb.forces.spring_damper import SpringDamper
    from flexmb.forces.torsion_spring import TorsionSpring
    from flexmb.joints.base import Joint
    from flexmb.joints.distance import Distance, DriveDistance
    from flexmb.joints.drive_angle import DriveAngle
    from flexmb.joints.drive_position import DrivePosition
    from flexmb.joints.gear import Gear
    from flexmb.joints.lock import Lock
    from flexmb.joints.pin_in_slot import PinInSlot
    from flexmb.joints.prismatic import Prismatic
    from flexmb.joints.revolute import Revolute
    from flexmb.joints.weld import Weld
    from flexmb.model.components import Component
    from flexmb.model.damping import ModalDamping, StiffnessProportional
    from flexmb.model.frames import Frame
    from flexmb.model.functions import (
        Constant,
        Harmonic,
        Polynomial,
        SmoothStep,
        SpinUp,
        Spline,
        TimeFunction,
        TrapezoidalSpeed,
        spline_fit,
    )
    from flexmb.model.materials import Material
    from flexmb.model.planar import PlanarModel
    from flexmb.model.sections import BeamProperties, Circle, Rectangle, Section, Tube
    from flexmb.results.dark import darken
    from flexmb.results.solution import Solution, load
    from flexmb.solvers.simulate import simulate
    from flexmb.studies.parameters import grid, random_parameters
    from flexmb.studies.study import load_study, study
    from flexmb.studies.table import Study
    from flexmb.system.system import System
    from flexmb.visual.paraview import export_vtk, export_xdmf
    from flexmb.visual.view import View


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        value = getattr(importlib.import_module(_WHERE[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'flexmb' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
