"""The run: a network, its optimiser, how far they are, and the loop.

Every random number of a step follows from the seed and the number of the step: a run that was stopped and resumed is
the same, bit for bit, as one that was not.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator

import numpy as np

import wengert as wg
from wengert import nn, optim
from wengert._start.build import BUILD

from .data import Digits, mix, moved
from .interruption import Interruption
from .network import make_network

HIGHEST_RATE = 6e-3
CURVES = ("train_loss", "test_loss", "train_accuracy", "test_accuracy")


@dataclasses.dataclass
class Sums:
    """What was counted since the epoch began."""

    loss: float = 0.0
    right: int = 0
    seen: int = 0


@dataclasses.dataclass
class Event:
    """One step is done."""

    loss: float
    epoch_ended: bool


@dataclasses.dataclass
class Run:
    """A training run.

    Attributes:
        seed: from which all random numbers follow.
        epochs: how many there shall be.
        network: what learns.
        optimiser: what moves its parameters.
        steps_done: steps so far, over all epochs.
        epochs_done: epochs so far.
        sums: what was counted in the epoch that runs.
        history: for each curve one value per epoch.
        seconds: spent on training so far.
    """

    seed: int
    epochs: int
    network: nn.Sequential
    optimiser: optim.Optimizer
    steps_done: int = 0
    epochs_done: int = 0
    sums: Sums = dataclasses.field(default_factory=Sums)
    history: dict[str, list[float]] = dataclasses.field(default_factory=lambda: {name: [] for name in CURVES})
    seconds: float = 0.0

    @classmethod
    def start(cls, seed: int, epochs: int) -> Run:
        """A new run: a network with random weights."""
        wg.manual_seed(mix(seed))
        network = make_network()
        return cls(seed, epochs, network, optim.Adam(network.parameters(), lr=HIGHEST_RATE))

    @property
    def finished(self) -> bool:
        """Whether all epochs are done."""
        return self.epochs_done >= self.epochs

    @property
    def parameters(self) -> int:
        """Number of numbers that are learned."""
        return sum(each.numel() for each in self.network.parameters())  # type: ignore[attr-defined]

    def describe(self, digits: Digits) -> str:
        """One line about what is going to happen."""
        onward = f", going on after {self.steps_done} steps" if self.steps_done else ""
        return (
            f"{self.parameters} parameters, {len(digits.train_labels)} digits to learn and {len(digits.test_labels)} "
            f"held out, {self.epochs} epochs, seed {self.seed}, {BUILD} build{onward}"
        )

    def train(self, digits: Digits, interruption: Interruption) -> Iterator[Event]:
        """Train to the end, or to the end of the step in which Ctrl-C was pressed; one event for each step."""
        total = self.epochs * digits.steps_per_epoch
        if self.finished or interruption.asked:
            return
        schedule = optim.lr_scheduler.OneCycleLR(
            self.optimiser, HIGHEST_RATE, total_steps=total, last_epoch=self.steps_done - 1
        )
        while not self.finished:
            done_before = self.steps_done - self.epochs_done * digits.steps_per_epoch
            for images, labels in digits.batches(self.seed, self.epochs_done, skip=done_before):
                started = time.perf_counter()
                loss = self.step(images, labels)
                if self.steps_done < total:
                    schedule.step()
                ended = self.steps_done == (self.epochs_done + 1) * digits.steps_per_epoch
                if ended:
                    self.end_epoch(digits)
                self.seconds += time.perf_counter() - started
                yield Event(loss, ended)
                if interruption.asked:
                    return

    def step(self, images: wg.Tensor, labels: wg.Tensor) -> float:
        """One step: forward, backward, and the parameters moved. Returns the loss."""
        chance = mix(self.seed, self.steps_done, 1)
        wg.manual_seed(chance)  # for dropout
        self.network.train()
        scores = self.network(moved(images, np.random.default_rng(chance)))
        loss = nn.functional.cross_entropy(scores, labels)
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.steps_done += 1
        self.sums.seen += len(labels)
        self.sums.loss += loss.item() * len(labels)
        self.sums.right += int((scores.detach().argmax(1) == labels).sum().item())
        return float(loss.item())

    def end_epoch(self, digits: Digits) -> None:
        """Judge the network on what it never saw, and put the epoch into the history."""
        test_loss, predictions = self.judge(digits)
        accuracy = accuracy_of(predictions, digits)
        values = self.sums.loss / self.sums.seen, test_loss, self.sums.right / self.sums.seen, accuracy
        for name, value in zip(CURVES, values):
            self.history[name].append(value)
        self.epochs_done += 1
        self.sums = Sums()

    @wg.no_grad()
    def judge(self, digits: Digits) -> tuple[float, np.ndarray]:
        """The loss on the held-out digits, and what they are taken for."""
        self.network.eval()
        scores = self.network(digits.test_images)
        loss = nn.functional.cross_entropy(scores, digits.test_labels)
        return float(loss.item()), scores.argmax(1).numpy()  # type: ignore[attr-defined]


def accuracy_of(predictions: np.ndarray, digits: Digits) -> float:
    """Share of the held-out digits that are taken for what they are."""
    return float((predictions == digits.test_labels.numpy()).mean())  # type: ignore[attr-defined]
