"""Numbers of Radau IIA with three stages, and of the change of variables that takes its stages apart.

With the points c of a step h, the stages are  Y = h A Ẏ.  A⁻¹ = T Λ T⁻¹ has one real eigenvalue and a pair of complex
ones, so that the equations of all three stages fall apart into one real system and one complex system, each of the size
of a single stage; see Hairer and Wanner (1991), section IV.8, from where the numbers of T are.
"""

from __future__ import annotations

import numpy as np

_R = np.sqrt(6.0)
#: the points of a step at which the equations hold
POINTS = np.array([0.4 - 0.1 * _R, 0.4 + 0.1 * _R, 1.0])
#: A⁻¹, which gives rates: Ẏ = A⁻¹ Y / h
RATES = np.array(
    [
        [2.0 + _R / 2.0, (-36.0 + 29.0 * _R) / 30.0, (6.0 - 4.0 * _R) / 15.0],
        [(-36.0 - 29.0 * _R) / 30.0, 2.0 - _R / 2.0, (6.0 + 4.0 * _R) / 15.0],
        [(-3.0 + 8.0 * _R) / 3.0, (-3.0 - 8.0 * _R) / 3.0, 5.0],
    ]
)
#: its square, which gives rates of rates
ACCELERATIONS = RATES @ RATES
#: the weights b of the stages, the last row of A
WEIGHTS = np.array([(16.0 - _R) / 36.0, (16.0 + _R) / 36.0, 1.0 / 9.0])
#: the eigenvalues of A⁻¹: the real one, and one of the complex pair
REAL = 3.0 + 3.0 ** (2.0 / 3.0) - 3.0 ** (1.0 / 3.0)
PAIR = complex(
    3.0 + 0.5 * (3.0 ** (1.0 / 3.0) - 3.0 ** (2.0 / 3.0)),
    -0.5 * (3.0 ** (5.0 / 6.0) + 3.0 ** (7.0 / 6.0)),
)
#: stages Y = T W from the variables W that belong to the real eigenvalue, and to real and imaginary part of the other
STAGES = np.array(
    [
        [0.09443876248897524, -0.14125529502095421, 0.03002919410514742],
        [0.25021312296533332, 0.20412935229379994, -0.38294211275726192],
        [1.0, 1.0, 0.0],
    ]
)
#: W = T⁻¹ Y
VARIABLES = np.array(
    [
        [4.17871859155190428, 0.32768282076106237, 0.52337644549944951],
        [-4.17871859155190428, -0.32768282076106237, 0.47662355450055044],
        [0.50287263494578682, -2.57192694985560522, 0.59603920482822492],
    ]
)
#: The solution with a formula of third order, which needs the slope at the start as well, differs from that of the
#: method by the solution of  (REAL/h − J) e = Σ ERROR Y/h + f₀.
ERROR = np.array([-(13.0 + 7.0 * _R) / 3.0, -(13.0 - 7.0 * _R) / 3.0, -1.0 / 3.0])
