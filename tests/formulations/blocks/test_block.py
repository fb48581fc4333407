"""Programs of blocks on disk: by structure, whole, and of this derivation only."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import flexmb as fm
from flexmb.formulations.blocks import block
from flexmb.formulations.blocks.expressions import TooLarge
from flexmb.formulations.blocks.flexible import flexible_of
from flexmb.kernels import cache
from tests.models.upright_arms import arm


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder for what is kept on disk, and no programs in memory."""
    fm.Tree.of(arm((0.5, 0.4, 0.3)))  # its kernels are those of all tests
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(block, "_derived", {})
    monkeypatch.setattr(block, "_beyond", {})
    tmp_path.chmod(0o700)
    return tmp_path


@pytest.fixture
def derivations(monkeypatch):
    """The structures that are derived."""
    found = []
    derive = block.derive
    monkeypatch.setattr(block, "derive", lambda structure, budget: found.append(structure) or derive(structure, budget))
    return found


def programs(model):
    tree = fm.Tree.of(model)
    structure, _ = block.structure_of(tree.arrays, [0, 1, 2], [], False)
    block._derived.clear()
    return block.programs_of(structure, 10_000)


def test_other_parameters_and_poses_derive_nothing(folder, derivations):
    first = programs(arm((0.5, 0.4, 0.3)))
    assert len(derivations) == 1 and len(list(folder.glob("*/block-*"))) == 1
    assert programs(arm((0.1, 0.7, 0.2))) == first
    assert len(derivations) == 1
    programs(arm((0.5, 0.4, 0.3), axes="zyy"))
    assert len(derivations) == 2


def test_flexible_links_of_other_numbers_have_the_same_structure():
    found = []
    for EI, length, modes in ((10.0, 1.0, 2), (35.0, 0.7, 2), (10.0, 1.0, 1)):
        m, given = fm.PlanarModel("rod"), fm.planar.BeamProperties(EA=1e6, EI=EI, rhoA=0.6)
        rod = m.add_beam("rod", (0, 0), (length, 0), properties=given, theory="floating", modes=modes)
        m.revolute(m.ground, rod.start, name="hinge")
        tree = fm.Tree.of(m)
        found.append(block.structure_of(tree.arrays, [0, 1], [], False, flexible_of(tree)))
    (first, numbers), (second, others), (third, _) = found
    assert first == second and first.key() == second.key() and first.speeds == 3 and third.speeds == 2
    assert len(numbers) == len(others) == len(first.parameters()) and (numbers != others).any()


@pytest.mark.parametrize("damage", ["cut short", "another program", "no text", "beyond its arrays"])
def test_what_is_damaged_on_disk_is_derived_anew(folder, derivations, damage):
    good = programs(arm((0.5, 0.4, 0.3)))
    (file,) = folder.glob("*/block-*")
    text = good.text()
    if damage == "cut short":
        file.write_bytes(file.read_bytes()[:-9])
    elif damage == "another program":
        cache.keep_text(file.name.removesuffix(cache.SUFFIX), "import os\n\n\n\nrm")
    elif damage == "no text":
        cache.keep_text(file.name.removesuffix(cache.SUFFIX), "")
    else:
        line = next(line for line in text.splitlines() if line.startswith("symbol given"))
        cache.keep_text(file.name.removesuffix(cache.SUFFIX), text.replace(line, "symbol given 100000"))
    assert programs(arm((0.5, 0.4, 0.3))) == good
    assert len(derivations) == 2
    assert programs(arm((0.5, 0.4, 0.3))) == good and len(derivations) == 2  # and kept again


def test_what_another_version_derived_is_not_used(folder, derivations, monkeypatch):
    programs(arm((0.5, 0.4, 0.3)))
    monkeypatch.setattr(block, "_of_derivation", lambda: "another")
    programs(arm((0.5, 0.4, 0.3)))
    assert len(derivations) == 2


def test_many_flexible_links_on_one_hub():
    m, given = fm.PlanarModel("hub"), fm.planar.BeamProperties(EA=1e6, EI=50.0, rhoA=0.6)
    hub = m.add_body("hub", mass=1.0, inertia=0.1)
    m.revolute(m.ground, hub.frame, name="hinge")
    for k in range(27):
        end = np.cos(0.2 * k), np.sin(0.2 * k)
        m.add_beam(f"beam{k}", hub.frame, end, properties=given, theory="floating", modes=1)
    tree = fm.Tree.of(m)
    own = list(range(len(tree.links)))
    structure, numbers = block.structure_of(tree.arrays, own, [], False, flexible_of(tree))
    names = structure.parameters()
    assert len(names) == len(set(names)) == len(numbers) and structure.speeds == 28
    masses = [name for name in names if name.startswith("mb_")]
    assert masses[0] == "mb_1a" and masses[-2:] == ["mb_1za", "mb_1zb"]


def test_a_budget_means_the_same_whether_or_not_a_block_is_kept(folder):
    structure, _ = block.structure_of(fm.Tree.of(arm((0.5, 0.4, 0.3))).arrays, [0, 1, 2], [], False)
    needed = block.programs_of(structure, 10_000).statements
    for keep in (lambda: None, block._derived.clear, lambda: (block._derived.clear(), cache.clear())):
        keep()
        with pytest.raises(TooLarge):
            block.programs_of(structure, needed - 1)
        keep()
        assert block.programs_of(structure, needed).statements == needed


def test_that_a_budget_is_too_small_is_kept(folder, derivations):
    structure, _ = block.structure_of(fm.Tree.of(arm((0.5, 0.4, 0.3))).arrays, [0, 1, 2], [], False)
    for budget, count in ((50, 1), (50, 1), (40, 1), (60, 2), (60, 2)):
        block._beyond.clear()  # another process
        with pytest.raises(TooLarge):
            block.programs_of(structure, budget)
        assert len(derivations) == count
    (file,) = folder.glob("*/block-*-beyond*")
    cache.keep_text(file.name.removesuffix(cache.SUFFIX), "much")
    block._beyond.clear()
    with pytest.raises(TooLarge):
        block.programs_of(structure, 50)
    assert len(derivations) == 3
    assert block.programs_of(structure, 10_000).statements > 60  # a larger one is enough


def test_the_digest_of_the_derivation_needs_no_source(monkeypatch):
    monkeypatch.setattr(inspect, "getsource", None)
    block._of_derivation.cache_clear()
    assert len(block._of_derivation()) == 64


def test_nothing_is_kept_where_others_can_write(folder, derivations):
    cache._why_not.cache_clear()
    folder.chmod(0o777)
    try:
        programs(arm((0.5, 0.4, 0.3)))
        assert not list(folder.glob("*/block-*")) and len(derivations) == 1
    finally:
        cache._why_not.cache_clear()


def test_parameters_are_bound_by_name():
    formulation = fm.formulation(arm((0.5, 0.4, 0.3)), fm.Hybrid(block=3))
    (one,) = formulation.blocks
    assert one.parameters["m_2"] == pytest.approx(1.4)
    assert [abs(x) for name, x in one.parameters.items() if name[0] == "p"] == pytest.approx([0.5, 0.4])
    assert one.links == ["link0", "link1", "link2"] and one.joints == ["hinge0", "hinge1", "hinge2"]
    assert one.coordinates == {"q1": "hinge0.angle", "q2": "hinge1.angle", "q3": "hinge2.angle"}
    assert np.isfinite(list(one.parameters.values())).all()
