"""`torch.fx.experimental`: queries of libraries about a running trace."""
