"""Joint maps: T_aᵀ S = 1, Tᵀ S = 0, of every joint at random states, and those of Takahashi (2012), table 2.2."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.formulations.pieces import maps
from flexmb.formulations.tree.moving import move, moving_for
from tests.models.trees import KINDS, random_state, random_tree


def force_maps(S):
    count = len(S)
    room, Ta, T = np.zeros((12, 6)), np.zeros((count, 6)), np.zeros((6 - count, 6))
    room[:count] = S
    assert maps.force_maps(room, count, 0, Ta, T, 0) == 0
    return Ta, T


@pytest.mark.parametrize("kind", [*KINDS, "free"])
def test_maps_of_every_joint(kind):
    rng = np.random.default_rng(0)
    m = random_tree(rng, 3, (kind,)) if kind != "free" else random_tree(rng, 1, floating=True)
    tree = fm.Tree.of(m)
    x, u = random_state(rng, tree)
    moving = moving_for(tree.arrays)
    move(tree.arrays, moving, x, u)
    for first, last in zip(moving.speeds[:-1], moving.speeds[1:]):
        S = moving.columns[first:last]
        Ta, T = force_maps(S)
        assert Ta @ S.T == pytest.approx(np.eye(len(S)), abs=1e-13)
        assert np.abs(T @ S.T).max(initial=0.0) < 1e-14
        assert T @ T.T == pytest.approx(np.eye(6 - len(S)), abs=1e-14)


def test_maps_of_a_hinge_and_of_angles_about_a_point():
    Ta, T = force_maps(np.array([[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]))
    assert Ta == pytest.approx(np.array([[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]))
    assert np.abs(T[:, 1]).max() == 0.0
    s2, c2, s3, c3 = np.sin(0.7), np.cos(0.7), np.sin(-1.1), np.cos(-1.1)
    S, Ta_printed = np.zeros((6, 3)), np.zeros((6, 3))
    S[:3] = [[-s2 * c3, s3, 0], [s2 * s3, c3, 0], [c2, 0, 1]]
    Ta_printed[:3] = np.array([[-c3, s2 * s3, c2 * c3], [s3, s2 * c3, -c2 * s3], [0, 0, s2]]) / s2
    Ta, T = force_maps(S.T)
    assert Ta.T == pytest.approx(Ta_printed, abs=1e-14)
    assert np.abs(T[:, :3]).max() < 1e-15


def test_motions_that_depend_on_one_another_have_no_maps():
    room, Ta, T = np.zeros((12, 6)), np.zeros((2, 6)), np.zeros((4, 6))
    room[0, 2], room[1, 2] = 1.0, -2.0
    assert maps.force_maps(room, 2, 0, Ta, T, 0) == -1
