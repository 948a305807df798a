"""Profiles: the same operators and nodes, as often, tied in the same way; averages, errors and warnings."""

from __future__ import annotations

from collections import Counter

from tests.parity.programs.common import caught

ENGINE = "autograd::engine::evaluate_function: "


def leaf(torch):
    return torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)


def top(prof):
    """What was called outside of any other event; making the gradient of a scalar is none here."""
    left_out = ("[memory]", "aten::ones_like")
    return [event.name for event in prof.function_events if event.cpu_parent is None and event.name not in left_out]


def nodes(prof):
    return [event.name for event in prof.function_events if event.scope == 1]


def _step(torch, **options):
    x, w = leaf(torch), leaf(torch)
    with torch.autograd.profiler.profile(**options) as prof:
        y = torch.nn.functional.linear(x, w).relu()
        (y * 2 + x).softmax(1).mean().backward()
    return prof


def operators_and_nodes_of_a_step(torch):
    prof = _step(torch)
    return top(prof), nodes(prof)


def counts_of_a_loop(torch):
    x = leaf(torch)
    with torch.autograd.profiler.profile() as prof:
        for _ in range(3):
            x.exp().sum().backward()
    found = {event.key: event.count for event in prof.key_averages()}
    names = ("aten::exp", "aten::sum", "ExpBackward0", "SumBackward0", ENGINE + "ExpBackward0")
    return [found[name] for name in (*names, "torch::autograd::AccumulateGrad")]


def top_level_operators(torch):
    x, i = leaf(torch), torch.tensor([0, 1])
    with torch.autograd.profiler.profile() as prof:
        x + x, x - 1, x / 2, x**2, -x, x == x, x @ x, x.t(), x.view(4), x.reshape(4), x[0], x[i], x[0:1], x[None]
        x.exp(), x.log(), x.sqrt(), x.sin(), x.tanh(), x.sigmoid(), x.relu(), x.abs(), x.clamp(0, 1), x.sum(0)
        x.mean(), x.std(), x.var(), x.max(), x.max(0), x.argmax(), x.cumsum(0), x.prod(), x.clone()
        torch.cat([x, x]), torch.stack([x, x]), torch.where(x > 1, x, x), torch.mm(x, x), torch.bmm(x[None], x[None])
        x.softmax(0), x.log_softmax(0), x.unsqueeze(0), x.squeeze(), x.permute(1, 0), x.expand(2, 2), x.flatten()
        x.gather(0, i[None]), x.index_select(0, i), x.masked_fill(x > 1, 0.0), x.tril(), x.flip(0), x.roll(1, 0)
        torch.zeros(2), torch.ones(2), torch.arange(3), torch.eye(2), x.to(torch.float64)
    return Counter(top(prof))


def writes(torch):
    x = torch.zeros(2, 2)
    with torch.autograd.profiler.profile() as prof:
        x.add_(1).mul_(2).zero_().fill_(3.0).clamp_(0, 1).exp_()
    return top(prof)


def names_of_nodes(torch):
    x = leaf(torch)
    with torch.autograd.profiler.profile() as prof:
        (x.exp() * x.t() @ x).view(4)[1:].clone().cumsum(0).prod().backward()
    return nodes(prof)


def numbers_tie_nodes_to_operators(torch):
    prof = _step(torch)
    makers = {
        event.sequence_nr: event.name for event in prof.function_events if event.scope == 0 and event.name[:4] == "aten"
    }
    tied = [
        (makers.get(event.sequence_nr), event.name)
        for event in prof.function_events
        if event.scope == 1 and event.sequence_nr >= 0
    ]
    return [pair for pair in tied if pair[1] not in ("TBackward0", "MmBackward0")]


