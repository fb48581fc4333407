"""Linear models: inputs, outputs, A, B, C, D, frequency responses, smaller models."""
