"""The field of gravity of a model: alike everywhere, or that of a central body about which the model's origin falls."""
