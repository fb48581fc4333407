"""Motion in independent coordinates: their choice, the computation of the dependent ones, and integration by CVODE's
BDF or Radau IIA."""
