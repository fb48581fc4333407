"""Mechanisms with beams of component modes and rotors, for tests of formulations: those of the case `agreement`."""

from flexmb.validation.random_mechanisms.trees_with_beams import (
    SOFT,
    bent_state,
    planar_beams,
    planar_places,
    spatial_beams,
    spatial_places,
)

__all__ = ["SOFT", "bent_state", "planar_beams", "planar_places", "spatial_beams", "spatial_places"]
