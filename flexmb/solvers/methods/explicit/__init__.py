"""Explicit Runge–Kutta methods, each given by its tableau of coefficients, with one compiled loop for all of them.

The index-1 form, Skyenginlab (n.d.), eq. (14), is an ordinary differential equation of positions and speeds,

    q̇ = v  (orientations: ½ q ∘ ω),      v̇ = a(t, q, v),

with a from [M Gᵀ; G 0] at each stage. At the end of a step the state is projected onto g = 0 and ġ = 0 by the shortest
displacement, which is about as large as the error of the step, so that the method keeps its order (Eich (1993) for BDF;
for these methods tests measure it).

Steps are fixed, or their size follows from the error; `tolerance` is then the error of the result. The method estimates
the errors of a step, δq of positions and δv of speeds, both in units of the model. They are weighted by the
displacement that they cause at the end of the run:

- The projection at the end of the step leaves only the component along the constraints, δ − M⁻¹Gᵀ(G M⁻¹Gᵀ)⁻¹ G δ. It is
  this component that is estimated: in a row of 40 short parallelograms, an error of positions that was small in
  comparison with the row, 40 m, rotated the rods of 1 m by a hundred tolerances.
- δv persists: it displaces positions by up to T δv, where T is the duration of the run. (The weight h of the step
  itself would be wrong where forces jump: there the steps become short, and h δv with them, but the resulting error
  does not.)
- The mechanism moves at the rate ρ, the largest of |v| and √|a| in units of the model, so that the run covers Θ = ∫ρ dt
  radians. The error of a step of a method of order p is about ρ h times its estimate, which is of order p − 1, and the
  errors of all steps add up to Θ times the estimate: δq gets the weight 1 + Θ.

Where ρ is not the rate of the motion, the two weights complement each other: a small vibration of frequency ω ≫ ρ
covers ω T radians, and its δv = ω δq has the weight T. The allowed error does not depend on the size of a coordinate:
it is the same for coordinates at rest and for those that move.
"""
