// Places among sorted numbers, how often integers occur, running extremes: for the dispatcher only.
#include "binding/memory_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;

// ---- searchsorted --------------------------------------------------------------------------------------------------
constexpr npy_intp abreast = 8;  // values looked up at the same time, so that they wait for memory together

// The number of sorted edges before each of up to eight values, without branches; NaN sorts last.
template <class T, bool right>
void bisect(const T* edges, npy_intp length, const T* values, npy_intp count, npy_intp* positions) {
    T wanted[abreast] = {};
    npy_intp base[abreast] = {};
    std::copy(values, values + count, wanted);
    const auto before = [=](T edge, T value) -> npy_intp { return !(right ? edge > value : edge >= value); };
    npy_intp left = length;
    for (; left > 1; left -= left / 2) {
        const npy_intp half = left / 2;
#pragma GCC unroll 8
        for (npy_intp k = 0; k < abreast; ++k) base[k] += half & -before(edges[base[k] + half - 1], wanted[k]);
    }
    for (npy_intp k = 0; k < count; ++k) positions[k] = base[k] + before(edges[base[k]], wanted[k]);
}

// The same among edges that end with NaN, by the middles that torch looks at: no order of all edges decides then.
template <class T, bool right> npy_intp bisect_before_nan(const T* edges, npy_intp length, T value) {
    npy_intp low = 0, high = length;
    while (low < high) {
        const npy_intp middle = low + (high - low) / 2;
        if (right ? edges[middle] > value : edges[middle] >= value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// Rows of `width` values, each in its own row of edges or all in the same one, in strips that threads share.
constexpr npy_intp strip = 1024;
template <class T, class Position, bool right>
void find_positions(const T* edges, npy_intp length, npy_intp step, const T* values, npy_intp rows, npy_intp width,
                    Position* out) {
    const npy_intp strips = (width + strip - 1) / strip;
    parallel_for(rows * strips, std::min(width, strip) * 16, [=](npy_intp begin, npy_intp end) {
        for (npy_intp at = begin; at < end; ++at) {
            const npy_intp row = at / strips, first = at % strips * strip, last = std::min(first + strip, width);
            const T *row_edges = edges + row * step, *line = values + row * width, final = row_edges[length - 1];
            for (npy_intp j = first; j < last; j += abreast) {
                npy_intp block_positions[abreast];
                const npy_intp some = std::min(abreast, last - j);
                if (final == final)
                    bisect<T, right>(row_edges, length, line + j, some, block_positions);
                else
                    for (npy_intp k = 0; k < some; ++k)
                        block_positions[k] = bisect_before_nan<T, right>(row_edges, length, line[j + k]);
                for (npy_intp k = 0; k < some; ++k)
                    out[row * width + j + k] = static_cast<Position>(block_positions[k]);
            }
        }
    });
}

template <class T, class Position>
PyObject* positions(PyArrayObject* edges, PyArrayObject* values, bool right, PyArray_Descr* descr) {
    const npy_intp length = PyArray_DIM(edges, PyArray_NDIM(edges) - 1), count = PyArray_SIZE(values);
    const bool shared = PyArray_NDIM(edges) == 1;
    const npy_intp width = shared ? count : PyArray_DIM(values, PyArray_NDIM(values) - 1);
    Owned result(new_array(descr, PyArray_NDIM(values), PyArray_DIMS(values)));
    if (!result) return nullptr;
    {
        ReleaseGil unlocked(count >= 1024);
        const auto find = right ? find_positions<T, Position, true> : find_positions<T, Position, false>;
        find(data_of<T>(edges), length, shared ? 0 : length, data_of<T>(values), count / width, width,
             data_of<Position>(result.get()));
    }
    return result.give();
}

// sorted_positions(edges, values, right, short), of one dtype
PyObject* positions_card(Call args) {
    PyArrayObject *edges = plain(args[0]), *values = plain(args[1]);
    bool right = false, small = false;
    if (!edges || !values || !as_flag(args[2], right) || !as_flag(args[3], small)) return nullptr;
    const int ndim = PyArray_NDIM(edges);
    if (PyArray_DESCR(edges) != PyArray_DESCR(values) || ndim == 0 || PyArray_SIZE(edges) == 0 ||
        PyArray_SIZE(values) == 0)
        return nullptr;
    if (ndim > 1 && PyArray_NDIM(values) != ndim) return nullptr;
    for (int i = 0; ndim > 1 && i < ndim - 1; ++i)
        if (PyArray_DIM(edges, i) != PyArray_DIM(values, i)) return nullptr;
    if (small && PyArray_DIM(edges, ndim - 1) > NPY_MAX_INT32) return nullptr;
    const auto find = [=](auto element) -> PyObject* {
        using T = decltype(element);
        if (!small) return positions<T, int64_t>(edges, values, right, int64_descr);
        PyArray_Descr* descr = PyArray_DescrFromType(NPY_INT32);
        PyObject* result = positions<T, int32_t>(edges, values, right, descr);
        Py_DECREF(descr);
        return result;
    };
    switch (PyArray_TYPE(edges)) {
        case NPY_FLOAT: return find(float{});
        case NPY_DOUBLE: return find(double{});
        case NPY_INT32: return find(int32_t{});
    }
    return PyArray_DESCR(edges) == int64_descr ? find(int64_t{}) : nullptr;
}

// ---- bincount ------------------------------------------------------------------------------------------------------
// bincount(self, weights, minlength) of int64 without weights, in a table that grows with the largest.
PyObject* bincount_card(Call args) {
    PyArrayObject* x = plain(args[0], int64_descr);
    npy_intp least = 0, count = x ? PyArray_SIZE(x) : 0;
    if (!x || PyArray_NDIM(x) != 1 || count == 0 || args[1] != Py_None || !as_index(args[2], least) || least < 0)
        return nullptr;
    // Of more the body asks whether there is room.
    const int64_t most = std::max<int64_t>(4 * std::min<int64_t>(count, int64_t(1) << 40), 1 << 16);
    if (least > most) return nullptr;
    const int64_t* values = data_of<int64_t>(x);
    std::vector<int64_t> counts(static_cast<size_t>(std::max<npy_intp>(least, 1)));
    bool inside = true;
    {
        ReleaseGil unlocked(count >= thread_threshold);
        uint64_t length = counts.size();
        for (npy_intp i = 0; i < count && inside; ++i) {
            const auto value = static_cast<uint64_t>(load_once(values + i));
            if (value >= length) {
                inside = value < static_cast<uint64_t>(most);  // a negative one is not
                if (!inside) break;
                counts.resize(static_cast<size_t>(value + 1)), length = value + 1;
            }
            ++counts[static_cast<size_t>(value)];
        }
    }
    const npy_intp bins = static_cast<npy_intp>(counts.size());
    Owned result(inside ? new_array(int64_descr, 1, &bins) : nullptr);
    if (!result) return nullptr;
    std::copy(counts.begin(), counts.end(), data_of<int64_t>(result.get()));
    return result.give();
}

// ---- running extremes ----------------------------------------------------------------------------------------------
// Whether `x` takes the place of `best`: the last of equals, and NaN for good.
template <class T, bool largest> inline bool takes_over(T x, T best) {
    return (largest ? x >= best : x <= best) || x != x;
}

template <class T, bool largest>
void run_along(const T* x, npy_intp length, npy_intp inner, npy_intp width, T* values, int64_t* positions) {
    for (npy_intp j = 0; j < width; ++j) values[j] = x[j], positions[j] = 0;
    if (inner == 1) {
        T best = values[0];
        int64_t position = 0;
        for (npy_intp i = 1; i < length; ++i) {
            const T candidate = x[i];
            const bool better = takes_over<T, largest>(candidate, best);
            best = better ? candidate : best;
            position = better ? i : position;
            values[i] = best, positions[i] = position;
        }
        return;
    }
    for (npy_intp i = 1; i < length; ++i) {
        x += inner, values += inner, positions += inner;
        for (npy_intp j = 0; j < width; ++j) {
            const T candidate = x[j], best = values[j - inner];
            const bool better = takes_over<T, largest>(candidate, best);
            values[j] = better ? candidate : best;
            positions[j] = better ? i : positions[j - inner];
        }
    }
}

template <class T, bool largest> PyObject* typed_running(PyArrayObject* array, int axis) {
    Owned results[2] = {Owned(new_array(PyArray_DESCR(array), PyArray_NDIM(array), PyArray_DIMS(array))),
                        Owned(new_array(int64_descr, PyArray_NDIM(array), PyArray_DIMS(array)))};
    if (!results[0] || !results[1]) return nullptr;
    const Line line = line_of(PyArray_DIMS(array), PyArray_NDIM(array), axis);
    const npy_intp width = std::min<npy_intp>(line.inner, 256), groups = (line.inner + width - 1) / width;
    const T* x = data_of<T>(array);
    T* values = data_of<T>(results[0].get());
    int64_t* positions = data_of<int64_t>(results[1].get());
    {
        ReleaseGil unlocked(PyArray_SIZE(array) >= thread_threshold);
        parallel_for(
            line.outer * groups, (Size(line.length) * width).value_or_most(), [=](npy_intp begin, npy_intp end) {
                for (npy_intp at = begin; at < end; ++at) {
                    const npy_intp first = at % groups * width,
                                   position = at / groups * line.length * line.inner + first;
                    run_along<T, largest>(x + position, line.length, line.inner, std::min(width, line.inner - first),
                                          values + position, positions + position);
                }
            });
    }
    return give_tuple(results, 2);
}

// cummax_along, cummin_along: (self, dim)
template <bool largest> PyObject* running_card(Call args) {
    PyArrayObject* x = plain(args[0]);
    int axis = 0;
    if (!x || PyArray_SIZE(x) == 0 || PyArray_NDIM(x) == 0 || !as_axis(args[1], PyArray_NDIM(x), axis)) return nullptr;
    switch (PyArray_TYPE(x)) {
        case NPY_FLOAT: return typed_running<float, largest>(x, axis);
        case NPY_DOUBLE: return typed_running<double, largest>(x, axis);
        case NPY_INT32: return typed_running<int32_t, largest>(x, axis);
    }
    return PyArray_DESCR(x) == int64_descr ? typed_running<int64_t, largest>(x, axis) : nullptr;
}

Methods search_methods({
    WENGERT_ENTRY(sorted_positions, "(edges, values, right, short)", direct<4, positions_card>),
    WENGERT_ENTRY(bincount, "(self, weights, minlength)", on_contiguous<direct<3, bincount_card>, few_with_gaps>),
    WENGERT_ENTRY(cummax_along, "(self, dim)", on_contiguous<direct<2, running_card<true>>, few_with_gaps>),
    WENGERT_ENTRY(cummin_along, "(self, dim)", on_contiguous<direct<2, running_card<false>>, few_with_gaps>),
});

}  // namespace
}  // namespace wengert
