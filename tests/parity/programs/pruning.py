"""Parts of parameters set to zero: masks, states, methods on top of each other, removal, errors."""

from __future__ import annotations

import importlib

from tests.parity.programs.common import caught, filled, values, worked


def module_of(torch, name="nn.utils.prune"):
    return importlib.import_module(f"{torch.__name__}.{name}")


def layer(torch, outputs=3):
    return filled(torch, torch.nn.Linear(4, outputs))


def state(module):
    return [(name, tensor.clone()) for name, tensor in module.state_dict().items()]


def pruned(torch):
    prune = module_of(torch)
    mask = torch.tensor([1, 0, 1])
    made = [
        prune.l1_unstructured(layer(torch), "weight", amount=0.3),
        prune.l1_unstructured(layer(torch), "weight", 5, importance_scores=values(torch, 3, 4, shift=5)),
        prune.ln_structured(layer(torch), "weight", 0.5, n=2, dim=1),
        prune.ln_structured(layer(torch), "weight", 1, n=float("-inf"), dim=0),
        prune.custom_from_mask(layer(torch), "bias", mask),
        prune.identity(layer(torch), "bias"),
    ]
    return [(worked(torch, each, values(torch, 2, 4)), state(each), prune.is_pruned(each)) for each in made]


def pruned_at_random(torch):
    prune, found = module_of(torch), []
    for make in (
        lambda own: prune.random_unstructured(own, "weight", 0.5),
        lambda own: prune.random_unstructured(own, "weight", 3),
    ):
        found.append(int(make(layer(torch)).weight_mask.sum()))
    mask = prune.random_structured(layer(torch), "weight", 2, dim=1).weight_mask
    return found, sorted(mask.sum(0).tolist())


def pruned_again(torch):
    prune, own = module_of(torch), layer(torch)
    prune.l1_unstructured(own, "weight", 2)
    first = state(own)
    prune.ln_structured(own, "weight", 1, n=1, dim=0)
    prune.l1_unstructured(own, "weight", 0.5)
    hook = next(iter(own._forward_pre_hooks.values()))
    return first, state(own), worked(torch, own, values(torch, 2, 4)), type(hook).__name__, len(hook)


def pruned_together(torch):
    prune, net = module_of(torch), torch.nn.Sequential(layer(torch), filled(torch, torch.nn.Linear(3, 2)))
    pairs = [(net[0], "weight"), (net[1], "weight"), (net[1], "bias")]
    prune.global_unstructured(pairs, pruning_method=prune.L1Unstructured, amount=0.5)
    first = state(net)
    prune.global_unstructured(pairs[:2], prune.L1Unstructured, amount=3)
    return first, state(net), worked(torch, net, values(torch, 2, 4))


def pruned_and_removed(torch):
    prune, own = module_of(torch), layer(torch)
    original = own.weight
    prune.l1_unstructured(own, "weight", 0.5)
    prune.remove(own, "weight")
    return state(own), own.weight is original, prune.is_pruned(own), caught(lambda: prune.remove(own, "weight"))


def pruned_alone(torch):
    prune = module_of(torch)
    t = values(torch, 3, 4).detach()
    return prune.L1Unstructured(4).prune(t), prune.LnStructured(0.5, 2, 0).prune(t, importance_scores=t.abs())


def pruning_refused(torch):
    prune = module_of(torch)
    return [
        caught(action)
        for action in (
            lambda: prune.l1_unstructured(layer(torch), "weight", 1.5),
            lambda: prune.l1_unstructured(layer(torch), "weight", -1),
            lambda: prune.l1_unstructured(layer(torch), "weight", "half"),
            lambda: prune.l1_unstructured(layer(torch), "weight", 13),
            lambda: prune.ln_structured(layer(torch), "bias", 1, n=2, dim=0),
            lambda: prune.ln_structured(layer(torch), "weight", 1, n=2, dim=2),
            lambda: prune.l1_unstructured(layer(torch), "weight", 1, importance_scores=torch.ones(2)),
            lambda: prune.custom_from_mask(layer(torch), "weight", torch.ones(2)),
            lambda: prune.global_unstructured(3, prune.L1Unstructured, amount=1),
        )
    ]


def pruning_together_takes_no_slices(torch):
    prune = module_of(torch)
    error = caught(lambda: prune.global_unstructured([(layer(torch), "weight")], prune.RandomStructured, amount=1))
    return type(error).__name__, str(error)[:50]
