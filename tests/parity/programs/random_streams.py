"""The numbers that follow from a seed. float32 ones are compared bit by bit, as integers."""

from __future__ import annotations


def seeded(torch, draw):
    """What `draw` gives from a seed, in the middle of a stream, and what is drawn after it."""
    torch.manual_seed(20240229)
    torch.rand(3)
    return [draw(), torch.rand(2).view(torch.int32)]


def bits(torch, tensor):
    return tensor.detach().contiguous().view(torch.int32)


def even_numbers(torch):
    return [seeded(torch, lambda n=n: bits(torch, torch.rand(n))) for n in (1, 15, 16, 700)]


def even_numbers_of_other_dtypes(torch):
    return [
        seeded(torch, lambda d=d: torch.rand(5, 3, dtype=d))
        for d in (torch.float64, torch.float16, torch.complex64, torch.complex128)
    ]


def even_numbers_of_a_range(torch):
    return seeded(torch, lambda: bits(torch, torch.empty(50).uniform_(-0.31, 0.97)))


def normal_numbers(torch):
    return [seeded(torch, lambda n=n: bits(torch, torch.randn(n))) for n in (16, 17, 100, 703)]


def few_normal_numbers(torch):
    return [seeded(torch, lambda n=n: torch.randn(n)) for n in (1, 2, 7, 15)]


def the_second_number_of_a_pair_is_kept(torch):
    return seeded(torch, lambda: [torch.randn(n) for n in (1, 1, 2, 3, 20, 3)])


def a_seed_forgets_the_second_number_of_a_pair(torch):
    return seeded(torch, lambda: torch.randn(1)), seeded(torch, lambda: torch.randn(2))


def normal_numbers_of_other_dtypes(torch):
    return [
        seeded(torch, lambda d=d, n=n: torch.randn(n, dtype=d))
        for d in (torch.float64, torch.float16, torch.complex64, torch.complex128)
        for n in (5, 32)
    ]


def normal_numbers_about_a_mean(torch):
    return (
        seeded(torch, lambda: bits(torch, torch.empty(5, 8).normal_(1.3, 2.7))),
        seeded(torch, lambda: torch.empty(5).normal_(1.3, 2.7)),
        seeded(torch, lambda: torch.normal(2.0, 3.0, (40,))),
        seeded(torch, lambda: torch.normal(torch.arange(20.0), 2.0)),
        seeded(torch, lambda: torch.normal(torch.arange(20.0), torch.arange(1.0, 21.0))),
    )


def numbers_in_the_order_of_memory(torch):
    return (
        seeded(torch, lambda: torch.empty(8, 5).t().uniform_(-2, 3)),
        seeded(torch, lambda: torch.empty(4, 9)[:, ::2].normal_(3, 0.1)),
        seeded(torch, lambda: torch.rand_like(torch.ones(3, 4).t())),
        seeded(torch, lambda: torch.randn_like(torch.ones(6, 4).t())),
        seeded(torch, lambda: torch.zeros(5, 6).t().bernoulli_(0.4)),
    )


def integers(torch):
    return (
        seeded(torch, lambda: torch.randint(10, (50,))),
        seeded(torch, lambda: torch.randint(2**28 - 1, (5,))),
        seeded(torch, lambda: torch.randint(2**28, (5,))),
        seeded(torch, lambda: torch.randint(-3, 2**40, (20,))),
        seeded(torch, lambda: torch.randint(-(2**63), 2**63 - 1, (5,))),
        seeded(torch, lambda: torch.randint(0, 9, (4,), dtype=torch.float32)),
    )


def integers_of_each_dtype(torch):
    names = ("uint8", "int8", "int16", "int32", "int64", "bool", "float16", "float32", "float64")
    return [
        seeded(torch, lambda d=d: [torch.empty(9, dtype=getattr(torch, d)).random_(), torch.empty(3).random_(2)])
        for d in names
    ]


