"""`torch.jit.annotations`: types that only torch's compiler reads."""

from __future__ import annotations

from typing import Any


class BroadcastingListCls:
    """Stands for a list of a length for which a single number may be given: `BroadcastingList2[int]`."""

    def __getitem__(self, types: Any) -> None:
        """None: nobody reads the annotation."""


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingListCls()
