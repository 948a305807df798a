"""Tensors that share memory: how a view was taken, and its history after a write."""
