"""Forces in space, one a file."""

from flexmb.forces.spatial.bushing import SpatialBushing
from flexmb.forces.spatial.gravity_gradient import GravityGradient
from flexmb.forces.spatial.torsion_spring import HingeSpring

__all__ = ["GravityGradient", "HingeSpring", "SpatialBushing"]
