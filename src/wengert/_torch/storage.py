"""`torch.storage`: the types of storages."""

from __future__ import annotations

from wengert.ops.create.legacy_storages import StorageType as _LegacyStorageMeta
from wengert.ops.memory.storages import StorageBase as _StorageBase, TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage", "_LegacyStorageMeta", "_StorageBase"]
