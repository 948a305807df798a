"""Metrics of a classifier, batch by batch."""

import torch
import torchmetrics
from reporting import report

torch.manual_seed(0)
metrics = torchmetrics.MetricCollection(
    {
        "accuracy": torchmetrics.Accuracy(task="multiclass", num_classes=4),
        "f1": torchmetrics.F1Score(task="multiclass", num_classes=4, average="macro"),
        "auroc": torchmetrics.AUROC(task="multiclass", num_classes=4),
        "confusion": torchmetrics.ConfusionMatrix(task="multiclass", num_classes=4),
    }
)
for _ in range(3):
    metrics.update(torch.randn(20, 4).softmax(1), torch.randint(4, (20,)))
correlation = torchmetrics.PearsonCorrCoef()(torch.arange(5.0), torch.tensor([0.0, 2, 1, 4, 3]))
report(**metrics.compute(), correlation=correlation)
