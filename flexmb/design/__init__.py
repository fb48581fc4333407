"""Design of feedback and of filters, on linear models."""
