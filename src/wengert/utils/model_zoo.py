"""Mirror of `torch.utils.model_zoo`: the older name for the download of weights in `hub`."""

from __future__ import annotations

from ..hub import load_state_dict_from_url as load_url, tqdm as tqdm

__all__ = ["load_url"]
