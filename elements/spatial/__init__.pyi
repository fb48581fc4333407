# The names of this room: `__init__.py` reads them at run time, and imports one when it is first used.

from collections.abc import Mapping

from .ancf_cable import AncfCable as AncfCable
from .beam import Beam as Beam
from .beam import BeamPoint as BeamPoint
from .cms_beam import CmsBeam as CmsBeam
from .exact_beam import ExactBeam as ExactBeam
from .figure import Figure as Figure
from .floating_beam import FloatingBeam as FloatingBeam
from .modal_body import BodyInterface as BodyInterface
from .modal_body import ModalBody as ModalBody
from .offset_mass import PointMass as PointMass
from .rigid_body import RigidBody as RigidBody
from .tank import Tank as Tank
from .wheel import ReactionWheel as ReactionWheel
from .wheel import Wheel as Wheel

BEAMS: Mapping[str, type[Beam]]
