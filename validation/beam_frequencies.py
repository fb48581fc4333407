"""Natural frequencies of one CMS element, clamped at its start."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.linalg

import flexmb as fm
from flexmb.validation.references.clamped_beam import frequencies
from flexmb.validation.references.cms_beam import CmsCantilever
from flexmb.validation.registry import Check, case

LENGTH, EI, RHO_A, EA = 1.5, 2.0, 0.5, 1e7


def cantilever(modes: int) -> fm.PlanarModel:
    """One CMS element, clamped at its start."""
    model = fm.PlanarModel("clamped beam")
    properties = fm.planar.BeamProperties(EA=EA, EI=EI, rhoA=RHO_A)
    model.add_beam("beam", model.ground, (LENGTH, 0.0), properties=properties, modes=modes)
    return model


@case("beam-frequencies", draw=lambda: cantilever(2))
def compute() -> Iterator[Check]:
    """one CMS element with 0 to 3 bending modes: how far from beam theory, in %, against another derivation of it"""
    for modes in range(4):
        system = fm.System(cantilever(modes))
        zero = np.zeros(system.n)
        none = np.zeros(system.m)
        M, K = (np.asarray(system.tangent(0.0, system.q0, zero, zero, none, w)) for w in ((1.0, 0, 0), (0, 0, 1.0)))
        axial = system.names.index("beam.end.x")  # the table leaves the axial frequency out
        keep = np.setdiff1d(np.arange(system.n), axial)
        omega = np.sqrt(scipy.linalg.eigvalsh(K[np.ix_(keep, keep)], M[np.ix_(keep, keep)]))
        apart = CmsCantilever(1, modes, length=LENGTH, EA=EA, EI=EI, rhoA=RHO_A).frequencies()
        exact = frequencies(len(omega), LENGTH, EI, RHO_A)
        for k in range(len(omega)):
            off, wanted = (100.0 * (found[k] / exact[k] - 1.0) for found in (omega, apart))
            source, why = "other coordinates, by the places of points alone", "round-off of two ways to one number"
            yield Check(f"{modes} modes, frequency {k + 1}: off by [%]", off, float(wanted), 1e-7, source, why)
