"""In-place operators, writes into parts of tensors, and the gradients of parts."""
