"""Parametrized weights: values, gradients, states, removal, errors; weights as lengths and directions."""

from __future__ import annotations

import copy
import pickle
import warnings

from tests.parity.programs.common import caught, filled, values, worked


def parts(torch):
    """Parametrizations to try."""

    class Symmetric(torch.nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).T

    class Exponential(torch.nn.Module):
        def forward(self, x):
            return x.exp()

        def right_inverse(self, y):
            return y.log()

    class Sum(torch.nn.Module):
        def forward(self, a, b):
            return a + b

        def right_inverse(self, y):
            return y / 4, 3 * y / 4

    class Wider(torch.nn.Module):
        def forward(self, x):
            return torch.cat([x, x])

    return Symmetric(), Exponential(), Sum(), Wider()


def square(torch):
    return filled(torch, torch.nn.Linear(3, 3))


def state(module):
    return [(name, tensor.clone()) for name, tensor in module.state_dict().items()]


def parametrized_weight(torch):
    layer = square(torch)
    torch.nn.utils.parametrize.register_parametrization(layer, "weight", parts(torch)[0])
    return worked(torch, layer, values(torch, 2, 3)), state(layer), repr(layer), type(layer).__name__


def parametrized_twice(torch):
    parametrize, layer = torch.nn.utils.parametrize, square(torch)
    with torch.no_grad():
        layer.weight.abs_().add_(0.5)
    first = layer.weight.detach().clone()
    parametrize.register_parametrization(layer, "weight", parts(torch)[1])
    same = torch.allclose(layer.weight, first)
    parametrize.register_parametrization(layer, "weight", parts(torch)[0])
    return same, worked(torch, layer, values(torch, 2, 3)), state(layer), len(layer.parametrizations.weight)


def parametrized_by_several(torch):
    layer = square(torch)
    torch.nn.utils.parametrize.register_parametrization(layer, "weight", parts(torch)[2])
    found = worked(torch, layer, values(torch, 2, 3)), state(layer)
    with torch.no_grad():
        layer.weight = torch.ones(3, 3, dtype=torch.float64)
    return found, state(layer), layer.weight.detach()


def parametrized_and_assigned(torch):
    layer = square(torch)
    torch.nn.utils.parametrize.register_parametrization(layer, "bias", parts(torch)[1], unsafe=True)
    original = layer.parametrizations.bias.original
    layer.bias = torch.full((3,), 2.0, dtype=torch.float64)
    return layer.bias.detach(), original.detach(), original is layer.parametrizations.bias.original


def parametrized_and_removed(torch):
    parametrize, found = torch.nn.utils.parametrize, []
    for leave in (True, False):
        layer = square(torch)
        parametrize.register_parametrization(layer, "weight", parts(torch)[0])
        parametrize.register_parametrization(layer, "bias", parts(torch)[1], unsafe=True)
        parametrize.remove_parametrizations(layer, "weight", leave_parametrized=leave)
        found += [state(layer), type(layer).__name__, parametrize.is_parametrized(layer)]
        parametrize.remove_parametrizations(layer, "bias", leave_parametrized=leave)
        found += [state(layer), type(layer).__name__, parametrize.is_parametrized(layer)]
        found.append([type(each).__name__ for each in layer.parameters()])
    return found


def parametrized_questions(torch):
    parametrize, layer = torch.nn.utils.parametrize, square(torch)
    before = parametrize.is_parametrized(layer), parametrize.type_before_parametrizations(layer).__name__
    parametrize.register_parametrization(layer, "weight", parts(torch)[0])
    return (
        before,
        parametrize.is_parametrized(layer),
        parametrize.is_parametrized(layer, "weight"),
        parametrize.is_parametrized(layer, "bias"),
        parametrize.type_before_parametrizations(layer).__name__,
        isinstance(layer, torch.nn.Linear),
    )


def parametrized_once_within_a_context(torch):
    layer, calls = square(torch), []

    class Noted(torch.nn.Module):
        def forward(self, x):
            calls.append(1)
            return 2 * x

    torch.nn.utils.parametrize.register_parametrization(layer, "weight", Noted())
    calls.clear()
    with torch.nn.utils.parametrize.cached():
        same = layer.weight is layer.weight
    return same, len(calls), layer.weight is layer.weight, len(calls)


def parametrized_copies(torch):
    parametrize, layer = torch.nn.utils.parametrize, square(torch)
    parametrize.register_parametrization(layer, "weight", parts(torch)[0])
    other = copy.deepcopy(layer)
    with torch.no_grad():
        layer.parametrizations.weight.original.zero_()
    target = torch.nn.Linear(3, 3).double()
    parametrize.transfer_parametrizations_and_params(other, target)
    return (
        other.weight.detach(),
        target.weight.detach(),
        type(other).__name__,
        target.parametrizations.weight.original is other.parametrizations.weight.original,
        isinstance(caught(lambda: pickle.dumps(layer)), RuntimeError),
    )


