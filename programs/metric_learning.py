"""Losses on embeddings with a miner."""

import torch
from pytorch_metric_learning import losses, miners
from reporting import report

torch.manual_seed(0)
embeddings = torch.randn(12, 4, requires_grad=True)
labels = torch.arange(12) % 3
pairs = miners.MultiSimilarityMiner()(embeddings, labels)
results = {}
for loss in (losses.TripletMarginLoss(), losses.NTXentLoss(), losses.MultiSimilarityLoss()):
    value = loss(embeddings, labels, pairs)
    value.backward()
    results[type(loss).__name__] = value
report(**results, grad=embeddings.grad)
