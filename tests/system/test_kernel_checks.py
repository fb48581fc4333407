"""What the author of a component is told when its kernels do not keep the contract."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import KernelError
from flexmb.kernels import kernel
from flexmb.system.bad_kernels import find_bad_kernel
from tests.system.own_families import FORCE, JOINT


@kernel
def eleven(p, iq, iv, t, q, v, a, lam, w, out, K):
    out[0, 0] = 1.0


@kernel
def misspelt(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    out[0, 0] = q.nothing


@kernel
def giving_back(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    return out


@kernel
def too_far(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 3] = q[iq[i, 0]]


@kernel
def much_work(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    work[5] = 1.0


@kernel
def wrong_shape(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    K[0] += np.ones((2, 2))


@kernel
def nan(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, out.shape[1] - 1] = np.nan


@kernel
def nan_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    K[0, 0, 0] = np.sqrt(p[0, 0] - 10.0)


@kernel
def nan_later(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = np.sqrt(0.1 - t) if p[i, 0] == 2.0 else 0.0


def plain(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    out[0, 0] = 0.0


@dataclass(eq=False)
class Own(fm.Component):
    """One instance on the angle of a body."""

    frame: fm.planar.Frame
    kernels: Any = FORCE
    parameters: Any = (1.0,)
    rows: Any = None
    shift: int = 0
    kind = "gadget"

    def assemble(self, assembly):
        angle = assembly.node(self.frame.node)[1].v
        assembly.instance(self, self.kernels, angle + self.shift, np.array(self.parameters), self.rows)


def model(**options: Any) -> fm.PlanarModel:
    m = fm.PlanarModel("m")
    m.add(Own(m.add_body("body", mass=1.0, inertia=0.1).frame, name="mine", **options))
    return m


LIST = r"kernel\(p, iq, iv, t, q, v, a, lam, w, out, K, work\)"


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        (
            replace(FORCE, residual=eleven),
            r"residual of kernels 'own force' takes 11 arguments \(p, .*, K\), not 12; .*" + LIST,
        ),
        (
            replace(FORCE, tangent=misspelt),
            r"tangent of .* cannot be compiled: Unknown attribute 'nothing'.*line \d+\); .*" + LIST,
        ),
        (replace(FORCE, energy=giving_back), r"energy of .* cannot be compiled: "),
        (replace(FORCE, residual=plain), r"residual of .* is a plain function; put @flexmb.kernels.kernel"),
        (replace(FORCE, residual=3.0), r"residual of .* is 3.0, no compiled function"),
        (replace(FORCE, residual=None), r"have a tangent but no residual"),
        (replace(JOINT, constraint=None), r"have a jacobian but no constraint"),
        (JOINT, r"have a constraint, but no rows are given"),
        ("spring", r"'spring' is no family of kernels"),
        (
            replace(FORCE, residual=too_far),
            r"residual of .* reaches beyond its arrays \(index 3 .*1 coordinates, 1 parameters",
        ),
        (replace(FORCE, residual=much_work), r"reaches beyond its arrays \(index 5 .* 0 scratch numbers"),
        (replace(FORCE, tangent=wrong_shape), r"tangent of .* reaches beyond its arrays \(.*broadcast"),
    ],
)
def test_kernels_that_break_the_contract(kernels, message):
    with pytest.raises(KernelError, match="gadget 'mine': .*" + message) as caught:
        fm.System(model(kernels=kernels))
    assert "numba" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parameters": [[1.0]]}, r"parameters have the shape \(1, 1\)"),
        ({"shift": 7}, "no coordinate number 9"),
        ({"rows": [("x", "length")]}, "1 constraint rows are given, but kernels 'own force' have neither a constr"),
        ({"kernels": JOINT, "rows": ["x"]}, "constraint row 'x' is no pair"),
        ({"kernels": JOINT, "rows": [("x", "mass")]}, "constraint row .* is no pair"),
        ({"parameters": [np.nan]}, "parameters hold NaN"),
    ],
)
def test_sizes_that_do_not_fit(options, message):
    with pytest.raises(fm.FlexmbError, match="gadget 'mine': .*" + message):
        fm.System(model(**options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernels": replace(FORCE, residual=nan)}, r"its residual gives nan \[body.angle\]"),
        ({"kernels": replace(FORCE, tangent=nan_tangent)}, r"its tangent gives nan \[K, body.angle, body.angle\]"),
        ({"kernels": replace(FORCE, energy=nan)}, r"its energy gives nan \[input power\]"),
        (
            {"kernels": replace(JOINT, constraint=nan), "rows": [("turn", "angle")]},
            r"its constraint gives nan \[γ of row 'turn'\]",
        ),
        (
            {"kernels": replace(JOINT, jacobian=nan), "rows": [("turn", "angle")]},
            r"its jacobian gives nan \[row 'turn', body.angle\]",
        ),
    ],
)
def test_nan_at_the_start_is_told_with_component_kernel_and_state(options, message):
    with pytest.raises(KernelError, match="model 'm': gadget 'mine': " + message + r" for t = 0, body.angle = 0"):
        fm.simulate(model(**options), 1.0, progress=False)


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "independent", "projection", "rkf45", "dop853"])
def test_nan_on_the_way_names_one_of_many_instances(method):
    m = fm.PlanarModel("m")
    for k in range(4):
        body = m.add_body(f"body{k}", mass=1.0, inertia=0.1)
        m.add(Own(body.frame, replace(FORCE, residual=nan_later), (float(k),), name=f"gadget{k}"))
    with pytest.warns(
        fm.errors.DivergenceWarning, match=r"gadget 'gadget2': its residual gives nan \[body2.angle\] for t = 0.1"
    ):
        run = fm.simulate(m, 1.0, method, progress=False, **({"step": 0.01} if method == "rkf45" else {}))
    assert run.status == "diverged" and 0.0 <= run.t[-1] <= 0.1 + 1e-9


def test_nothing_is_found_in_a_good_system_or_a_state_that_is_no_number():
    system = fm.System(model())
    assert find_bad_kernel(system, 0.0, system.q0, system.v0) is None
    assert (
        find_bad_kernel(fm.System(model(kernels=replace(FORCE, residual=nan))), 0.0, np.full(3, np.nan), system.v0)
        is None
    )
