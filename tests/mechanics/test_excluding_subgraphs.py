"""Excluding subgraphs from backward (从后向中排除子图): `requires_grad`."""

from __future__ import annotations

from tests.mechanics.common import equal, refused


def small_network(torch):
    """A stand-in for the pretrained network of the notes: convolution, normalisation, a last affine layer `fc`."""
    nn = torch.nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 3)
            self.norm = nn.BatchNorm2d(4)
            self.fc = nn.Linear(4, 10)

        def forward(self, x):
            return self.fc(self.norm(self.conv(x)).relu().mean((2, 3)))

    return Network()


def test_every_tensor_has_the_flag_requires_grad(torch):
    """ "Every Tensor has a flag: requires_grad that allows for fine grained exclusion of subgraphs ..." """
    for made in (
        torch.ones(2),
        torch.ones(2, dtype=torch.int64),
        torch.ones(2, requires_grad=True) * 2,
        torch.ones(()),
    ):
        assert made.requires_grad in (True, False)


def test_requires_grad_is_false_by_default(torch):
    """ "x = torch.randn(5, 5)  # requires_grad=False by default" """
    for make in (torch.randn, torch.zeros, torch.ones, torch.rand, torch.empty):
        assert make(5, 5).requires_grad is False
    assert torch.tensor([1.0]).requires_grad is False


def test_factories_take_a_tuple_and_requires_grad(torch):
    """ "z = torch.randn((5, 5), requires_grad=True)" """
    z = torch.randn((5, 5), requires_grad=True)
    assert z.shape == (5, 5) and z.requires_grad is True and z.is_leaf


def test_a_single_input_that_requires_grad_makes_the_output_require_it(torch):
    """ "If there's a single input to an operation that requires gradient, its output will also require gradient." """
    x, y = torch.randn(5, 5), torch.randn(5, 5)
    z = torch.randn((5, 5), requires_grad=True)
    b = (x + y) + z
    assert b.requires_grad is True
    assert torch.cat([x, y, z]).requires_grad and torch.addmm(x, y, z).requires_grad
    assert torch.where(x > 0, x, z).requires_grad


def test_only_if_no_input_requires_grad_the_output_does_not(torch):
    """ "Conversely, only if all inputs don't require gradient, the output also won't require it." """
    x, y = torch.randn(5, 5), torch.randn(5, 5)
    a = x + y
    assert a.requires_grad is False and a.grad_fn is None
    assert torch.cat([x, y]).requires_grad is False and (x @ y).requires_grad is False


def test_backward_is_never_computed_where_no_tensor_required_gradients(torch):
    """ "Backward computation is never performed in the subgraphs, where all Tensors didn't require gradients." """
    calls = []

    class Watched(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            calls.append(grad)
            return grad

    x, z = torch.ones(2), torch.ones(2, requires_grad=True)
    a = Watched.apply(x)
    assert a.grad_fn is None
    (a * Watched.apply(z)).sum().backward()
    assert len(calls) == 1 and x.grad is None and equal(z.grad, 1.0, 1.0)


def test_backward_from_a_tensor_that_does_not_require_grad_is_refused(torch):
    """ "Backward computation is never performed in the subgraphs, where all Tensors didn't require gradients." """
    refused(lambda: torch.ones(1).backward(), "element 0 of tensors does not require grad and does not have a grad_fn")


def test_freezing_a_model_saves_no_buffers_until_the_last_layer(torch):
    """ "For example if you want to finetune a pretrained CNN, it's enough to switch the requires_grad flags in the
    frozen base, and no intermediate buffers will be saved, until the computation gets to the last layer ..." """
    model, saved = small_network(torch), []
    for param in model.parameters():
        param.requires_grad = False
    model.fc = torch.nn.Linear(4, 5)
    fc_input = []
    model.fc.register_forward_pre_hook(lambda module, args: fc_input.append((args[0], len(saved))))
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: saved.append(tensor) or tensor, lambda kept: kept):
        output = model(torch.randn(2, 3, 6, 6))
    entered, saved_before = fc_input[0]
    assert saved_before == 0 and entered.grad_fn is None and not entered.requires_grad
    assert len(saved) > 0 and output.requires_grad


def test_the_output_of_a_frozen_network_with_a_new_last_layer_requires_grad(torch):
    """ "... the affine transform will use weights that require gradient, and the output of the network will also
    require them." """
    model = small_network(torch)
    for param in model.parameters():
        param.requires_grad = False
    assert model(torch.randn(2, 3, 6, 6)).requires_grad is False
    model.fc = torch.nn.Linear(4, 5)
    assert model(torch.randn(2, 3, 6, 6)).requires_grad is True


def test_parameters_of_new_modules_require_grad(torch):
    """ "Parameters of newly constructed modules have requires_grad=True by default" """
    nn = torch.nn
    for module in (nn.Linear(3, 2), nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Embedding(3, 2)):
        assert all(parameter.requires_grad for parameter in module.parameters())


def test_only_the_classifier_is_optimised(torch):
    """ "Optimize only the classifier: optimizer = optim.SGD(model.fc.parameters(), lr=1e-2, momentum=0.9)" """
    model = small_network(torch)
    for param in model.parameters():
        param.requires_grad = False
    model.fc = torch.nn.Linear(4, 5)
    optimizer = torch.optim.SGD(model.fc.parameters(), lr=1e-2, momentum=0.9)
    before = {name: each.detach().clone() for name, each in model.named_parameters()}
    model(torch.randn(2, 3, 6, 6)).square().sum().backward()
    optimizer.step()
    for name, each in model.named_parameters():
        changed = bool((each.detach() != before[name]).any())
        assert changed == name.startswith("fc."), name
        assert (each.grad is not None) == name.startswith("fc."), name


def test_the_flag_of_a_leaf_can_be_switched(torch):
    """ "... it's enough to switch the requires_grad flags in the frozen base ..." """
    x = torch.ones(2, requires_grad=True)
    x.requires_grad = False
    assert (x * 2).requires_grad is False
    x.requires_grad_(True)
    assert (x * 2).requires_grad is True


def test_the_flag_of_a_result_cannot_be_switched_off(torch):
    """ "Every Tensor has a flag: requires_grad ..."; only leaves can change it."""
    y = torch.ones(2, requires_grad=True) * 2

    def switch():
        y.requires_grad = False

    refused(switch, "you can only change requires_grad flags of leaf variables")
    refused(lambda: torch.ones(2, dtype=torch.int64).requires_grad_(), "floating point")
