"""Random mechanisms for tests of formulations, those of the case `agreement`."""

from flexmb.validation.random_mechanisms.trees import (
    KINDS,
    join,
    random_inertia,
    random_planar_tree,
    random_state,
    random_tree,
)

__all__ = ["KINDS", "join", "random_inertia", "random_planar_tree", "random_state", "random_tree"]
