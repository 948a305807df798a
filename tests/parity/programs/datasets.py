"""torch.utils.data: datasets side by side, samplers of several processes."""

from __future__ import annotations

from tests.parity.programs.common import caught


def datasets_side_by_side(torch):
    make = torch.utils.data.StackDataset

    class Tenfold(list):
        def __getitems__(self, indices):
            return [self[index] * 10 for index in indices]

    class Short(list):
        def __getitems__(self, indices):
            return [0]

    pair, named = make([1, 2, 3], [4, 5, 6]), make(a=[1, 2, 3], b=[4, 5, 6])
    return (
        pair[1],
        named[1],
        len(pair),
        pair.__getitems__([0, 2]),
        named.__getitems__([0, 2]),
        named.datasets,
        make(Tenfold([1, 2, 3]), [4, 5, 6]).__getitems__([0, 2]),
        caught(lambda: make(Short([1, 2, 3]), [4, 5, 6]).__getitems__([0, 2])),
        caught(lambda: make([1], [1, 2])),
        caught(lambda: make()),
        caught(lambda: make([1], a=[1])),
        list(torch.utils.data.DataLoader(named, batch_size=2)),
    )


def samplers_of_several_processes(torch):
    make, found = torch.utils.data.DistributedSampler, []
    for length in (10, 2):
        for options in ({}, {"shuffle": False}, {"drop_last": True}, {"seed": 7}):
            for rank in range(3):
                sampler = make(list(range(length)), num_replicas=3, rank=rank, **options)
                first = list(sampler)
                sampler.set_epoch(2)
                found.append((first, list(sampler), len(sampler), sampler.total_size))
    refused = (caught(lambda: make([1], num_replicas=2, rank=2)), caught(lambda: make([1])))
    return found, refused, torch.utils.data.get_worker_info()
