# Made by tools/make_stub.py; do not edit.
from wengert._torch.storage import (
    TypedStorage as TypedStorage,
    UntypedStorage as UntypedStorage,
    _LegacyStorageMeta as _LegacyStorageMeta,
    _StorageBase as _StorageBase,
)
