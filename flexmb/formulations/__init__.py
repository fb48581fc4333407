"""Formulations of the equations of motion in joint coordinates, and what they yield: a model as a tree of links."""

from flexmb.formulations.blocks.reading import Formulas
from flexmb.formulations.choosing import HybridFormulation
from flexmb.formulations.classical_formulation import ClassicalFormulation
from flexmb.formulations.dynamics import MassCenter, Pose
from flexmb.formulations.flex_arm.flex_arm import FlexArm, FlexArmMatrices
from flexmb.formulations.flex_arm.run import FlexArmRun
from flexmb.formulations.formulation import Formulation
from flexmb.formulations.overview import FormulationRow, FormulationTable

__all__ = [
    "ClassicalFormulation",
    "FlexArm",
    "FlexArmMatrices",
    "FlexArmRun",
    "Formulas",
    "Formulation",
    "FormulationRow",
    "FormulationTable",
    "HybridFormulation",
    "MassCenter",
    "Pose",
]
