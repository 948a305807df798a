"""`torch.fx.passes`: what is done with whole graphs; the shapes of values are there."""
