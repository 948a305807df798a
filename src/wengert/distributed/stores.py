"""Stores: keys and values that the processes of a group share; here the threads of one process."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

from .errors import DistStoreError, refuse_several

DEFAULT_TIMEOUT = timedelta(seconds=300)


def as_bytes(value: str | bytes) -> bytes:
    """Return a value as bytes, as stores hold it."""
    return value.encode() if isinstance(value, str) else bytes(value)


class Store:
    """Store of keys and values (bytes), for the threads of this process."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}
        self._changed = threading.Condition()
        self.timeout = DEFAULT_TIMEOUT

    def set_timeout(self, timeout: timedelta) -> None:
        """Set the time for which `get` and `wait` wait for a key."""
        self.timeout = timeout

    def set(self, key: str, value: str | bytes) -> None:
        """Set the value of a key."""
        with self._changed:
            self._values[key] = as_bytes(value)
            self._changed.notify_all()

    def get(self, key: str) -> bytes:
        """Return the value of a key; wait until it is set.

        Raises:
            DistStoreError: if the key is not set in time.
        """
        with self._changed:
            self._wait([key], self.timeout)
            return self._values[key]

    def wait(self, keys: list[str], timeout: timedelta | None = None) -> None:
        """Wait until keys are set.

        Raises:
            DistStoreError: if a key is not set in time.
        """
        with self._changed:
            self._wait(keys, self.timeout if timeout is None else timeout)

    def _wait(self, keys: list[str], timeout: timedelta) -> None:
        if not self._changed.wait_for(lambda: self._values.keys() >= set(keys), timeout.total_seconds()):
            raise DistStoreError(f"Wait timeout: no thread of this process has set {keys} within {timeout}")

    def add(self, key: str, amount: int) -> int:
        """Add to the number of a key (0 if it is not set), and return the sum."""
        with self._changed:
            total = int(self._values.get(key, b"0")) + amount
            self._values[key] = str(total).encode()
            self._changed.notify_all()
            return total

    def append(self, key: str, value: str | bytes) -> None:
        """Append to the value of a key."""
        with self._changed:
            self._values[key] = self._values.get(key, b"") + as_bytes(value)
            self._changed.notify_all()

    def compare_set(self, key: str, expected_value: str, desired_value: str) -> bytes:
        """Set a key if it has the expected value, or is not set and `expected_value` is empty; return its value."""
        with self._changed:
            present = self._values.get(key)
            if present == as_bytes(expected_value) or (present is None and not expected_value):
                present = self._values[key] = as_bytes(desired_value)
                self._changed.notify_all()
            return as_bytes(expected_value) if present is None else present

    def check(self, keys: list[str]) -> bool:
        """Return whether all keys are set."""
        return all(key in self._values for key in keys)

    def delete_key(self, key: str) -> bool:
        """Delete a key; return whether it was set."""
        with self._changed:
            return self._values.pop(key, None) is not None

    def num_keys(self) -> int:
        """Return the number of keys."""
        return len(self._values)


class HashStore(Store):
    """A store in the memory of this process."""


class FileStore(Store):
    """A store with the name of a file; it is in memory, and not shared with other processes.

    Args:
        file_name: name of the file.
        world_size: number of processes: 1, or -1 if unknown.

    Raises:
        RuntimeError: if `world_size` is greater than 1.
    """

    def __init__(self, file_name: Any, world_size: int = -1) -> None:
        refuse_several("FileStore", world_size)
        super().__init__()
        self.path = str(file_name)


class PrefixStore(Store):
    """A view of another store that adds a prefix to all keys.

    Args:
        prefix: the prefix.
        store: the other store.
    """

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__()
        self.underlying_store = store
        self._prefix, self._changed, self.timeout = prefix, store._changed, store.timeout
        self._values = Prefixed(prefix, store._values)


class Prefixed(dict[str, bytes]):
    """Mapping of keys without their prefix to the values of a store.

    Args:
        prefix: the prefix.
        values: the values of the store.
    """

    def __init__(self, prefix: str, values: dict[str, bytes]) -> None:
        super().__init__()
        self.prefix, self.whole = f"{prefix}/", values

    def __setitem__(self, key: str, value: bytes) -> None:
        self.whole[self.prefix + key] = value

    def __getitem__(self, key: str) -> bytes:
        return self.whole[self.prefix + key]

    def __contains__(self, key: object) -> bool:
        return f"{self.prefix}{key}" in self.whole

    def __len__(self) -> int:
        return sum(key.startswith(self.prefix) for key in self.whole)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or `default`."""
        return self.whole.get(self.prefix + key, default)

    def pop(self, key: str, default: Any = None) -> Any:
        """Remove a key and return its value, or `default`."""
        return self.whole.pop(self.prefix + key, default)

    def keys(self) -> Any:
        """Return the keys without their prefix."""
        return {key.removeprefix(self.prefix) for key in self.whole if key.startswith(self.prefix)}
