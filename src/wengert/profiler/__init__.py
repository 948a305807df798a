"""Profiles of training loops by steps: the mirror of `torch.profiler`."""

from __future__ import annotations

from ..autograd.profiler.ranges import record_function
from ..autograd.profiler.records import DeviceType
from . import itt
from .loop import profile
from .schedules import (
    ProfilerAction,
    ProfilerActivity,
    kineto_available,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = [
    "DeviceType",
    "ProfilerAction",
    "ProfilerActivity",
    "itt",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]
