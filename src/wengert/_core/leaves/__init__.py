"""Where gradients end: the accumulators of leaves, and gradients that other tensors keep."""
