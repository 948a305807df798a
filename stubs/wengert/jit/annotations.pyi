# Made by tools/make_stub.py; do not edit.
from wengert._torch.jit.annotations import (
    BroadcastingList1 as BroadcastingList1,
    BroadcastingList2 as BroadcastingList2,
    BroadcastingList3 as BroadcastingList3,
    BroadcastingListCls as BroadcastingListCls,
    Dict as Dict,
    Future as Future,
    List as List,
    Optional as Optional,
    Tuple as Tuple,
    Union as Union,
)
