"""Accumulators of leaves, and gradients that other tensors retain."""