def parametrized_states_loaded(torch):
    first, second = square(torch), torch.nn.Linear(3, 3).double()
    for layer in (first, second):
        torch.nn.utils.parametrize.register_parametrization(layer, "weight", parts(torch)[0])
    return str(second.load_state_dict(first.state_dict())), torch.equal(first.weight, second.weight)


def parametrizations_refused(torch):
    parametrize, layer = torch.nn.utils.parametrize, square(torch)
    symmetric, _, several, wider = parts(torch)
    return [
        caught(action)
        for action in (
            lambda: parametrize.register_parametrization(layer, "nothing", symmetric),
            lambda: parametrize.register_parametrization(layer, "weight", wider),
            lambda: parametrize.remove_parametrizations(layer, "weight"),
            lambda: parametrize.ParametrizationList([], layer.weight),
            lambda: setattr(
                parametrize.register_parametrization(square(torch), "weight", symmetric), "weight", torch.ones(3, 3)
            ),
            lambda: parametrize.remove_parametrizations(
                parametrize.register_parametrization(square(torch), "weight", several), "weight", False
            ),
        )
    ]


def weights_of_lengths_and_directions(torch):
    found = []
    for dim in (0, 1, None):
        layer = torch.nn.utils.parametrizations.weight_norm(square(torch), dim=dim)
        found += [worked(torch, layer, values(torch, 2, 3)), state(layer)]
    kernel = filled(torch, torch.nn.Conv1d(2, 3, 2))
    layer = torch.nn.utils.parametrizations.weight_norm(kernel)
    return [*found, worked(torch, layer, values(torch, 1, 2, 4)), state(layer), repr(layer)]


def weights_of_lengths_and_directions_by_hook(torch):
    utils, found = torch.nn.utils, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dim in (0, None):
            layer = utils.weight_norm(square(torch), dim=dim)
            found += [worked(torch, layer, values(torch, 2, 3)), state(layer)]
            found.append(caught(lambda own=layer: utils.weight_norm(own)))
            utils.remove_weight_norm(layer)
            found += [state(layer), caught(lambda own=layer: utils.remove_weight_norm(own))]
        older, newer = utils.weight_norm(square(torch)), utils.parametrizations.weight_norm(torch.nn.Linear(3, 3))
    newer.double().load_state_dict(older.state_dict())
    return found, newer.weight.detach()


def weights_with_a_bounded_singular_value(torch):
    found = []
    for make, shape, dim in ((torch.nn.Linear(3, 2), (2, 3), None), (torch.nn.Conv1d(2, 3, 2), (1, 2, 4), 1)):
        layer = torch.nn.utils.parametrizations.spectral_norm(filled(torch, make), dim=dim, n_power_iterations=2)
        with torch.no_grad():
            for name in ("_u", "_v"):
                vector = getattr(layer.parametrizations.weight[0], name)
                vector.copy_(torch.ones_like(vector) / vector.numel() ** 0.5)
        found += [worked(torch, layer, values(torch, *shape)), state(layer)]
        found.append(worked(torch, layer.eval(), values(torch, *shape)))
    return found


def weights_with_a_bounded_singular_value_by_hook(torch):
    utils, found = torch.nn.utils, []
    for make, shape, dim in ((torch.nn.Linear(3, 2), (2, 3), None), (torch.nn.Conv1d(2, 3, 2), (1, 2, 4), 1)):
        layer = utils.spectral_norm(filled(torch, make), dim=dim, n_power_iterations=2)
        with torch.no_grad():
            for vector in (layer.weight_u, layer.weight_v):
                vector.copy_(torch.ones_like(vector) / vector.numel() ** 0.5)
        x = values(torch, *shape)
        found += [worked(torch, layer, x), state(layer), worked(torch, layer.eval(), x)]
        again = layer.train()(x).sum() + layer(x).sum()
        found += torch.autograd.grad(again, layer.weight_orig)
        found.append(caught(lambda own=layer: utils.spectral_norm(own)))
        utils.remove_spectral_norm(layer)
        found += [state(layer), caught(lambda own=layer: utils.remove_spectral_norm(own))]
    return found, caught(lambda: utils.spectral_norm(square(torch), n_power_iterations=0))


def bounds_of_singular_values_refused(torch):
    spectral_norm = torch.nn.utils.parametrizations.spectral_norm
    return [
        caught(action)
        for action in (
            lambda: spectral_norm(square(torch), "nothing"),
            lambda: spectral_norm(square(torch), n_power_iterations=0),
            lambda: spectral_norm(square(torch), dim=2),
        )
    ]
