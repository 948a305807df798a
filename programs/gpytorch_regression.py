"""An exact Gaussian process: its marginal likelihood is climbed, then it predicts."""

import gpytorch
import torch
from reporting import report

torch.manual_seed(0)
x = torch.linspace(0, 1, 20)
y = torch.sin(6 * x) + 0.1 * torch.randn(20)


class Process(gpytorch.models.ExactGP):
    def __init__(self, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Process(likelihood)
likelihood_of = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
losses = []
for _ in range(10):
    optimizer.zero_grad()
    loss = -likelihood_of(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
model.eval()
prediction = likelihood.eval()(model(torch.tensor([0.25, 0.5, 2.0])))
report(losses=losses, mean=prediction.mean, variance=prediction.variance)
