"""Tensors that share memory: the steps of a view, and its history after a write."""
