"""`torch.fx.passes.infra`: base classes of passes over graphs."""
