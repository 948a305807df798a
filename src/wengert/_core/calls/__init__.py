"""The call of an operator: arrays out of tensors, kernel, tensors again, one function per step."""
