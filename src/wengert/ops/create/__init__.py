"""Tensors from nothing, from data, from other tensors' shapes, from memory that belongs to others."""
