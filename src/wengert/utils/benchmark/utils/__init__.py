"""Where `torch.utils.benchmark` has its parts: `common`, `timer`, `compare`."""
