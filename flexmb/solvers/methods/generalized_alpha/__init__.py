"""Generalized-α on the DAE itself: implicit, second order, the loop compiled from end to end.

The method of Chung and Hulbert (1993) in the form of Arnold and Brüls (2007), with an algorithmic acceleration â next
to the true one, for  M a + f + Gᵀ λ = 0,  g = 0:

    (1 − αm) â₁ + αm â₀ = (1 − αf) a₁ + αf a₀
    q₁ = q₀ + h v₀ + h² ((½ − β) â₀ + β â₁),      v₁ = v₀ + h ((1 − γ) â₀ + γ â₁)

    αm = (2ρ − 1)/(ρ + 1),  αf = ρ/(ρ + 1),  γ = ½ + αf − αm,  β = ¼ (γ + ½)²,   ρ the spectral radius at infinity

A step is predicted, corrected by Newton's method, checked for its error and accepted; each of these parts has a file in
this room. The reported speeds are projected onto ġ = 0 with the factors of Newton's matrix, so that positions and
speeds both satisfy their constraints. The recursion continues from its own speeds (their ġ is of order h² and does not
drift): starting each step from the projected ones would disturb the next acceleration by their difference divided by h,
and λ would be of first order only.

When h changes, â is converted to a + (h_new/h_old) (â − a), and the difference of the recursion's speeds from the
projected ones is multiplied by (h_new/h_old)²: both preserve the second order, that of λ too. A step of size h has
round-off of the size ε L/(β h²) in its accelerations, and a step much shorter than its neighbors would pass it on
multiplied by the ratio of their sizes. So after such a step, and where forces jump, the recursion starts again: a and λ
are computed from the equations of motion, speeds are projected, and â = a + (αm − αf) h ȧ with the ȧ of the step
before, which preserves the second order.
"""
