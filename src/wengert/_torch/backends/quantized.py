"""`torch.backends.quantized`: quantised tensors do not exist here."""

engine = "none"
supported_engines = ["none"]
