"""Colourings: groups of columns of a sparse matrix that are computed in one product, and recovery of the elements.

Columns of one colour are summed. If no two of them have an element in the same row, each element of the matrix is one
element of the sums. For a symmetric matrix a weaker condition suffices, because each element can be read in two places.

Sets of colours are bit masks in integers.

Source: A. R. Curtis, M. J. D. Powell, J. K. Reid, On the estimation of sparse Jacobian matrices, 1974 (sums of
columns); T. F. Coleman, J. J. Moré, Estimation of sparse Jacobian matrices and graph coloring problems, 1983, and
Estimation of sparse Hessian matrices and graph coloring problems, 1984 (colourings of graphs; for symmetric matrices
without two-coloured paths); A. H. Gebremedhin, F. Manne, A. Pothen, What color is your Jacobian?, 2005 (greedy
colourings).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np


def lowest_free(used: int) -> int:
    """Return the first colour that is not in a set."""
    return (~used & (used + 1)).bit_length() - 1


def lists_of(pattern: Any) -> list[list[int]]:
    """Return the columns of the elements, row by row."""
    indices, bounds = pattern.indices.tolist(), pattern.indptr.tolist()
    return [indices[start:end] for start, end in pairwise(bounds)]


def column_colours(pattern: Any) -> Any:
    """Colour the columns so that no two columns of one colour have an element in the same row.

    Args:
        pattern: a sparse array in CSR form.

    Returns:
        An integer array of colours from 0; few of them (the minimum is NP-hard).
    """
    lengths = np.diff(pattern.indptr)
    if lengths.max(initial=0) == pattern.shape[1]:  # a row has all columns
        return np.arange(pattern.shape[1])
    rows_of_column = lists_of(pattern.T.tocsr())

    def coloured(order: Iterable[int]) -> list[int]:
        in_row = [0] * pattern.shape[0]
        colours = [0] * pattern.shape[1]
        for column in order:
            used = 0
            for row in rows_of_column[column]:
                used |= in_row[row]
            colours[column] = colour = lowest_free(used)
            for row in rows_of_column[column]:
                in_row[row] |= 1 << colour
        return colours

    return fewest(coloured, [int(lengths[rows].sum()) for rows in rows_of_column])


def star_colours(pattern: Any) -> Any:
    """Colour the columns of a symmetric matrix so that each element can be read in one of its two places.

    Neighbours in the graph of the matrix have different colours, and no path of four vertices has only two colours (a
    star colouring).

    Args:
        pattern: a sparse array in CSR form, symmetric.
    """
    neighbours = [[other for other in row if other != at] for at, row in enumerate(lists_of(pattern))]
    return fewest(lambda order: star_coloured(neighbours, order), [len(neighbour) for neighbour in neighbours])


def star_coloured(neighbours: list[list[int]], order: Iterable[int]) -> list[int]:
    """Return a greedy star colouring of a graph, in this order of vertices."""
    colours = [-1] * len(neighbours)
    around = [0] * len(neighbours)  # the colours of the neighbours of a vertex
    groups: list[dict[int, list[int]]] = [{} for _ in neighbours]  # the neighbours of a vertex by their colours
    barred = [0] * len(neighbours)  # forbidden colours: they would end a path of four
    for vertex in order:
        used = 0
        for other in neighbours[vertex]:
            if colours[other] >= 0:
                used |= 1 << colours[other] | barred[other]
        for group in groups[vertex].values():
            if len(group) > 1:  # the vertex would be within such a path
                for other in group:
                    used |= around[other]
        colours[vertex] = colour = lowest_free(used)
        for group in groups[vertex].values():
            if len(group) > 1:
                for other in group:
                    barred[other] |= 1 << colour
        for other in neighbours[vertex]:
            around[other] |= 1 << colour
            group = groups[other].setdefault(colour, [])
            group.append(vertex)
            if colours[other] >= 0 and len(group) > 1:
                for end in group if len(group) == 2 else (vertex,):
                    barred[end] |= 1 << colours[other]
    return colours


def fewest(coloured: Callable[[Iterable[int]], list[int]], degrees: list[int]) -> Any:
    """Return the better of two greedy colourings: in the order of the columns, and by descending degree."""
    natural = coloured(range(len(degrees)))
    largest = coloured(sorted(range(len(degrees)), key=lambda at: -degrees[at]))
    return np.array(min(natural, largest, key=lambda colours: max(colours, default=0)), dtype=np.int64)


def recovered(pattern: Any, colours: Any, sums: Any) -> Any:
    """Return the elements of a matrix, in the order of its pattern, from the sums of its columns.

    Args:
        pattern: a sparse array in CSR form.
        colours: the colours of its columns; for a star colouring the pattern is symmetric.
        sums: an array with the sum of the columns of each colour.
    """
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    columns = pattern.indices
    positions = rows * sums.shape[1] + colours[columns]
    alone = np.bincount(positions, minlength=sums.size)[positions] == 1
    values = sums.ravel()[positions]
    if not alone.all():
        mirrored = columns * sums.shape[1] + colours[rows]
        values = np.where(alone, values, sums.ravel()[mirrored])
    return values
