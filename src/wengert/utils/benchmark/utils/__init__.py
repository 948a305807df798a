"""Parts of `torch.utils.benchmark`: `common`, `timer`, `compare`."""
