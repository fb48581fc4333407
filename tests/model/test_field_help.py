"""help() of a component: its text and all its fields stand before what it inherits."""

from __future__ import annotations

import dataclasses
import pydoc

import pytest

import flexmb as fm


@pytest.mark.parametrize(
    "of",
    [
        fm.planar.RigidBody, fm.planar.Revolute, fm.spatial.Revolute, fm.planar.CmsBeam, fm.spatial.Contact,
        fm.spatial.ReactionWheel,
    ],
)  # fmt: skip
def test_help_begins_with_the_fields(of):
    head = pydoc.plain(pydoc.render_doc(of)).partition("Method resolution order")[0]
    text = head.partition("Fields:")[2]
    for field in dataclasses.fields(of):
        if field.init:
            assert f"      {field.name}: " in text


def test_every_component_lists_its_fields():
    every = [getattr(room, name) for room in (fm.planar, fm.spatial) for name in room.__all__]
    components = [x for x in every if isinstance(x, type) and issubclass(x, fm.Component) and x is not fm.Component]
    assert len(components) > 50
    for of in components:
        told = of.__doc__.partition("Fields:")[2]
        assert all(f"    {f.name}: " in told for f in dataclasses.fields(of) if f.init), of


def test_fields_of_bases_are_explained_once():
    text = fm.spatial.Revolute.__doc__
    assert text.count("Of every PairComponent: frames `a` and `b`") == 1
    assert "Of every" not in fm.planar.RigidBody.__doc__  # it tells all of its own


def test_own_components_have_it_too():
    @dataclasses.dataclass(eq=False)
    class Magnet(fm.Component):
        """A magnet.

        Arguments: `strength_at` [T].
        """

        strength_at: float = 1.0

    @dataclasses.dataclass(eq=False)
    class Strong(Magnet):
        """A strong magnet."""

    assert "    strength_at: float = 1.0" in Strong.__doc__
    assert "Of every Magnet: `strength_at` [T]." in Strong.__doc__
