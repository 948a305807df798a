"""Datasets, samplers and data loaders: the mirror of `torch.utils.data`."""

from __future__ import annotations

from ..._start.loading import on_demand
from . import dataloader, dataset, distributed, sampler
from .collate import default_collate, default_convert
from .dataloader import DataLoader
from .dataset import ChainDataset, ConcatDataset, Dataset, IterableDataset, Subset, TensorDataset, random_split
from .distributed import DistributedSampler
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler
from .stacked import StackDataset
from .worker import get_worker_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import datapipes as datapipes
    from .datapipes._decorator import functional_datapipe
    from .datapipes.datapipe import DataChunk, DFIterDataPipe, IterDataPipe, MapDataPipe

__getattr__, __dir__ = on_demand(globals())

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DFIterDataPipe",
    "DataChunk",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterDataPipe",
    "IterableDataset",
    "MapDataPipe",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "dataloader",
    "dataset",
    "default_collate",
    "default_convert",
    "distributed",
    "functional_datapipe",
    "get_worker_info",
    "random_split",
    "sampler",
]
