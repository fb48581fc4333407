"""The components of space against the conformance suite."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import elements.spatial
import flexmb as fm
import flexmb.forces.spatial
import flexmb.joints.spatial
from flexmb import testing
from flexmb.model.components import Component
from tests.models.components_in_space import catalog


@pytest.mark.parametrize("name", catalog())
def test_conformance(name: str) -> None:
    testing.conformance(catalog()[name]())


def test_every_component_of_space_is_in_the_catalog() -> None:
    names = {name.split(":")[0] for name in catalog()} | {
        "Beam",
        "SpatialJoint",
        "LowerPair",
        "SpatialMass",
        "Aligned",
        "AxisJoint",
        "AxisPair",
        "TurningPair",
        "NoSlip",
        "Rolling",
        "OnRound",
        "OnPlane",
        "Figure",  # which has no kernels
        "Attraction",
        "AttractionAlong",
        "SurfaceLoad",
    }
    for room in (elements.spatial, flexmb.joints.spatial, flexmb.forces.spatial):
        prefix = room.__name__.removeprefix("flexmb.")
        for module in pkgutil.walk_packages(room.__path__, f"flexmb.{prefix}."):
            for name, family in vars(importlib.import_module(module.name)).items():
                if inspect.isclass(family) and issubclass(family, Component) and family.__module__ == module.name:
                    assert name.startswith("_") or name in names
    forces = [x for x in fm.spatial.__all__ if getattr(fm.spatial, x).__module__.startswith("flexmb.forces.")]
    assert len(forces) > 12 and set(forces) <= names | {"FrameState"}
