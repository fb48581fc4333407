"""Explicit Runge–Kutta methods, with one compiled loop for all of them: a method is a table of numbers.

The index-1 form, Skyenginlab (n.d.), eq. (14), is an ordinary differential equation of positions and speeds,

    q̇ = v  (orientations: ½ q ∘ ω),      v̇ = a(t, q, v),

with a from [M Gᵀ; G 0] at each stage. At the end of a step the state is moved the shortest way onto g = 0 and ġ = 0. It
moves by no more than about the error of the step, so that the method keeps its order (Eich (1993) for BDF; here tests
measure it).

Steps are fixed, or follow the error; `tolerance` is then meant as the error of the result. The method's estimate of the
error of a step, δq of positions and δv of speeds, both in units of the model, is weighed by what becomes of it:

- Of both only what lies along the constraints is left when the step has been closed, δ − M⁻¹Gᵀ(G M⁻¹Gᵀ)⁻¹ G δ. What lay
  across is gone, but where it was large the rest is not what it seems: in a row of 40 short parallelograms an error of
  places that is small against the row, 40 m, turned the rods of 1 m by a hundred tolerances.
- δv lasts: it moves positions by up to T δv, where T is the length of the run. (To weigh it by the step h instead would
  be wrong where forces jump: the steps become short there, h δv with them, but not the error that is left.)
- The mechanism moves at the rate ρ, the largest of |v| and √|a| in units of the model, so that the run lasts for
  Θ = ∫ρ dt radians. A method of order p leaves in a step of size h an error of about ρ h times its estimate, which is
  one of order p − 1, and errors of all steps add up to Θ times the estimate: δq counts 1 + Θ times.

Where ρ says nothing of the motion's own rate the two make up for one another: of a small vibration of frequency ω ≫ ρ
there are ω T radians, while δv = ω δq is weighed by T. Nothing is weighed by its size: what is at rest has the same
allowed error as what moves.
"""
