"""`torch._subclasses`: classes of tensors that torch's compiler uses."""
