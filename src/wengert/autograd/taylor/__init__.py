"""Taylor mode: power series of tensors, propagated through the operators."""
