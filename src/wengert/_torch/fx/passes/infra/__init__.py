"""`torch.fx.passes.infra`: what passes over graphs are made of."""
