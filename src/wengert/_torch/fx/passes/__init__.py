"""`torch.fx.passes`: passes over graphs; only propagation of shapes exists here."""
