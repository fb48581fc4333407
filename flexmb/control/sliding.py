"""Sliding mode control by feedback of outputs (SOSMC), Kobayashi (n.d.), §2.4.1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.analyses.linear.linear_model import LinearModel, check_linear
from flexmb.control.output_feedback import minimum_error_excitation
from flexmb.control.regulator import lqr
from flexmb.errors import ControlError
from flexmb.feedback.laws import LinearLaw
from flexmb.feedback.sliding_law import SlidingLaw
from flexmb.machine.threads import threads_by_size
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls, answers_calls


@dataclass(frozen=True, eq=False)
class SlidingDesign(metaclass=AnswersCalls):
    """The result of :func:`sliding_mode`: `S` (inputs, states) of σ = S x; `K_eq` (inputs, states) of the equivalent
    control u = −K_eq x; the same by outputs, `S_c` of σ_c = S_c y and `K_out` of u = −K_out y (inputs, outputs);
    `reach` = S B (inputs, inputs), the effect of the inputs on σ. `K_out` is None without a rate of reaching.

    >>> import flexmb as fm
    >>> import numpy as np
    >>> mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], np.eye(2), np.zeros((2, 1)))
    >>> design = fm.control.sliding_mode(mass, [4.0, 0.0], 1.0, reaching=5.0)
    >>> design.S.round(6).tolist(), design.reach.round(6).tolist()
    ([[2.0, 2.0]], [[2.0]])
    """

    plant: LinearModel = field(repr=False)
    S: np.ndarray
    K_eq: np.ndarray
    S_c: np.ndarray
    K_out: np.ndarray | None
    reach: np.ndarray

    def __repr__(self) -> str:
        inputs, outputs = self.S_c.shape
        return f"SlidingDesign({self.S.shape[1]} states, {inputs} inputs, {outputs} outputs)"

    def output_feedback(self, errors: LinearLaw | None = None) -> LinearLaw:
        """The law u = −S_c e: the surface as a gain, which the source calls SOFB. `errors` turns the readings into
        e, see :func:`~flexmb.control.servo.servo_errors`; without it the readings are e.

        >>> import flexmb as fm
        >>> import numpy as np
        >>> mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], np.eye(2), np.zeros((2, 1)))
        >>> design = fm.control.sliding_mode(mass, [4.0, 0.0], 1.0, reaching=5.0)
        >>> design.output_feedback().D.round(6).tolist()
        [[-2.0, -2.0]]
        """
        given = checks.kind_or_none(errors, LinearLaw, "errors", "sliding design")
        return LinearLaw(D=-self.S_c) if given is None else given.times(-self.S_c)

    def law(self, errors: LinearLaw | None = None, *, switching: Any = 0.5, layer: Any = 0.0) -> SlidingLaw:
        """The law of sliding mode control by outputs, eqs. (93)-(96): u = −K_out e, whose gains switch by
        ±`switching`·|K_out|; `switching` is a number or a matrix (inputs, outputs), `layer` as in :class:`SlidingLaw`.

        >>> import flexmb as fm
        >>> import numpy as np
        >>> mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], np.eye(2), np.zeros((2, 1)))
        >>> design = fm.control.sliding_mode(mass, [4.0, 0.0], 1.0, reaching=5.0)
        >>> type(design.law(switching=0.2, layer=0.01)).__name__
        'SlidingLaw'
        """
        if self.K_out is None:
            raise ControlError(
                "sliding mode: without a rate of reaching there is no law by outputs: the loop of the equivalent "
                f"control has {len(self.S)} poles at the origin, so that its states have no covariance, and eq. (87) "
                "no solution; give reaching, or take the law by states, state_law"
            )
        return self._switched(self.K_out, self.S_c, errors, switching, layer)

    def state_law(self, errors: LinearLaw | None = None, *, switching: Any = 0.5, layer: Any = 0.0) -> SlidingLaw:
        """The law by all states, eqs. (79)-(81), whose readings are the states of the plant in their order, or whose
        `errors` give them: u = −K_eq x, with gains that switch by ±`switching`·|K_eq|, a number or a matrix (inputs,
        states). Without a rate of reaching the switched part alone brings σ to zero; it fades with the states on which
        K_eq acts.

        >>> import flexmb as fm
        >>> import numpy as np
        >>> mass = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], np.eye(2), np.zeros((2, 1)))
        >>> design = fm.control.sliding_mode(mass, [4.0, 0.0], 1.0, reaching=None)
        >>> design.state_law().gain.round(9).tolist(), design.K_out
        ([[0.0, 1.0]], None)
        """
        return self._switched(self.K_eq, self.S, errors, switching, layer)

    def _switched(
        self, K: np.ndarray, S: np.ndarray, errors: LinearLaw | None, switching: Any, layer: Any
    ) -> SlidingLaw:
        """A law of gains K on a surface S, which switch by ±`switching`·|K|."""
        wanted = f"a number, or a matrix {K.shape}"
        given = checks.numbers(switching, "switching", "sliding mode", wanted)
        if given.shape not in ((), K.shape):
            raise ControlError(f"sliding mode: switching must be {wanted}, not {checks.quoted(given)}")
        part = np.abs(np.broadcast_to(given, K.shape))
        return SlidingLaw(K, S, part * np.abs(K), reach=self.reach, layer=layer, errors=errors)


@answers_calls
@threads_by_size
def sliding_mode(
    plant: LinearModel, Q: Any, R: Any, *, reaching: float | None, excitation: Any = None
) -> SlidingDesign:
    """A sliding surface and its equivalent control, by states and by outputs.

    The surface σ = S x is the gain of the :func:`flexmb.control.lqr` with the weights `Q` and `R`, eq. (79). On it
    σ̇ = S A x + S B u is zero for u = −(S B)⁻¹ S A x, eq. (80). That loop has as many poles at the origin as there are
    inputs: it keeps σ, but does not bring it to zero, and (87) has no solution for it. So the law here asks for
    σ̇ = −r σ in place of σ̇ = 0, with a rate r = `reaching` [1/s]:

        u = −K_eq x,    K_eq = (S B)⁻¹ (S A + r S)

    r → 0 gives (80), and `reaching=None` the source's law itself, which is one by states alone,
    :meth:`SlidingDesign.state_law`. As many poles as there are inputs lie at −r. The others are those of sliding, which
    decay, since the loop of an LQR stays stable for any larger gain. By outputs, S_c and K_out follow from S and K_eq
    by :func:`~flexmb.control.output_feedback.minimum_error_excitation`, eqs. (82)-(87).

    Arguments: `plant` with outputs that do not answer at once to the inputs, such as :func:`filtered` gives; `Q`, `R`,
    `excitation` as there.

    >>> import numpy as np
    >>> mass = LinearModel([[0, 1.0], [0, 0]], [[0], [2.0]], np.eye(2), np.zeros((2, 1)))
    >>> design = sliding_mode(mass, [4.0, 0.0], 1.0, reaching=5.0)
    >>> design.S.round(9).tolist(), design.K_eq.round(9).tolist()
    ([[2.0, 1.414213562]], [[3.535533906, 3.207106781]])
    >>> np.allclose(design.S_c, design.S)
    True
    """
    where = "sliding mode"
    check_linear(plant, "plant", where)
    if plant.period is not None:
        raise ControlError(f"{where}: it is designed for plants in continuous time; sample the law, not the plant")
    r = 0.0 if reaching is None else checks.positive(reaching, "reaching", where)
    S = lqr(plant, Q, R).K
    reach = S @ plant.B
    if np.linalg.cond(reach) > 1e12:
        raise ControlError(f"{where}: S B is singular: the inputs do not move all parts of σ; give Q other weights")
    K_eq = np.linalg.solve(reach, S @ plant.A + r * S)
    S_c = minimum_error_excitation(plant, S, excitation)
    K_out = None if reaching is None else minimum_error_excitation(plant, K_eq, excitation)
    return SlidingDesign(plant, S, K_eq, S_c, K_out, reach)
