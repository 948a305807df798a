"""A deep network whose activations do not fit into memory: they wait for the backward pass on disk.

`python examples/spill_to_disk.py --megabytes 16` trains under that limit (Linux); with `--keep` nothing is spilled, and
the same limit is too small.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import tempfile
import uuid
import weakref
from pathlib import Path
from typing import Any

import numpy as np

import wengert as wg
from wengert import nn, optim
from wengert.autograd.graph import saved_tensors_hooks

LAYERS, BATCH, WIDTH = 40, 8192, 32


class Folder:
    """A temporary folder that goes when nobody knows it any more, at the latest when the program ends."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="spilled_"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


class Spilled:
    """A tensor on disk. The file goes when the graph lets go of it."""

    def __init__(self, tensor: wg.Tensor, folder: Folder) -> None:
        self.folder = folder
        self.path = folder.path / f"{uuid.uuid4().hex}.npy"
        np.save(self.path, tensor.numpy(force=True), allow_pickle=False)

    def load(self) -> wg.Tensor:
        """Read the tensor back."""
        return wg.from_numpy(np.load(self.path, allow_pickle=False))

    def __del__(self) -> None:
        self.path.unlink(missing_ok=True)


class SpillToDisk(saved_tensors_hooks):
    """Inside this context saved tensors of `least` bytes and more are written to files.

    Leaves (weights and data) stay where they are: the program holds them anyway.

    Attributes:
        spilled: how many bytes have been written so far.
    """

    def __init__(self, least: int = 1 << 16) -> None:
        super().__init__(self.pack, self.unpack)
        self.least = least
        self.spilled = 0
        self.folder = Folder()

    def pack(self, tensor: wg.Tensor) -> wg.Tensor | Spilled:
        """Write a tensor to disk if that pays."""
        if tensor.is_leaf or tensor.nbytes < self.least:
            return tensor
        self.spilled += tensor.nbytes
        return Spilled(tensor, self.folder)

    def unpack(self, packed: wg.Tensor | Spilled) -> wg.Tensor:
        """Read it back."""
        return packed.load() if isinstance(packed, Spilled) else packed


def limit_memory(megabytes: int) -> None:
    """Let this process ask for no more than so much memory beyond what it has (Linux).

    What libraries take for themselves depends on the processor and on the number of threads, and stays: whatever is to
    be measured must have run once, in its full size.
    """
    import resource

    taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * resource.getpagesize()
    bound = taken + megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (bound, bound))


def step(network: nn.Module, optimiser: optim.Optimizer, x: wg.Tensor, y: wg.Tensor, hooks: Any) -> float:
    """One step of training; what the forward pass saves goes through the hooks."""
    optimiser.zero_grad()
    with hooks:
        loss = ((network(x) - y) ** 2).mean()
    loss.backward()
    optimiser.step()
    return loss.item()


def main(steps: int = 3, megabytes: int | None = None, keep: bool = False, seed: int = 0) -> list[float]:
    """Train for a few steps; print and return the losses.

    Args:
        megabytes: a limit for the memory beyond what the process has after a first step that spills.
        keep: keep all activations in memory.
    """
    wg.manual_seed(seed)
    layers = [layer for _ in range(LAYERS) for layer in (nn.Linear(WIDTH, WIDTH), nn.Tanh())]
    network = nn.Sequential(*layers, nn.Linear(WIDTH, 1))
    optimiser = optim.SGD(network.parameters(), lr=0.05)
    x = wg.randn(BATCH, WIDTH)
    y = x.sum(1, keepdim=True).sin()
    hooks = contextlib.nullcontext() if keep else SpillToDisk()
    if megabytes is not None:
        step(network, optimiser, x, y, SpillToDisk())
        limit_memory(megabytes)
    losses = []
    for at in range(steps):
        losses.append(step(network, optimiser, x, y, hooks))
        spilled = 0 if keep else hooks.spilled
        print(f"step {at + 1}  loss {losses[-1]:.4f}  {spilled / 2**20:.0f} MB written to disk so far")
    return losses


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, help="limit of the memory for training")
    parser.add_argument("--keep", action="store_true", help="keep all activations in memory")
    parser.add_argument("--steps", type=int, default=3)
    given = parser.parse_args()
    main(given.steps, given.megabytes, given.keep)
