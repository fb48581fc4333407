"""Methods of motion in time: each a room or file of formulas that a reader of its paper recognizes, and who runs it."""
