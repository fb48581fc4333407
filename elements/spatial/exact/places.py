"""Places and sections of the exact beam in space.

The axis has the cubic of the inertia, with its own slopes d; the sections turn on as the helicoid does. At η ∈ [0, 1],
with ψ = ηφ and T of :mod:`flexmb.kernels.rotations`:

    r = r₁ (1 − n) + r₂ n + L [η (1 − η)² Λ₁ d₁ − η² (1 − η) Λ₂ d₂],   n = η² (3 − 2η),   Λ = Λ₁ exp ψ
    Ω = exp(−ψ̃) ω₁ + T(ψ) ψ̇,   φ̇ = T⁻¹(φ) ω₂ − T⁻ᵀ(φ) ω₁

Ω = J₁ ω₁ + J₂ ω₂ in the axes of the place, J₂ = η T(ψ) T⁻¹(φ), J₁ = exp(−ψ̃) − η T(ψ) T⁻ᵀ(φ). A moment μ there acts on
the nodes, in the axes of their sections, with p₂ = η T⁻ᵀ(φ) Tᵀ(ψ) Λᵀμ and p₁ = Λ₁ᵀμ − exp(φ̃) p₂.

The forces of a section are those of equilibrium, not of a law: F is the same in the whole element, the moment at r is
that on the second node and (r₂ − r) × F. So they agree with those of the neighbour. The strains are C⁻¹ times the
elastic ones: what curvature and twist have changed by. C⁻¹ of a section that varies is the parabola with the
moments K₀, K₁, K₂ of the law: C⁻¹ = K₀ + 12 ξ K₁/L + 15 (12 ξ² − 1) (K₂/L² − K₀/12), ξ = η − ½.
"""

from __future__ import annotations

from flexmb.elements.spatial.exact.elastic import on_nodes
from flexmb.elements.spatial.exact.helicoid import (
    FIRST,
    FLEXIBILITY,
    LENGTH,
    SECOND,
    SLOPES,
    TAPERED,
    TURN1,
    TURN2,
    sections,
)
from flexmb.elements.spatial.exact.law import weighted
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.rotation_functions import map_coefficients, rotation_rates
from flexmb.kernels.rotations import (
    exp,
    inverse_rate_map,
    inverse_rate_map_change,
    product,
    quaternion_at,
    quaternion_in,
    rate_map,
    rotation_matrix,
    turned,
    turned_back,
)
from flexmb.kernels.vectors import (
    IDENTITY,
    add_block,
    applied,
    combined,
    cross,
    dot,
    matrix_product,
    minus,
    outer,
    plus,
    put,
    tilde,
    tilde_product,
    times,
    transposed,
    vector_at,
    vector_in,
)
from flexmb.kernels.views import matrix_view, vector_view


@compiled
def shares(eta):
    """The shares of r₁, L Λ₁ d₁, r₂ and L Λ₂ d₂ in the place."""
    n = eta * eta * (3.0 - 2.0 * eta)
    return 1.0 - n, eta * (1.0 - eta) * (1.0 - eta), n, -eta * eta * (1.0 - eta)


