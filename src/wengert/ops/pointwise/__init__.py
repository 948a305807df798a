"""Functions of single elements: arithmetic, functions, activations, comparison, choice."""
