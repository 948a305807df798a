"""`torch.utils.model_zoo`: fetching of weights, which is refused."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["load_url"]


def load_url(url: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Refused.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(
        f"torch.utils.model_zoo: nothing is fetched here; fetch {url} yourself, then load it from its path"
    )
