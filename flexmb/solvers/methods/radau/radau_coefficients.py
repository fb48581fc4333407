"""Coefficients of Radau IIA with three stages, and of the change of variables that decouples its stages.

The stages at the points c of a step h satisfy  Y = h A Ẏ.  A⁻¹ = T Λ T⁻¹ has one real eigenvalue and a pair of complex
ones, so that the equations of all three stages decouple into one real system and one complex system, each of the size
of a single stage; see Hairer and Wanner (1991), section IV.8, who give the entries of T.
"""

from __future__ import annotations

import numpy as np

_R = np.sqrt(6.0)
#: Points c of a step, as parts of it, at which the equations are satisfied.
POINTS = np.array([0.4 - 0.1 * _R, 0.4 + 0.1 * _R, 1.0])
#: A⁻¹, for first derivatives: Ẏ = A⁻¹ Y / h
RATES = np.array(
    [
        [2.0 + _R / 2.0, (-36.0 + 29.0 * _R) / 30.0, (6.0 - 4.0 * _R) / 15.0],
        [(-36.0 - 29.0 * _R) / 30.0, 2.0 - _R / 2.0, (6.0 + 4.0 * _R) / 15.0],
        [(-3.0 + 8.0 * _R) / 3.0, (-3.0 - 8.0 * _R) / 3.0, 5.0],
    ]
)
#: A⁻², for second derivatives: Ÿ = A⁻² Y / h²
ACCELERATIONS = RATES @ RATES
#: Weights b of the stages, the last row of A.
WEIGHTS = np.array([(16.0 - _R) / 36.0, (16.0 + _R) / 36.0, 1.0 / 9.0])
#: Eigenvalues of A⁻¹: the real one, and one of the complex pair.
REAL = 3.0 + 3.0 ** (2.0 / 3.0) - 3.0 ** (1.0 / 3.0)
PAIR = complex(
    3.0 + 0.5 * (3.0 ** (1.0 / 3.0) - 3.0 ** (2.0 / 3.0)),
    -0.5 * (3.0 ** (5.0 / 6.0) + 3.0 ** (7.0 / 6.0)),
)
#: T of Y = T W, where the variables W belong to the real eigenvalue, and to the real and imaginary part of the complex
#: one.
STAGES = np.array(
    [
        [0.09443876248897524, -0.14125529502095421, 0.03002919410514742],
        [0.25021312296533332, 0.20412935229379994, -0.38294211275726192],
        [1.0, 1.0, 0.0],
    ]
)
#: T⁻¹ of W = T⁻¹ Y
VARIABLES = np.array(
    [
        [4.17871859155190428, 0.32768282076106237, 0.52337644549944951],
        [-4.17871859155190428, -0.32768282076106237, 0.47662355450055044],
        [0.50287263494578682, -2.57192694985560522, 0.59603920482822492],
    ]
)
#: Weights of the estimated error e, the difference between the method and a third-order formula that also uses the
#: slope f₀ at the start of the step:  (REAL/h − J) e = Σ ERROR Y/h + f₀.
ERROR = np.array([-(13.0 + 7.0 * _R) / 3.0, -(13.0 - 7.0 * _R) / 3.0, -1.0 / 3.0])
