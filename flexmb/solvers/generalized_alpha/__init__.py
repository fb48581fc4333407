"""Generalized-α on the DAE itself: implicit, second order, the loop compiled from end to end.

The method of Chung and Hulbert (1993) in the form of Arnold and Brüls (2007), with an algorithmic acceleration
â next to the true one, for  M a + f + Gᵀ λ = 0,  g = 0:

    (1 − αm) â₁ + αm â₀ = (1 − αf) a₁ + αf a₀
    q₁ = q₀ + h v₀ + h² ((½ − β) â₀ + β â₁),      v₁ = v₀ + h ((1 − γ) â₀ + γ â₁)

    αm = (2ρ − 1)/(ρ + 1),  αf = ρ/(ρ + 1),  γ = ½ + αf − αm,  β = ¼ (γ + ½)²,   ρ the spectral radius at infinity

A step predicts, corrects, estimates its error and is kept; each has a file here. The speeds that are kept are projected
onto ġ = 0 with the factors at hand, so that positions and speeds both meet their constraints; the recursion goes on
with the speeds that it found itself (their ġ is of order h² and does not drift): starting each step from projected ones
would disturb the next acceleration by dv/h, and λ would be of first order only.

When h changes, â is carried over as a + (h_new/h_old) (â − a), and the difference of the recursion's speeds from the
projected ones is multiplied by (h_new/h_old)²: both keep the order, of λ too. A step of size h leaves a rounding error
of the size ε L/(β h²) in its accelerations, and one that is much shorter than its neighbours would pass it on
multiplied by the ratio of the steps. So after such a step, and where forces jump, the recursion starts again: a and λ
are found from the equations, speeds are projected, and â = a + (αm − αf) h ȧ with the ȧ of the step before, which keeps
the second order there.
"""
