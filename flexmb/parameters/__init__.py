"""Parameters of a model by name: what they are, and how the model changes with them."""