@compiled
def rate_map_change(psi, x, turn):
    """∂(T(ψ) x)/∂ψ for `turn` = 1, ∂(Tᵀ(ψ) x)/∂ψ for −1: T x = x ∓ a ψ × x + b ψ × (ψ × x)."""
    a, b, a_x, b_x = map_coefficients(dot(psi, psi))
    f = cross(psi, x)
    skew = tilde(minus(times(turn * a, x), times(b, f)))
    around = combined(
        -b, tilde_product(psi, x), 2.0, outer(minus(times(b_x, cross(psi, f)), times(turn * a_x, f)), psi)
    )
    return combined(1.0, skew, 1.0, around)


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    eta = w[0]
    first, slope, last, slope_two = shares(eta)
    for i in range(p.shape[0]):
        answer = out[i]
        at_q, at_v = iq[i], iv[i]
        node, node_two = quaternion_at(q, at_q, 3), quaternion_at(q, at_q, 10)
        spin, spin_two = vector_at(v, at_v, 3), vector_at(v, at_v, 9)
        up, up_two = vector_at(a, at_v, 3), vector_at(a, at_v, 9)
        d, d_two = times(slope, vector_in(p[i], SLOPES)), times(slope_two, vector_in(p[i], SLOPES + 3))
        moving, moving_two = cross(spin, d), cross(spin_two, d_two)
        speeding = plus(cross(up, d), cross(spin, moving))
        speeding_two = plus(cross(up_two, d_two), cross(spin_two, moving_two))
        r = plus(times(first, vector_at(q, at_q, 0)), times(last, vector_at(q, at_q, 7)))
        r_d = plus(times(first, vector_at(v, at_v, 0)), times(last, vector_at(v, at_v, 6)))
        r_dd = plus(times(first, vector_at(a, at_v, 0)), times(last, vector_at(a, at_v, 6)))
        put(answer, 0, plus(r, plus(turned(node, d), turned(node_two, d_two))))
        put(answer, 7, plus(r_d, plus(turned(node, moving), turned(node_two, moving_two))))
        put(answer, 13, plus(r_dd, plus(turned(node, speeding), turned(node_two, speeding_two))))
        begin, end, between, phi = sections(p, i, iq, q)
        turn, turn_two = quaternion_in(p[i], TURN1), quaternion_in(p[i], TURN2)
        spin, up = turned_back(turn, spin), turned_back(turn, up)
        spin_two, up_two = turned_back(turn_two, spin_two), turned_back(turn_two, up_two)
        inward = inverse_rate_map(phi)
        outward = transposed(inward)
        phi_d = minus(applied(inward, spin_two), applied(outward, spin))
        change = combined(
            1.0, inverse_rate_map_change(phi, spin_two, 1.0), -1.0, inverse_rate_map_change(phi, spin, -1.0)
        )
        phi_dd = plus(minus(applied(inward, up_two), applied(outward, up)), applied(change, phi_d))
        psi, psi_d, psi_dd = times(eta, phi), times(eta, phi_d), times(eta, phi_dd)
        step = exp(psi)
        axes = product(begin, step)
        own, own_d = rotation_rates(psi, psi_d, psi_dd)
        carried = turned_back(step, spin)
        rising = plus(turned_back(step, up), plus(cross(carried, own), own_d))
        for k in range(4):
            answer[3 + k] = axes[k]
        put(answer, 10, turned(axes, plus(carried, own)))
        put(answer, 16, turned(axes, rising))


@compiled
def _turns(eta, step, T, inward):
    """J₁ and J₂."""
    one = combined(1.0, transposed(rotation_matrix(step)), -eta, matrix_product(T, transposed(inward)))
    return one, combined(eta, matrix_product(T, inward), 0.0, IDENTITY)


@compiled
def turns_of_place(p, i, phi, eta):
    """The matrices by which the turns of both nodes, in their own axes, turn the place at η in its axes."""
    psi = times(eta, phi)
    one, two = _turns(eta, exp(psi), rate_map(psi), inverse_rate_map(phi))
    turn, turn_two = rotation_matrix(quaternion_in(p[i], TURN1)), rotation_matrix(quaternion_in(p[i], TURN2))
    return matrix_product(one, transposed(turn)), matrix_product(two, transposed(turn_two))


