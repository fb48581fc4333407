"""Natural frequencies of one CMS element, clamped at its start."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from flexmb.validation.references import clamped_beam
from flexmb.validation.registry import Check, case


@case("beam-frequencies")
def compute() -> list[Check]:
    """one CMS element with 0 to 3 bending modes against beam theory, error in %"""
    import flexmb as fm

    checks = []
    for modes, errors in clamped_beam.ONE_ELEMENT_ERRORS.items():
        model = fm.PlanarModel("clamped beam")
        properties = fm.BeamProperties(EA=1e7, EI=2.0, rhoA=0.5)
        model.add_beam("beam", model.ground, (1.5, 0.0), properties=properties, modes=modes)
        system = fm.System(model)
        zero = np.zeros(system.n)
        none = np.zeros(system.m)
        M, K = (np.asarray(system.tangent(0.0, system.q0, zero, zero, none, w)) for w in ((1.0, 0, 0), (0, 0, 1.0)))
        axial = system.names.index("beam.end.x")  # the axial frequency is no part of the table
        keep = np.setdiff1d(np.arange(system.n), axial)
        omega = np.sqrt(scipy.linalg.eigvalsh(K[np.ix_(keep, keep)], M[np.ix_(keep, keep)]))
        exact = clamped_beam.frequencies(len(errors), 1.5, 2.0, 0.5)
        for k, (error, digit) in enumerate(zip(errors, clamped_beam.LAST_DIGITS[modes])):
            got = 100.0 * (omega[k] / exact[k] - 1.0)
            source = "theory note's table, independent implementation"
            checks.append(Check(f"{modes} modes, frequency {k + 1} [%]", got, error, 0.5 * digit * 1.001, source))
    return checks
