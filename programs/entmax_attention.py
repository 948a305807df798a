"""Sparse softmax functions and their gradients."""

import torch
from entmax import entmax15, sparsemax, sparsemax_loss
from reporting import report

torch.manual_seed(0)
x = torch.randn(3, 6, requires_grad=True)
loss = sparsemax_loss(x, torch.tensor([0, 1, 2])).sum()
(entmax15(x, dim=1) * torch.arange(6.0)).sum().backward(retain_graph=True)
loss.backward()
report(loss=loss, sparse=sparsemax(x, dim=1), grad=x.grad)
