"""Loaders and samplers: the order of samples, and the random numbers that a program draws around them."""

from __future__ import annotations

import importlib


def data_of(torch, name="utils.data"):
    return importlib.import_module(f"{torch.__name__}.{name}")


def drawn(torch, make):
    """Two epochs of a loader over 70 samples, with what the program draws within and after them."""
    data = data_of(torch)
    dataset = data.TensorDataset(torch.arange(70))
    torch.manual_seed(0)
    loader = data.DataLoader(dataset, batch_size=16, **make(data, dataset))
    found = []
    for _ in range(2):
        batches = iter(loader)
        found.append(torch.rand(2))
        found.extend(batch[0] for batch in batches)
        found.append(torch.rand(2))
    return found


def orders(torch):
    def generator():
        return torch.Generator().manual_seed(3)

    return [
        drawn(torch, make)
        for make in (
            lambda data, dataset: {},
            lambda data, dataset: {"shuffle": True},
            lambda data, dataset: {"shuffle": True, "generator": generator()},
            lambda data, dataset: {"generator": generator()},
        )
    ]


def samplers(torch):
    weights = [1.0, 2.0, 3.0] * 10
    return [
        drawn(torch, lambda data, dataset, make=make: {"sampler": make(data, dataset)})
        for make in (
            lambda data, dataset: data.RandomSampler(dataset, replacement=True),
            lambda data, dataset: data.RandomSampler(dataset, replacement=True, num_samples=64),
            lambda data, dataset: data.RandomSampler(dataset, num_samples=200),
            lambda data, dataset: data.RandomSampler(dataset, num_samples=140),
            lambda data, dataset: data.RandomSampler(dataset, num_samples=20),
            lambda data, dataset: data.SubsetRandomSampler(range(30)),
            lambda data, dataset: data.WeightedRandomSampler(weights, 20),
            lambda data, dataset: data.WeightedRandomSampler(weights, 20, replacement=False),
        )
    ]


def streams(torch):
    data = data_of(torch)

    class Stream(data.IterableDataset):
        def __iter__(self):
            return iter(range(7))

    torch.manual_seed(0)
    return list(data.DataLoader(Stream(), batch_size=3)), torch.rand(2)
