"""The exact motion of the gyroscopes, from its equations by other means, and the run against it."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.examples import gyroscope


@pytest.mark.parametrize("rate", gyroscope.STARTS.values())
def test_the_exact_solution_is_that_of_lagranges_equations(rate):
    """θ̈ = φ̇² sin θ cos θ − a φ̇ sin θ + (m g l/A) sin θ, with φ̇ sin² θ + a cos θ constant."""
    across, _, axial = fm.HollowCylinder(
        outer_diameter=gyroscope.OUTER, inner_diameter=gyroscope.INNER, length=gyroscope.WIDTH
    ).gyration.diagonal()
    A = across + gyroscope.ARM**2
    start, weight = gyroscope.TILT, gyroscope.GRAVITY * gyroscope.ARM / A
    a = axial * (gyroscope.SPIN + rate * np.cos(start)) / A
    b = rate * np.sin(start) ** 2 + a * np.cos(start)

    def rates(t, y):
        theta, speed, _ = y
        turn = (b - a * np.cos(theta)) / np.sin(theta) ** 2
        return speed, (turn**2 * np.cos(theta) - a * turn + weight) * np.sin(theta), turn

    def back(t, y):
        return y[1] if t > 0.01 else 1.0

    back.direction, back.terminal = 1.0, True  # the arm sinks first, then rises, and so comes to rest again
    path = solve_ivp(rates, (0.0, 2.0), (start, 0.0, 0.0), events=back, rtol=1e-11, atol=1e-12, dense_output=True)
    period, turned = path.t[-1], path.y[2, -1]
    known = gyroscope.exact(rate)
    assert known.period == pytest.approx(period, rel=1e-7)
    assert known.precession == pytest.approx(turned / period, rel=1e-7)
    theta = path.sol(np.linspace(0.0, period, 4001))[0]
    assert (known.least, known.largest) == pytest.approx((theta.min(), theta.max()), abs=1e-6)


def test_the_run_precesses_and_nods_as_the_exact_solution():
    solution = fm.simulate(gyroscope.build(), 1.0, "radau", tolerance=1e-8, progress=False)
    for name, rate in gyroscope.STARTS.items():
        assert gyroscope.measured(solution, name) == pytest.approx(gyroscope.exact(rate), rel=2e-5), name
