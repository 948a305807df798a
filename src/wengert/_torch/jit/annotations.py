"""`torch.jit.annotations`: types that only torch's compiler reads, and those of `typing` that programs take from it."""

from __future__ import annotations

from typing import Any, Dict as Dict, List as List, Optional as Optional, Tuple as Tuple, Union as Union  # noqa: UP035

from ..futures import Future as Future


class BroadcastingListCls:
    """Annotation of a list of fixed length for which a single number may be passed: `BroadcastingList2[int]`."""

    def __getitem__(self, types: Any) -> None:
        """None: nobody reads the annotation."""


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingListCls()
