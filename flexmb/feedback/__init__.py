"""Feedback: sensors, sampled controllers and their laws."""
