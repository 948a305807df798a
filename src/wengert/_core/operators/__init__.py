"""What is fixed about an operator before a call: parameters, dtypes of operands, the order of results in memory."""