def orders(torch):
    return [seeded(torch, lambda n=n: torch.randperm(n)) for n in (0, 1, 2, 10, 1000)]


def coins(torch):
    return (
        seeded(torch, lambda: torch.bernoulli(torch.full((30,), 0.3))),
        seeded(torch, lambda: torch.bernoulli(torch.full((30,), 0.3, dtype=torch.float64))),
        seeded(torch, lambda: torch.zeros(40).bernoulli_(0.7)),
        seeded(torch, lambda: torch.zeros(3, 4).bernoulli_(torch.full((4,), 0.5))),
    )


def other_distributions(torch):
    return (
        seeded(torch, lambda: torch.empty(30).exponential_(2.0)),
        seeded(torch, lambda: torch.empty(30).geometric_(0.2)),
        seeded(torch, lambda: torch.empty(30).cauchy_(1, 2)),
        seeded(torch, lambda: torch.empty(30).log_normal_(1, 2)),
    )


def places_by_weight(torch):
    weights = torch.arange(1.0, 9.0)
    return (
        seeded(torch, lambda: torch.multinomial(weights, 50, True)),
        seeded(torch, lambda: torch.multinomial(weights, 8)),
        seeded(torch, lambda: torch.multinomial(weights, 1)),
        seeded(torch, lambda: torch.multinomial(weights, 1, True)),
        seeded(torch, lambda: torch.multinomial(torch.ones(3, 40), 1, True)),
        seeded(torch, lambda: torch.multinomial(torch.ones(3, 40), 7)),
    )


def dropouts(torch):
    functional = torch.nn.functional
    return (
        seeded(torch, lambda: functional.dropout(torch.ones(50), 0.3)),
        seeded(torch, lambda: functional.dropout(torch.ones(5, 7).t(), 0.3)),
        seeded(torch, lambda: functional.dropout2d(torch.ones(3, 4, 2, 2), 0.5)),
        seeded(torch, lambda: functional.alpha_dropout(torch.ones(40), 0.2)),
        seeded(torch, lambda: torch.native_dropout(torch.ones(30), 0.4, True)[0]),
    )


def weights_of_layers(torch):
    nn = torch.nn
    return seeded(
        torch,
        lambda: [
            bits(torch, each)
            for layer in (nn.Linear(7, 5), nn.Conv2d(3, 8, 3), nn.Conv1d(2, 4, 3), nn.Embedding(10, 4))
            for each in layer.parameters()
        ],
    )


def initialisers(torch):
    init = torch.nn.init
    makers = (
        init.uniform_,
        init.normal_,
        init.xavier_uniform_,
        init.xavier_normal_,
        init.kaiming_uniform_,
        init.kaiming_normal_,
        init.trunc_normal_,
        lambda t: init.trunc_normal_(t, 0.0, 1.0, 1.0, 1.3),
        lambda t: init.sparse_(t, 0.3),
    )
    return [seeded(torch, lambda make=make: make(torch.empty(6, 8))) for make in makers]


def states(torch):
    torch.manual_seed(9)
    torch.randn(3)
    state = torch.get_rng_state()
    after = torch.randn(5)
    torch.set_rng_state(state)
    return state, after, torch.randn(5), torch.initial_seed(), torch.get_rng_state().shape


def a_generator_of_its_own(torch):
    own = torch.Generator().manual_seed(-3)
    return torch.rand(2, generator=own), torch.randperm(5, generator=own), own.initial_seed(), own.get_state()


def parameters(torch, dtype):
    """Values on both sides of where the ways of drawing change, not in the order of memory."""
    return torch.tensor([0.03, 0.5, 1.0, 1.5, 9.9, 10.0, 33.3, 4000.0], dtype=dtype).repeat(9, 1).t()


