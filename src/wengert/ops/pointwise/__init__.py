"""Pointwise operators: arithmetic, functions, activations, comparison, choice."""
