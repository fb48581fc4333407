# The names of this room: `__init__.py` reads them at run time, and imports one when it is first used.

from .blocks.reading import Formulas as Formulas
from .choosing import HybridFormulation as HybridFormulation
from .classical_formulation import ClassicalFormulation as ClassicalFormulation
from .dynamics import MassCenter as MassCenter
from .dynamics import Pose as Pose
from .flex_arm.flex_arm import FlexArm as FlexArm
from .flex_arm.flex_arm import FlexArmMatrices as FlexArmMatrices
from .flex_arm.run import FlexArmRun as FlexArmRun
from .flexible.boland_flexible import linearized as linearized
from .flexible.ho_herber import one_way as one_way
from .formulation import Formulation as Formulation
from .overview import FormulationRow as FormulationRow
from .overview import FormulationTable as FormulationTable