def gamma_numbers(torch):
    corners = torch.tensor([0.0, float("nan"), float("inf"), -0.5, 1e-30])
    return (
        seeded(torch, lambda: bits(torch, torch._standard_gamma(parameters(torch, torch.float32)))),
        seeded(torch, lambda: torch._standard_gamma(parameters(torch, torch.float64))),
        seeded(torch, lambda: [torch._standard_gamma(corners), torch.randn(1)]),
        seeded(torch, lambda: [torch.randn(1), torch._standard_gamma(torch.tensor([2.0, 3.0])), torch.randn(2)]),
    )


def dirichlet_numbers(torch):
    rows = torch.tensor([[0.3, 2.0, 5.0], [1e-5, 1e-5, 1e-5], [40.0, 0.9, 1.0]])
    return [seeded(torch, lambda d=d: torch._sample_dirichlet(rows.to(d))) for d in (torch.float32, torch.float64)]


def poisson_numbers(torch):
    kinds = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
    rates = torch.tensor([0.0, 1e10, 1e30, float("inf")])
    return (
        [seeded(torch, lambda d=d: torch.poisson(parameters(torch, d))) for d in kinds],
        seeded(torch, lambda: torch.poisson(rates)),
    )


def binomial_numbers(torch):
    trials = torch.tensor([0.0, 1.0, 7.0, 7.5, 40.0, 300.0, 1e6, -3.0])
    chances = torch.tensor([0.0, 1e-6, 0.2, 0.5, 0.51, 0.97, 1.0, -1.0, 2.0, float("nan")])
    kinds = (torch.float32, torch.float64)
    return [
        seeded(torch, lambda d=d: torch.binomial(trials.to(d).expand(10, 8), chances.to(d)[:, None].expand(10, 8)))
        for d in kinds
    ]


def numbers_of_parameters_from_a_generator(torch):
    own = torch.Generator().manual_seed(11)
    ones, half = torch.ones(3), torch.full((3,), 0.5)
    drawn = [
        torch._standard_gamma(ones, generator=own),
        torch.poisson(ones * 20, generator=own),
        torch.binomial(ones * 50, half, generator=own),
        torch._sample_dirichlet(ones, generator=own),
    ]
    return drawn, torch.rand(2, generator=own)


def numbers_of_distributions(torch):
    d, t = torch.distributions, torch.tensor
    makers = (
        lambda: d.Gamma(t([0.5, 3.0]), t([2.0, 0.1])),
        lambda: d.Beta(t([0.5, 3.0]), 2.0),
        lambda: d.Dirichlet(t([0.5, 3.0, 1.0])),
        lambda: d.StudentT(t([3.0, 5.0]), 1.0, 2.0),
        lambda: d.Chi2(t([3.0])),
        lambda: d.FisherSnedecor(t([3.0]), t([4.0])),
        lambda: d.InverseGamma(t([3.0]), t([4.0])),
        lambda: d.Poisson(t([0.5, 30.0])),
        lambda: d.Binomial(t([10.0, 90.0]), t([0.3, 0.6])),
        lambda: d.NegativeBinomial(t([10.0]), t([0.3])),
        lambda: d.LKJCholesky(3, 0.7),
        lambda: d.VonMises(t([0.5]), t([2.0])),
        lambda: d.Multinomial(7, t([0.2, 0.3, 0.5])),
        lambda: d.Kumaraswamy(t([0.5]), t([2.0])),
    )
    return [seeded(torch, lambda make=make: make().sample((4,))) for make in makers]


def matrices_of_wishart(torch):
    d, t = torch.distributions, torch.tensor
    makers = (
        lambda: d.Wishart(t(5.0), torch.eye(3)),
        lambda: d.Wishart(t([3.5, 7.0]), torch.eye(2)),
        lambda: d.Wishart(t([[3.0], [4.0]]), torch.eye(2).expand(2, 2, 2, 2)),
        lambda: d.Wishart(t(1.5), t([[2.0]])),
    )
    return [
        seeded(torch, lambda make=make, shape=shape: make().sample(shape))
        for make in makers
        for shape in ((), (2,), (2, 3))
    ]
