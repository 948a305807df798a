"""Sparsity patterns: the inputs that each output of a function may depend on, by sets of inputs that are passed through
the operators as the function runs.
"""
