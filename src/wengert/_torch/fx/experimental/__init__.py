"""`torch.fx.experimental`: what libraries ask of a trace under way."""