def custom_functions(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = leaf(torch)
    with torch.autograd.profiler.profile() as prof:
        Twice.apply(x).sum().backward()
    inside = [event.cpu_parent.name for event in prof.function_events if event.name == "aten::mul"]
    return top(prof), nodes(prof), inside


def ranges(torch):
    x = leaf(torch)

    @torch.autograd.profiler.record_function("function")
    def function(x):
        return x.exp()

    with torch.autograd.profiler.profile() as prof, torch.autograd.profiler.record_function("block"):
        function(x)
    block = next(event for event in prof.function_events if event.name == "block")
    inner = block.cpu_children[0]
    return block.scope, block.is_user_annotation, inner.name, [child.name for child in inner.cpu_children]


def shapes_of_arguments(torch):
    x = leaf(torch)
    with torch.autograd.profiler.profile(record_shapes=True) as prof:
        x * x, x.mm(x), torch.nn.functional.linear(x, x)
    return [event.input_shapes[:2] for event in prof.function_events if event.cpu_parent is None]


def operations(torch):
    a = torch.ones(3, 4)
    with torch.autograd.profiler.profile(with_flops=True) as prof:
        a * torch.ones(5, 3, 4), a + a, a.mm(torch.ones(4, 5)), torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 4, 5))
        torch.addmm(torch.ones(5), a, torch.ones(4, 5)), a @ torch.ones(4)
        torch.nn.functional.conv2d(torch.ones(2, 4, 7, 9), torch.ones(6, 2, 3, 3), None, (2, 1), 1, 2, 2)
    return [(event.name, event.flops) for event in prof.function_events if event.flops]


def columns(torch):
    head = [line.split("  ") for line in _step(torch, profile_memory=True, record_shapes=True).table().splitlines()]
    return [title.strip() for title in head[1] if title.strip()], head[-1][0].split(":")[0]


def columns_of_averages(torch):
    lines = _step(torch).key_averages().table(sort_by="count", row_limit=2, header="Steps").splitlines()
    return [len(line) for line in lines[1:5]], lines[1], lines[3], len(lines)


def lists_of_events(torch):
    prof = _step(torch)
    total = prof.total_average()
    return total.key, total.cpu_time_total > 0, prof.self_cpu_time_total > 0, type(prof.function_events).__name__


def entering_twice(torch):
    prof = torch.autograd.profiler.profile()
    with prof:
        return caught(prof.__enter__)


def before_the_end(torch):
    prof = torch.autograd.profiler.profile()
    found = [repr(prof.function_events), prof.table(), prof.self_cpu_time_total, prof.total_average().key]
    with torch.autograd.profiler.profile() as prof:
        return [*found, repr(prof), prof.key_averages()]


def misuse(torch):
    profiler = torch.autograd.profiler
    prof = _step(torch)
    unique = profiler.EnforceUnique()
    unique.see(1)
    return [
        caught(lambda: prof.export_stacks("nowhere")),
        caught(lambda: prof.table(sort_by="colour")),
        caught(lambda: prof.function_events.export_stacks("nowhere", "count")),
        caught(lambda: unique.see(1)),
        caught(lambda: profiler.profile(use_cpu=False)),
        caught(lambda: profiler.profile(use_device="cpu").use_device),
        caught(lambda: profiler.profile(use_cuda=True).use_device),
    ]


def schedules(torch):
    schedule = torch.profiler.schedule
    plans = [
        schedule(wait=1, warmup=1, active=2, repeat=2),
        schedule(wait=2, warmup=1, active=1, skip_first=3, skip_first_wait=1),
    ]
    return [[plan(step).name for step in range(12)] for plan in plans], caught(
        lambda: schedule(wait=1, warmup=1, active=0)
    )


def steps_of_a_loop(torch):
    found = []
    plan = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)

    def ready(prof):
        found.append([event.name for event in prof.events() if event.cpu_parent is None])

    x = leaf(torch)
    with torch.profiler.profile(schedule=plan, on_trace_ready=ready) as prof:
        for _ in range(6):
            x.exp()
            prof.step()
    return found, prof.step_num
