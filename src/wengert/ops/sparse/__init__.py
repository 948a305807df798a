"""Sparse tensors: how they are made and read, and what operators make of them."""
