"""Taylor mode: power series of tensors, passed through the operators."""
