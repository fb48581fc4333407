"""Graphs: identities of their matrices, whoever carries whom; printed examples are in the case `survey-tables`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.formulations.classical.topology import augmented_inertias, barycenters
from tests.models.trees import random_inertia


@st.composite
def graphs(draw):
    """Parents of up to nine bodies, of one tree or of several, and their masses."""
    n = draw(st.integers(1, 9))
    parents = [draw(st.integers(-1, k - 1)) if draw(st.booleans()) or k == 0 else k - 1 for k in range(n)]
    return fm.Topology(parents), np.random.default_rng(n).uniform(0.5, 2.0, n)


@given(graphs())
def test_identities(graph):
    graph, masses = graph
    S, T, epsilon = graph.incidence, graph.path_to_reference, graph.paths
    assert np.array_equal(T @ S, np.eye(len(graph.heads)))
    assert np.array_equal(graph.inward, epsilon.T)
    assert np.array_equal(graph.leaving, np.maximum(S, 0))
    assert np.array_equal(epsilon @ epsilon >= 1, epsilon == 1)  # a path goes on
    for k, parent in enumerate(graph.parents):
        assert graph.direct_path(k) == [*(graph.direct_path(parent) if parent >= 0 else []), k]
        assert graph.levels[k] == len(graph.direct_path(k)) - 1
        assert all(k in graph.direct_path(j) for j in graph.outboard(k))
        assert (graph.adjacency[k].sum() == sum(j == k for j in graph.parents) + (parent >= 0)).all()
    star = graph.augmented_masses(masses)
    whole = masses + np.sum(S * star, axis=1)
    for root in graph.references:
        bodies = graph.outboard(root)
        assert whole[bodies] == pytest.approx(masses[bodies].sum())


def test_a_loop_passes_its_arcs():
    #  0 carries 1 and 3, 1 carries 2; a cut arc from 2 to 3
    graph = fm.Topology([-1, 0, 1, 0], [(2, 3)])
    S = np.hstack([graph.incidence, graph.cut_incidence])
    loop = np.append(graph.circuits[:, 0], 1)
    assert loop.tolist() == [1, 1, -1, 1]
    assert not np.any(S @ loop)  # as much enters each body as leaves it
    assert graph.cyclomatic == 1


def test_barycenters_balance():
    n, rng = 4, np.random.default_rng(2)
    masses, L = rng.uniform(0.5, 2.0, n), rng.normal(size=(n, n, 3))
    L[range(n), range(n)] = 0.0
    D = barycenters(masses, L)
    assert np.einsum("j,ijx->ix", masses, D) == pytest.approx(np.zeros((n, 3)), abs=1e-14)
    inertias = np.array([random_inertia(rng) for _ in range(n)])
    Phi = augmented_inertias(masses, inertias, D)
    assert np.swapaxes(Phi, 0, 1) == pytest.approx(np.swapaxes(Phi, 2, 3), abs=1e-14)
    d, e = D[0, 1], D[1, 0]
    assert Phi[0, 1] == pytest.approx(-masses.sum() * (d @ e * np.eye(3) - np.outer(e, d)))
    square = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, D[0]))
    assert Phi[0, 0] == pytest.approx(inertias[0] + square)


def test_wrong_graphs_are_refused_by_name():
    with pytest.raises(ModelError, match="body 1 is carried by 2"):
        fm.Topology([-1, 2, 0])
    with pytest.raises(ModelError, match="from 0 to 7"):
        fm.Topology([-1, 0], [(0, 7)])
    with pytest.raises(ModelError, match="no body 5"):
        fm.Topology([-1, 0]).outboard(5)


def test_a_picture_shows_all_bodies_and_arcs(tmp_path):
    graph = fm.Topology([-1, 0, 1, 0], [(2, 3), (-1, 3)], ["hull", "a", "b", "c"], ["p", "q", "r", "s", "t"])
    figure = graph.plot(tmp_path / "graph.png")
    texts = {text.get_text() for text in figure.axes[0].texts}
    assert {"0", "1", "2", "3", "hull", "c", "p", "t", "ground"} <= texts
    assert (tmp_path / "graph.png").stat().st_size > 1000
