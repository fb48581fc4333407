"""Motion in independent coordinates: which they are, how the others follow from them, and CVODE's BDF or Radau IIA."""
