"""Properties of an operator that are fixed before a call: parameters, dtypes of operands, memory layout of results."""
