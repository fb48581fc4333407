"""Formulations of the equations of motion in joint coordinates, and what they yield: a model as a tree of links."""

from typing import TYPE_CHECKING

from flexmb.formulations.blocks.reading import Formulas
from flexmb.formulations.choosing import HybridFormulation
from flexmb.formulations.classical_formulation import ClassicalFormulation
from flexmb.formulations.dynamics import MassCenter, Pose
from flexmb.formulations.flex_arm.flex_arm import FlexArm, FlexArmMatrices
from flexmb.formulations.flex_arm.run import FlexArmRun
from flexmb.formulations.formulation import Formulation
from flexmb.formulations.overview import FormulationRow, FormulationTable
from flexmb.model.hints import no_name_in

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

if not TYPE_CHECKING:  # for type checkers there are the names that there are
    __getattr__ = no_name_in(__name__, __all__)
