"""The run: network, optimiser, progress, and the training loop.

Every random number of a step is determined by the seed and the number of the step: a run that was stopped and resumed
equals an uninterrupted one bit for bit.
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
    """Sums since the start of the epoch."""

    loss: float = 0.0
    right: int = 0
    seen: int = 0


@dataclasses.dataclass
class Event:
    """Event after a step."""

    loss: float
    epoch_ended: bool


@dataclasses.dataclass
class Run:
    """A training run.

    Attributes:
        seed: seed of all random numbers.
        epochs: total number of epochs.
        network: the network.
        optimiser: optimiser of its parameters.
        steps_done: number of steps so far, over all epochs.
        epochs_done: number of epochs so far.
        sums: sums of the current epoch.
        history: one value per epoch for each curve.
        seconds: training time so far.
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
        """Start a new run of a network with random weights."""
        wg.manual_seed(mix(seed))
        network = make_network()
        return cls(seed, epochs, network, optim.Adam(network.parameters(), lr=HIGHEST_RATE))

    @property
    def finished(self) -> bool:
        """True if all epochs are done."""
        return self.epochs_done >= self.epochs

    @property
    def parameters(self) -> int:
        """Number of trained parameters, counted by element."""
        return sum(parameter.numel() for parameter in self.network.parameters())

    def describe(self, digits: Digits) -> str:
        """Describe the run in one line."""
        onward = f", going on after {self.steps_done} steps" if self.steps_done else ""
        return (
            f"{self.parameters} parameters, {len(digits.train_labels)} digits to learn and {len(digits.test_labels)} "
            f"held out, {self.epochs} epochs, seed {self.seed}, {BUILD} build{onward}"
        )

    def train(self, digits: Digits, interruption: Interruption) -> Iterator[Event]:
        """Train to the end, or to the end of the step in which Ctrl-C is pressed; yield an event after each step."""
        total = self.epochs * digits.steps_per_epoch
        if self.finished or interruption.requested:
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
                if interruption.requested:
                    return

    def step(self, images: wg.Tensor, labels: wg.Tensor) -> float:
        """Run one step: forward pass, backward pass, update of the parameters. Return the loss."""
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
        """Evaluate the network on the held-out digits, and add the epoch to the history."""
        test_loss, predictions = self.judge(digits)
        accuracy = accuracy_of(predictions, digits)
        values = self.sums.loss / self.sums.seen, test_loss, self.sums.right / self.sums.seen, accuracy
        for name, value in zip(CURVES, values):
            self.history[name].append(value)
        self.epochs_done += 1
        self.sums = Sums()

    @wg.no_grad()
    def judge(self, digits: Digits) -> tuple[float, np.ndarray]:
        """Return the loss on the held-out digits, and the predictions."""
        self.network.eval()
        scores = self.network(digits.test_images)
        loss = nn.functional.cross_entropy(scores, digits.test_labels)
        return float(loss.item()), scores.argmax(1).numpy()


def accuracy_of(predictions: np.ndarray, digits: Digits) -> float:
    """Return the fraction of the held-out digits that are predicted correctly."""
    return float((predictions == digits.test_labels.numpy()).mean())
