"""Tableaux of explicit Runge–Kutta methods.

    k_i = f(t + c_i h, y + h Σ_j a_ij k_j),      y₁ = y + h Σ_i b_i k_i,      errors of y₁: h Σ_i e_i k_i

The errors E and F of two embedded methods are combined into one of higher order, E²/√(E² + F²/100): Hairer, Nørsett and
Wanner (1993), II.10. A method with a single embedded method has zeros in the other row.

The tableaux do not state whether the last stage is the first one of the next step: accelerations and joint forces at
the end of a step belong to the result, so that they are always known when the next step begins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference


@by_reference
class Tableau(NamedTuple):
    """Coefficients A (s, s), b (s,), c (s,) and errors e (2, s) of a method of s stages; `order` is the order of its
    results. `by_new_speeds` is 1 if positions advance by the speeds at the end of the step; there are no further stages
    then."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    errors: np.ndarray
    order: int
    by_new_speeds: int = 0


def _square(rows: list[list[float]]) -> np.ndarray:
    """A (s, s) from its rows below the diagonal."""
    A = np.zeros((len(rows), len(rows)))
    for i, row in enumerate(rows):
        A[i, : len(row)] = row
    return A


def _fehlberg() -> Tableau:
    """Fehlberg (1969), table III; the step uses the formula of fifth order."""
    A = _square(
        [
            [],
            [1 / 4],
            [3 / 32, 9 / 32],
            [1932 / 2197, -7200 / 2197, 7296 / 2197],
            [439 / 216, -8, 3680 / 513, -845 / 4104],
            [-8 / 27, 2, -3544 / 2565, 1859 / 4104, -11 / 40],
        ]
    )
    b = np.array([16 / 135, 0, 6656 / 12825, 28561 / 56430, -9 / 50, 2 / 55])
    error = b - np.array([25 / 216, 0, 1408 / 2565, 2197 / 4104, -1 / 5, 0])
    return Tableau(A, b, np.array([0, 1 / 4, 3 / 8, 12 / 13, 1, 1 / 2]), np.array([error, np.zeros(6)]), 5)


def _dormand_prince() -> Tableau:
    """Dormand and Prince, with the errors of fifth and third order by Hairer, Nørsett and Wanner (1993), II.10."""
    A = _square(
        [
            [],
            [5.26001519587677318785587544488e-2],
            [1.97250569845378994544595329183e-2, 5.91751709536136983633785987549e-2],
            [2.95875854768068491816892993775e-2, 0, 8.87627564304205475450678981324e-2],
            [
                2.41365134159266685502369798665e-1, 0, -8.84549479328286085344864962717e-1,
                9.24834003261792003115737966543e-1,
            ],
            [
                3.7037037037037037037037037037e-2, 0, 0, 1.70828608729473871279604482173e-1,
                1.25467687566822425016691814123e-1,
            ],
            [
                3.7109375e-2, 0, 0, 1.70252211019544039314978060272e-1, 6.02165389804559606850219397283e-2,
                -1.7578125e-2,
            ],
            [
                3.70920001185047927108779319836e-2, 0, 0, 1.70383925712239993810214054705e-1,
                1.07262030446373284651809199168e-1, -1.53194377486244017527936158236e-2,
                8.27378916381402288758473766002e-3,
            ],
            [
                6.24110958716075717114429577812e-1, 0, 0, -3.36089262944694129406857109825,
                -8.68219346841726006818189891453e-1, 2.75920996994467083049415600797e1,
                2.01540675504778934086186788979e1, -4.34898841810699588477366255144e1,
            ],
            [
                4.77662536438264365890433908527e-1, 0, 0, -2.48811461997166764192642586468,
                -5.90290826836842996371446475743e-1, 2.12300514481811942347288949897e1,
                1.52792336328824235832596922938e1, -3.32882109689848629194453265587e1,
                -2.03312017085086261358222928593e-2,
            ],
            [
                -9.3714243008598732571704021658e-1, 0, 0, 5.18637242884406370830023853209,
                1.09143734899672957818500254654, -8.14978701074692612513997267357,
                -1.85200656599969598641566180701e1, 2.27394870993505042818970056734e1,
                2.49360555267965238987089396762, -3.0467644718982195003823669022,
            ],
            [
                2.27331014751653820792359768449, 0, 0, -1.05344954667372501984066689879e1,
                -2.00087205822486249909675718444, -1.79589318631187989172765950534e1,
                2.79488845294199600508499808837e1, -2.85899827713502369474065508674,
                -8.87285693353062954433549289258, 1.23605671757943030647266201528e1,
                6.43392746015763530355970484046e-1,
            ],
        ]
    )  # fmt: skip
    b = np.array(
        [
            5.42937341165687622380535766363e-2, 0, 0, 0, 0, 4.45031289275240888144113950566,
            1.89151789931450038304281599044, -5.8012039600105847814672114227, 3.1116436695781989440891606237e-1,
            -1.52160949662516078556178806805e-1, 2.01365400804030348374776537501e-1, 4.47106157277725905176885569043e-2,
        ]
    )  # fmt: skip
    c = np.array(
        [
            0, 5.26001519587677318785587544488e-2, 7.89002279381515978178381316732e-2,
            1.18350341907227396726757197510e-1, 2.81649658092772603273242802490e-1, 1 / 3, 1 / 4,
            3.07692307692307692307692307692e-1, 6.51282051282051282051282051282e-1, 0.6,
            8.57142857142857142857142857142e-1, 1.0,
        ]
    )  # fmt: skip
    fifth = np.array(
        [
            1.312004499419488073250102996e-2, 0, 0, 0, 0, -1.225156446376204440720569753,
            -4.957589496572501915214079952e-1, 1.664377182454986536961530415, -3.503288487499736816886487290e-1,
            3.341791187130174790297318841e-1, 8.192320648511571246570742613e-2, -2.235530786388629525884427845e-2,
        ]
    )  # fmt: skip
    third = b.copy()
    third[[0, 8, 11]] -= (
        0.244094488188976377952755905512,
        0.733846688281611857341361741547,
        2.20588235294117647058823529412e-2,
    )
    return Tableau(A, b, c, np.array([fifth, third]), 8)


def _semi_implicit_euler() -> Tableau:
    """The semi-implicit Euler method: u₁ = u + h u̇, x₁ = x + h ẋ(x, u₁). A second row of slopes serves to estimate its
    error (:mod:`flexmb.solvers.methods.explicit.explicit_step`)."""
    none = np.zeros(2)
    return Tableau(_square([[], []]), np.array([1.0, 0.0]), none, np.array([[0.5, -0.5], none]), 1, 1)


FEHLBERG, DORMAND_PRINCE, SEMI_IMPLICIT_EULER = _fehlberg(), _dormand_prince(), _semi_implicit_euler()
