"""Derivatives of runs with Radau IIA, carried along by the compiled loop, step by step.

With the stages of a step (:mod:`flexmb.solvers.methods.radau.stages`), K, D and M the derivatives of the equations of
motion r by positions, speeds and accelerations, and ∂θ those by a parameter at a fixed state, the changes of a step are
the solution of linear equations, those of Newton's method with another right-hand side:

    M δa + D δv + K δθ + Gᵀ δλ = −∂θ r,     G δθ = −∂θ g        at each stage

    plain coordinates     δθ = δq₀ + c h δv₀ + δu,       δv = δv₀ + A⁻¹ δu/h
    orientations          δθ = exp(−ỹ) δθ₀ + T δy,       δv = T δẏ + (Ṫ + ω̃ T) δy,      Ṫ = dT along ẏ

and δa = A⁻¹ (δv − δv₀)/h for all. They are solved by the matrices that Newton's method of the run has kept, and
corrected with the exact K, D, M and G of all stages until the correction is small. (A fixed number of corrections with
kept matrices would be no derivative.) At the end of the step the speeds were projected, v⁺ = v₃ − w, M w = Gᵀ μ, with

    [M Gᵀ] [δv⁺]   [M δv₃ + M′ w − (Gᵀ)′ μ]
    [G 0 ] [δμ ] = [−(G v⁺ + g_t)′        ]        (a prime: the change along δq⁺ and the parameter)

The change of the direction of projection, M′ w − (Gᵀ)′ μ, must not be left out: w is of third order in each step, and
so would be the derivatives, of second over a run. δa and δλ follow from the equations of motion at the end.

Sizes of steps are not differentiated: the error of a run with given steps has the order of the method, and so has its
derivative. But steps see the derivatives: where a mechanism rests while its derivatives vibrate, the run alone would
take steps that are far too long for them. Their error is estimated by the formula of the run, in units of a typical
change of the parameter, and the largest error decides.

Caracotsios and Stewart (1985); Feehery, Tolsma and Barton (1997): changes that follow each step of the run.
"""
