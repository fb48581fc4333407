"""The references themselves: each against a second derivation, published numbers, or a conservation law."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from flexmb.validation.references import clamped_beam, parallelogram, slider_crank, spin_up, two_squares

# ---- two squares


def augmented_accelerations(q, v):
    """q'' of Skyenginlab (n.d.) by the formulation of the source: coordinates (x1, y1, θ1, x2, y2, θ2) and the index-1
    form (14)."""
    m, a, g, k, c = 5.0, 1.0, 9.81, 10.0, 1.0
    s1, c1, s2, c2 = np.sin(q[2]), np.cos(q[2]), np.sin(q[5]), np.cos(q[5])
    w1, w2 = v[2], v[5]
    spring = np.array([q[3] + a * c2 + a * s2 - 4 * a, q[4] + a * s2 - a * c2])
    speed = np.array([v[3] - a * w2 * (s2 - c2), v[4] + a * w2 * (c2 + s2)])
    d = spring / np.hypot(*spring)
    F = -k * spring - c * (d @ speed) * d
    Q = np.array([0, -m * g, 0, F[0], F[1] - m * g, a * ((c2 + s2) * F[1] - (s2 - c2) * F[0])])
    C = np.array(
        [
            [1, 0, a * (s1 + c1), 0, 0, 0],
            [0, 1, a * (s1 - c1), 0, 0, 0],
            [1, 0, -a * (s1 + c1), -1, 0, -a * (s2 - c2)],
            [0, 1, -a * (s1 - c1), 0, -1, a * (s2 + c2)],
        ]
    )
    rate = np.zeros((4, 6))
    rate[:2, 2] = -a * w1 * (s1 - c1), a * w1 * (s1 + c1)
    rate[2:, 2] = -rate[:2, 2]
    rate[2:, 5] = -a * w2 * (s2 + c2), -a * w2 * (s2 - c2)
    M = np.diag([m, m, 2 / 3 * m * a**2] * 2)
    matrix = np.block([[M, C.T], [C, np.zeros((4, 4))]])
    return np.linalg.solve(matrix, np.concatenate([Q, -rate @ v]))[:6]


@pytest.mark.parametrize("seed", range(8))
def test_two_squares_accelerations_are_those_of_the_augmented_equations(seed):
    t1, t2, w1, w2 = np.random.default_rng(seed).uniform(-3, 3, 4)
    s1, c1, s2, c2 = np.sin(t1), np.cos(t1), np.sin(t2), np.cos(t2)
    q = np.array([c1 - s1, s1 + c1, t1, 2 * (c1 - s1) + c2 + s2, 2 * (s1 + c1) + s2 - c2, t2])
    v1 = w1 * np.array([-s1 - c1, c1 - s1])
    v = np.array([*v1, w1, *(2 * v1 + w2 * np.array([c2 - s2, c2 + s2])), w2])
    expected = augmented_accelerations(q, v)[[2, 5]]
    np.testing.assert_allclose(two_squares.accelerations(t1, t2, w1, w2), expected, rtol=1e-12, atol=1e-11)


def test_two_squares_start_where_the_source_says():
    run = two_squares.motion(np.array([0.0, 1e-3]))
    assert [run[x][0] for x in ("x1", "y1", "x2", "y2")] == [1.0, 1.0, 3.0, 1.0]
    # M11 = 5 m 2 + J, M12 = 0, M22 = 2 m + J at θ = 0; no spring force there
    J = 10.0 / 3.0
    expected = [-3 * 5 * 9.81 / (50 + J), -5 * 9.81 / (10 + J)]
    np.testing.assert_allclose(two_squares.accelerations(0, 0, 0, 0), expected, rtol=1e-14)


def test_two_squares_lose_what_the_damper_takes():
    t = np.linspace(0.0, 4.0, 4001)
    total, lost = two_squares.energy(two_squares.motion(t))
    h = t[1] - t[0]
    taken = h / 3 * (lost[0] + 4 * lost[1:-1:2].sum() + 2 * lost[2:-1:2].sum() + lost[-1])
    assert abs(total[0]) < 1e-14
    assert taken > 1.0
    assert total[-1] == pytest.approx(-taken, abs=1e-6)


# ---- parallelogram


def test_parallelogram_has_the_published_period_and_states():
    """Against φ̈ = 1.2 g sin φ by DOP853 at rtol 1e-13."""
    assert parallelogram.period() == pytest.approx(1.904482337, abs=5e-10)
    t = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(parallelogram.angle(t), [3.91751266, 2.39392578, 3.84278183], atol=6e-9)
    np.testing.assert_allclose(parallelogram.rate(t), [-0.39628706, 0.78495663, -1.15813334], atol=6e-9)
    assert parallelogram.acceleration(np.zeros(1))[0] == pytest.approx(8.324061028128039, rel=1e-14)


@pytest.mark.parametrize("start", [135.0, 60.0, 10.0, 179.0])
def test_parallelogram_moves_as_its_equation_says(start):
    start = math.radians(start)
    t = np.linspace(0.0, 3.0, 31)
    law = solve_ivp(
        lambda _, y: [y[1], 1.2 * 9.81 * np.sin(y[0])],
        (0, 3),
        [start, 0],
        "DOP853",
        t,
        rtol=1e-12,
        atol=1e-13,
    )
    np.testing.assert_allclose(parallelogram.angle(t, start), law.y[0], atol=1e-9)
    np.testing.assert_allclose(parallelogram.rate(t, start), law.y[1], atol=1e-9)
    whole = parallelogram.period(start)
    assert parallelogram.angle(np.array([whole]), start)[0] == pytest.approx(start, abs=1e-12)


# ---- slider-crank


def test_slider_at_the_dead_centers_and_the_square_position():
    s = slider_crank.SliderCrank(crank=3.0, rod=5.0)
    x, v, a = s.slider(0.0, 2.0, 0.0)
    assert (x, v) == (8.0, 0.0)
    assert a == pytest.approx(-3 * 4 * (1 + 3 / 5), rel=1e-15)  # −r ω² (1 + r/l)
    assert s.slider(math.pi, 2.0, 0.0)[2] == pytest.approx(3 * 4 * (1 - 3 / 5), rel=1e-14)
    x, v, a = s.slider(0.5 * math.pi, 2.0, 0.0)
    assert (x, v) == (pytest.approx(4.0, rel=1e-15), pytest.approx(-6.0, rel=1e-15))
    assert a == pytest.approx(9 * 4 / 4, rel=1e-14)  # r² ω² / √(l² − r²)


@pytest.mark.parametrize("theta", np.linspace(0.1, 6.2, 7))
def test_slider_rates_are_derivatives(theta):
    s = slider_crank.SliderCrank()
    h, omega, alpha = 1e-4, 3.0, -7.0

    def position(t):
        angle = theta + omega * t + 0.5 * alpha * t**2
        return s.crank * math.cos(angle) + math.sqrt(s.rod**2 - (s.crank * math.sin(angle)) ** 2)

    x, v, a = s.slider(theta, omega, alpha)
    minus, here, plus = position(-h), position(0.0), position(h)
    assert x == pytest.approx(here, rel=1e-15)
    assert v == pytest.approx((plus - minus) / (2 * h), abs=1e-6)
    assert a == pytest.approx((plus - 2 * here + minus) / h**2, abs=1e-5)


@pytest.mark.parametrize("theta", np.linspace(0.3, 6.0, 5))
def test_slider_crank_kinetic_energy_by_its_bodies(theta):
    """T from velocities of points found by differences, a uniform rod as ⅙ m (v1² + v1·v2 + v2²)."""
    s = slider_crank.SliderCrank(gravity=0.0)
    omega, h = 2.0, 1e-5

    def points(angle):
        elbow = s.crank * np.array([math.cos(angle), math.sin(angle)])
        return elbow, np.array([elbow[0] + math.sqrt(s.rod**2 - elbow[1] ** 2), 0.0])

    e, p = ((y - x) / (2 * h) * omega for x, y in zip(points(theta - h), points(theta + h)))
    expected = s.crank_mass / 6 * e @ e + s.rod_mass / 6 * (e @ e + e @ p + p @ p) + s.slider_mass / 2 * p @ p
    assert s.energy(theta, omega) == pytest.approx(expected, rel=1e-8)


def test_slider_crank_keeps_its_energy_and_takes_the_work_of_a_torque():
    s = slider_crank.SliderCrank()
    t = np.linspace(0.0, 2.0, 201)
    theta, omega = s.free_motion(t, 1.0, 4.0)
    total = np.array([s.energy(x, y) for x, y in zip(theta, omega)])
    np.testing.assert_allclose(total, total[0], rtol=1e-10)
    theta, omega = s.free_motion(t, 1.0, 4.0, torque=0.2)
    total = np.array([s.energy(x, y) for x, y in zip(theta, omega)])
    np.testing.assert_allclose(total - total[0], 0.2 * (theta - 1.0), atol=1e-10)


def test_slider_crank_without_a_rod_is_a_pendulum():
    s = slider_crank.SliderCrank(crank=1.0, rod=2.0, crank_mass=3.0, rod_mass=0.0, slider_mass=0.0)
    assert s.free_acceleration(0.7, 5.0) == pytest.approx(-1.5 * 9.81 * math.cos(0.7), rel=1e-14)


# ---- spin-up


def test_hub_angle_rate_and_second_rate_belong_together():
    t = np.concatenate([np.linspace(0.0, 14.99, 300), np.linspace(15.01, 20.0, 50)])
    h = 1e-5
    (_, rate, second), (before, slow, _), (after, fast, _) = (spin_up.hub(x) for x in (t, t - h, t + h))
    np.testing.assert_allclose((after - before) / (2 * h), rate, atol=1e-8)
    np.testing.assert_allclose((fast - slow) / (2 * h), second, atol=1e-8)


def test_hub_starts_at_rest_and_arrives_smoothly():
    angle, rate, second = spin_up.hub(np.array([0.0, 15.0 - 1e-9, 15.0, 20.0]))
    np.testing.assert_allclose(angle, [0.0, 30.0, 30.0, 50.0], atol=1e-8)  # ½ ωs Ts, then ωs more each second
    np.testing.assert_allclose(rate, [0.0, 4.0, 4.0, 4.0], atol=1e-12)
    np.testing.assert_allclose(second, 0.0, atol=1e-12)


def test_spin_up_data_have_the_stated_first_frequency():
    first = clamped_beam.frequencies(1, spin_up.LENGTH, spin_up.EI, spin_up.RHO_A)[0]
    assert first == pytest.approx(2.91, abs=5e-5)


def test_a_row_of_the_spin_up_is_what_its_derivation_gives():
    row = next(x for x in spin_up.CMS_ROWS if (x.axial, x.elements, x.modes) == ("second_order", 1, 1))
    w, when = spin_up.cms(row.axial, row.elements, row.modes, t_end=7.0, rtol=1e-7)
    assert w == pytest.approx(row.deflection, abs=1e-6)
    assert when == pytest.approx(row.time, abs=1e-4)


def test_largest_finds_the_top_between_samples():
    t = np.linspace(0.0, 2.0, 41)
    assert spin_up.largest(t, -np.cos(t - 1.0123)) == pytest.approx((-1.0, 1.0123), abs=1e-7)
    assert spin_up.largest(t, t) == (0.0, 0.0)


# ---- beam theory


@pytest.mark.parametrize(
    ("ends", "published"),
    [
        ("clamped-free", [1.875104068711961, 4.694091132974175, 7.854757438237613, 10.995540734875467]),
        ("clamped-clamped", [4.730040744862704, 7.853204624095838, 10.995607838001671, 14.137165491257464]),
        ("free-free", [4.730040744862704, 7.853204624095838, 10.995607838001671, 14.137165491257464]),
        ("hinged-free", [3.926602312047919, 7.068582745628732, 10.210176122813031, 13.351768777754094]),
    ],
)
def test_characteristic_values_are_the_tabulated_ones(ends, published):
    np.testing.assert_allclose(clamped_beam.characteristic_values(4, ends), published, rtol=4e-16 * 3)


@pytest.mark.parametrize(
    ("ends", "shift", "factor", "power"),
    [("clamped-free", -0.5, 2.0, 1), ("free-free", 0.5, 2.0, 1), ("hinged-free", 0.25, 1.0, 2)],
)
def test_characteristic_values_approach_their_asymptotes(ends, shift, factor, power):
    k = np.arange(1, 101)
    asymptote = (k + shift) * np.pi
    away = np.abs(clamped_beam.characteristic_values(100, ends) - asymptote)
    # first correction: 2 exp(−λ) from cos λ = ∓1/cosh λ, exp(−2λ) from tan λ = tanh λ
    np.testing.assert_allclose(away[1:3], factor * np.exp(-power * asymptote[1:3]), rtol=0.03)
    assert np.all(away[12:] < 3e-13)


@pytest.mark.parametrize("ends", sorted(clamped_beam.ENDS))
def test_characteristic_values_against_a_beam_of_hermite_elements(ends):
    n, count = 24, 4
    l = 1.0 / n
    k = np.array(
        [[12, 6 * l, -12, 6 * l], [6 * l, 4 * l**2, -6 * l, 2 * l**2],
         [-12, -6 * l, 12, -6 * l], [6 * l, 2 * l**2, -6 * l, 4 * l**2]]
    ) / l**3  # fmt: skip
    m = l / 420 * np.array(
        [[156, 22 * l, 54, -13 * l], [22 * l, 4 * l**2, 13 * l, -3 * l**2],
         [54, 13 * l, 156, -22 * l], [-13 * l, -3 * l**2, -22 * l, 4 * l**2]]
    )  # fmt: skip
    K, M = np.zeros((2, 2 * n + 2, 2 * n + 2))
    for e in range(n):
        at = slice(2 * e, 2 * e + 4)
        K[at, at] += k
        M[at, at] += m
    held = {"clamped": (0, 1), "hinged": (0,), "free": ()}
    start, end = ends.split("-")
    fixed = [*held[start], *(2 * n + i for i in held[end])]
    keep = np.setdiff1d(np.arange(2 * n + 2), fixed)
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M[np.ix_(keep, keep)], K[np.ix_(keep, keep)])).real)
    elastic = squares[squares > 1.0][:count] ** 0.25
    exact = clamped_beam.characteristic_values(count, ends)
    # cubic elements: λ is too large by about (λ l)⁴ / 2880
    np.testing.assert_allclose(elastic / exact - 1, (exact * l) ** 4 / 2880, rtol=0.1, atol=1e-7)


def test_frequencies_scale():
    one = clamped_beam.frequencies(3, 1.0, 1.0, 1.0, "hinged-free")
    other = clamped_beam.frequencies(3, 2.0, 9.0, 4.0, "hinged-free")
    np.testing.assert_allclose(other, one * 1.5 / 4, rtol=1e-15)


def test_references_do_not_know_flexmb():
    import pathlib

    folder = pathlib.Path(two_squares.__file__).parent
    for file in folder.glob("*.py"):
        lines = file.read_text(encoding="utf-8").splitlines()
        known = [x for x in lines if x.lstrip().startswith(("import flexmb", "from flexmb"))]
        # examples.robots says where files are that pinocchio reads, and nothing else
        known = [x for x in known if x != "from flexmb.examples import robots"]
        assert all(x.startswith("from flexmb.validation.references.") for x in known), file.name