@kernel
def point_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    eta, wk = w[0], w[len(w) - 1]
    first, slope, last, slope_two = shares(eta)
    for i in range(p.shape[0]):
        J = matrix_view(out[i], 0, 6, 12)
        node, node_two = rotation_matrix(quaternion_at(q, iq[i], 3)), rotation_matrix(quaternion_at(q, iq[i], 10))
        d, d_two = times(slope, vector_in(p[i], SLOPES)), times(slope_two, vector_in(p[i], SLOPES + 3))
        begin, end, between, phi = sections(p, i, iq, q)
        psi = times(eta, phi)
        step = exp(psi)
        axes = rotation_matrix(product(begin, step))
        turn, turn_two = rotation_matrix(quaternion_in(p[i], TURN1)), rotation_matrix(quaternion_in(p[i], TURN2))
        T, inward = rate_map(psi), inverse_rate_map(phi)
        outward = transposed(inward)
        one, two = _turns(eta, step, T, inward)
        for k in range(3):
            J[k, k], J[k, 6 + k] = first, last
        add_block(J, 0, 3, -1.0, matrix_product(node, tilde(d)))
        add_block(J, 0, 9, -1.0, matrix_product(node_two, tilde(d_two)))
        add_block(J, 3, 3, 1.0, matrix_product(matrix_product(axes, one), transposed(turn)))
        add_block(J, 3, 9, 1.0, matrix_product(matrix_product(axes, two), transposed(turn_two)))
        if wk == 0.0:
            continue
        force, moment = vector_in(lam[i], 0), vector_in(lam[i], 3)
        block = K[i]
        add_block(block, 3, 3, wk, tilde_product(d, applied(transposed(node), force)))
        add_block(block, 9, 9, wk, tilde_product(d_two, applied(transposed(node_two), force)))
        if dot(moment, moment) == 0.0:
            continue
        # the moments p₁ and p₂ on the sections
        nu = applied(transposed(axes), moment)
        inner = applied(transposed(T), nu)
        on_two = times(eta, applied(outward, inner))
        E = rotation_matrix(between)
        on_one = turned_back(begin, moment)
        by_phi = combined(
            eta,
            inverse_rate_map_change(phi, inner, -1.0),
            eta * eta,
            matrix_product(outward, rate_map_change(psi, nu, -1.0)),
        )
        by_nu = combined(eta, matrix_product(outward, matrix_product(transposed(T), tilde(nu))), 0.0, IDENTITY)
        two_one = combined(-1.0, matrix_product(by_phi, outward), 1.0, matrix_product(by_nu, one))
        two_two = combined(1.0, matrix_product(by_phi, inward), 1.0, matrix_product(by_nu, two))
        # E (δp₂ + (y₂ − Eᵀ y₁) × p₂): the turn of the second section against the first
        turning = tilde(on_two)
        whole_one = combined(1.0, two_one, 1.0, matrix_product(turning, transposed(E)))
        whole_two = combined(1.0, two_two, -1.0, turning)
        one_one = combined(1.0, tilde(on_one), -1.0, matrix_product(E, whole_one))
        one_two = combined(-1.0, matrix_product(E, whole_two), 0.0, IDENTITY)
        back, back_two = transposed(turn), transposed(turn_two)
        add_block(block, 3, 3, wk, matrix_product(matrix_product(turn, one_one), back))
        add_block(block, 3, 9, wk, matrix_product(matrix_product(turn, one_two), back_two))
        add_block(block, 9, 3, wk, matrix_product(matrix_product(turn_two, two_one), back))
        add_block(block, 9, 9, wk, matrix_product(matrix_product(turn_two, two_two), back_two))


@compiled
def of_section(p, i, iq, q, eta, force, moment):
    """Force and moment at η in the axes of the section there; given the force in the axes of the ground and the moment
    on the second node in its own."""
    first, slope, last, slope_two = shares(eta)
    node, node_two = quaternion_at(q, iq[i], 3), quaternion_at(q, iq[i], 10)
    r_two = vector_at(q, iq[i], 7)
    r = plus(times(first, vector_at(q, iq[i], 0)), times(last, r_two))
    r = plus(r, turned(node, times(slope, vector_in(p[i], SLOPES))))
    r = plus(r, turned(node_two, times(slope_two, vector_in(p[i], SLOPES + 3))))
    begin, _, between, phi = sections(p, i, iq, q)
    axes = product(begin, exp(times(eta, phi)))
    whole = plus(turned(node_two, moment), cross(minus(r_two, r), force))
    return turned_back(axes, force), turned_back(axes, whole)


@compiled
def strains_of(p, i, eta, n, m):
    """C⁻¹ (n, m) at η."""
    at = i * p.shape[1]
    strain, curvature = weighted(vector_view(p, at + FLEXIBILITY, 36), n, m)
    if p[i, TAPERED] != 0.0:
        L, xi = p[i, LENGTH], eta - 0.5
        bend = 15.0 * (12.0 * xi * xi - 1.0)
        linear = weighted(vector_view(p, at + FIRST, 36), times(12.0 * xi / L, n), times(12.0 * xi / L, m))
        square = weighted(vector_view(p, at + SECOND, 36), times(bend / (L * L), n), times(bend / (L * L), m))
        mean = 1.0 - bend / 12.0
        strain = plus(times(mean, strain), plus(linear[0], square[0]))
        curvature = plus(times(mean, curvature), plus(linear[1], square[1]))
    return strain, curvature


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    eta = w[0]
    for i in range(p.shape[0]):
        force, _, moment = on_nodes(p, i, iq, iv, q, v, False, work)
        n, m = of_section(p, i, iq, q, eta, force, moment)
        strain, curvature = strains_of(p, i, eta, n, m)
        put(out[i], 0, strain)
        put(out[i], 3, curvature)
        force, _, moment = on_nodes(p, i, iq, iv, q, v, True, work)
        n, m = of_section(p, i, iq, q, eta, force, moment)
        put(out[i], 6, n)
        put(out[i], 9, m)
