// Largest and smallest elements and where they are, truth along dimensions: for the dispatcher only.
#include "binding/block.hpp"
#include "binding/promoted.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;

// ---- extremes ------------------------------------------------------------------------------------------------------
constexpr npy_intp piece = 65536, strip = 1024;  // elements of a long row, columns, that are looked at together

// One long row, in pieces that do not depend on the number of threads.
template <class T> void long_row_extreme(Extreme side, const T* x, npy_intp count, T* value, int64_t* position) {
    const Loops<T>& table = loops<T>();
    const npy_intp pieces = (count + piece - 1) / piece;
    const auto length = [=](npy_intp i) { return i + 1 < pieces ? piece : count - i * piece; };
    npy_intp start = 0, length_searched = count;
    if (pieces <= 1) {
        *value = table.row_extreme[side](x, count);
    } else {
        std::vector<T> part(static_cast<size_t>(pieces));
        T* parts = part.data();
        parallel_for(pieces, piece, [=, &table](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) parts[i] = table.row_extreme[side](x + i * piece, length(i));
        });
        *value = table.row_extreme[side](parts, pieces);
        const npy_intp first = table.first_position(parts, pieces, *value);
        start = first * piece, length_searched = length(first);
    }
    if (position) *position = start + table.first_position(x + start, length_searched, *value);
}

// `values` and `positions` have room for outer * inner elements; places may be null.
template <class T> void find_extremes(Extreme side, const T* x, const Block& block, T* values, int64_t* positions) {
    const npy_intp outer = block.outer, reduced = block.reduced, inner = block.inner;
    const Loops<T>& table = loops<T>();
    if (inner == 1 && outer == 1) {
        long_row_extreme(side, x, reduced, values, positions);
    } else if (inner == 1) {
        parallel_for(outer, reduced, [=, &table](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) {
                values[i] = table.row_extreme[side](x + i * reduced, reduced);
                if (positions) positions[i] = table.first_position(x + i * reduced, reduced, values[i]);
            }
        });
    } else {
        const npy_intp strips = (inner + strip - 1) / strip;
        parallel_for(outer * strips, reduced * (inner < strip ? inner : strip),
                     [=, &table](npy_intp begin, npy_intp end) {
                         for (npy_intp s = begin; s < end; ++s) {
                             const npy_intp o = s / strips, first = s % strips * strip,
                                            width = inner - first < strip ? inner - first : strip;
                             const npy_intp at = o * inner + first;
                             table.column_extreme[side](x + o * reduced * inner + first, inner, reduced, width,
                                                        values + at, positions ? positions + at : nullptr);
                         }
                     });
    }
}

enum Wanted { VALUES, POSITIONS, BOTH };

template <class T> PyObject* typed_extremes(Extreme side, Wanted wanted, PyArrayObject* x, const Block& block) {
    Owned results[2] = {Owned(wanted == POSITIONS ? nullptr : new_array(PyArray_DESCR(x), block.ndim, block.shape)),
                        Owned(wanted == VALUES ? nullptr : new_array(int64_descr, block.ndim, block.shape))};
    if ((wanted != POSITIONS && !results[0]) || (wanted != VALUES && !results[1])) return nullptr;
    T single;
    std::vector<T> scratch;
    T* values = &single;
    if (wanted != POSITIONS) {
        values = data_of<T>(results[0].get());
    } else if (block.outer * block.inner > 1) {
        scratch.resize(static_cast<size_t>(block.outer * block.inner));
        values = scratch.data();
    }
    {
        ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
        find_extremes(side, data_of<T>(x), block, values,
                      wanted == VALUES ? nullptr : data_of<int64_t>(results[1].get()));
    }
    return wanted == BOTH ? give_tuple(results, 2) : results[wanted == POSITIONS].give();
}

// Few shorter integers, as those of int64.
PyObject* of_shorter(Extreme side, Wanted wanted, PyArrayObject* x, const Block& block) {
    if (!PyArray_ISINTEGER(x) || !PyArray_ISNOTSWAPPED(x) || PyArray_SIZE(x) >= thread_threshold) return nullptr;
    const Owned wide(converted(x, int64_descr));
    PyObject* wide_result = wide ? typed_extremes<int64_t>(side, wanted, wide.get(), block) : nullptr;
    if (!wide_result || wanted == POSITIONS) return wide_result;
    PyObject* values = wanted == BOTH ? PyTuple_GET_ITEM(wide_result, 0) : wide_result;
    PyObject* positions = wanted == BOTH ? Py_NewRef(PyTuple_GET_ITEM(wide_result, 1)) : nullptr;
    Owned narrow[2] = {Owned(converted(reinterpret_cast<PyArrayObject*>(values), PyArray_DESCR(x))),
                       Owned(reinterpret_cast<PyArrayObject*>(positions))};
    Py_DECREF(wide_result);
    if (!narrow[0]) return nullptr;
    return wanted == BOTH ? give_tuple(narrow, 2) : narrow[0].give();
}

PyObject* extremes(Extreme side, Wanted wanted, PyObject* object, PyObject* dim, PyObject* keepdim) {
    Block block;
    const bool in_rows =
        wanted != VALUES && dim == Py_None;  // a position among all elements is counted in row-major order
    PyArrayObject* x = in_rows && !plain(object) ? nullptr : reduced_along(object, dim, keepdim, block);
    if (!x || PyArray_SIZE(x) == 0) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(x);
    if (descr == float_descr) return typed_extremes<float>(side, wanted, x, block);
    if (descr == double_descr) return typed_extremes<double>(side, wanted, x, block);
    return descr == int64_descr ? typed_extremes<int64_t>(side, wanted, x, block) : of_shorter(side, wanted, x, block);
}

// amax, amin: (self, dim, keepdim)
template <Extreme side> PyObject* along(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=] { return nargs == 3 ? extremes(side, VALUES, args[0], args[1], args[2]) : nullptr; });
}
// Of all: (self)
template <Extreme side> PyObject* of_all(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=] { return nargs == 1 ? extremes(side, VALUES, args[0], Py_None, Py_False) : nullptr; });
}
// The same with the arguments of `max` and `min`: (self, dim, keepdim), both at their defaults
template <Extreme side> PyObject* of_all_with_defaults(PyObject*, Call args, Py_ssize_t nargs) {
    const bool defaults = nargs == 3 && args[1] == Py_None && args[2] == Py_False;
    return answer([=] { return defaults ? extremes(side, VALUES, args[0], Py_None, Py_False) : nullptr; });
}
// (self, dim, keepdim) with one dimension, or for the places alone None
template <Extreme side, Wanted wanted> PyObject* with_positions(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        if (nargs != 3 || !(PyLong_CheckExact(args[1]) || (wanted == POSITIONS && args[1] == Py_None))) return nullptr;
        return extremes(side, wanted, args[0], args[1], args[2]);
    });
}

// Smallest and largest of all elements, piece by piece while these are in the cache. NaN propagates through each loop.
template <class T> PyObject* both_of_all(PyArrayObject* x) {
    const npy_intp count = PyArray_SIZE(x), pieces = (count + piece - 1) / piece;
    if (count == 0) return nullptr;
    Owned results[2] = {Owned(new_array(descr_of<T>(), 0, nullptr)), Owned(new_array(descr_of<T>(), 0, nullptr))};
    if (!results[0] || !results[1]) return nullptr;
    std::vector<T> least(static_cast<size_t>(pieces)), largest(least);
    T *low = least.data(), *high = largest.data();
    const T* input = data_of<T>(x);
    {
        ReleaseGil unlocked(count >= thread_threshold);
        parallel_for(pieces, 2 * piece, [=](npy_intp begin, npy_intp end) {
            constexpr npy_intp near_count = 4096;
            T lows[piece / near_count], highs[piece / near_count];
            for (npy_intp k = begin; k < end; ++k) {
                const npy_intp last = std::min((k + 1) * piece, count);
                npy_intp blocks = 0;
                for (npy_intp at = k * piece; at < last; at += near_count, ++blocks) {
                    lows[blocks] = loops<T>().row_extreme[MINIMAL](input + at, std::min(near_count, last - at));
                    highs[blocks] = loops<T>().row_extreme[MAXIMAL](input + at, std::min(near_count, last - at));
                }
                low[k] = loops<T>().row_extreme[MINIMAL](lows, blocks);
                high[k] = loops<T>().row_extreme[MAXIMAL](highs, blocks);
            }
        });
    }
    *data_of<T>(results[0].get()) = loops<T>().row_extreme[MINIMAL](low, pieces);
    *data_of<T>(results[1].get()) = loops<T>().row_extreme[MAXIMAL](high, pieces);
    return give_tuple(results, 2);
}

// Both: (self, dim, keepdim) with one dimension or None
PyObject* both_extremes(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        if (nargs != 3 || !(args[1] == Py_None || PyLong_CheckExact(args[1]))) return nullptr;
        if (args[1] == Py_None && args[2] == Py_False) {
            PyArrayObject* x = plain(args[0]);
            PyArray_Descr* descr = x ? PyArray_DESCR(x) : nullptr;
            PyObject* result = nullptr;
            if (descr == float_descr) result = both_of_all<float>(x);
            if (descr == double_descr) result = both_of_all<double>(x);
            if (result || PyErr_Occurred()) return result;
        }
        const auto side = [=](Extreme which) {
            return reinterpret_cast<PyArrayObject*>(extremes(which, VALUES, args[0], args[1], args[2]));
        };
        PyArrayObject* least = side(MINIMAL);
        Owned results[2] = {Owned(least), Owned(least ? side(MAXIMAL) : nullptr)};
        return results[0] && results[1] ? give_tuple(results, 2) : nullptr;
    });
}

// ---- truth ---------------------------------------------------------------------------------------------------------
// Whether any element is (`any`) or none is not (`all`) different from zero.
template <class T> bool row_truth(const T* x, npy_intp count, bool any) {
    using Flag = std::conditional_t<sizeof(T) == 1, uint8_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
    for (npy_intp begin = 0; begin < count; begin += 256) {
        const npy_intp end = count - begin < 256 ? count : begin + 256;
        Flag met = 0;
        if (any)
            for (npy_intp i = begin; i < end; ++i) met |= x[i] != T(0) ? 1 : 0;
        else
            for (npy_intp i = begin; i < end; ++i) met |= x[i] != T(0) ? 0 : 1;
        if (met) return any;
    }
    return !any;
}
template <class T> void column_truth(const T* row, uint8_t* truths, npy_intp width, bool any) {
    if (any) {
        for (npy_intp j = 0; j < width; ++j) truths[j] |= row[j] != T(0) ? 1 : 0;
    } else {
        for (npy_intp j = 0; j < width; ++j) truths[j] &= row[j] != T(0) ? 1 : 0;
    }
}
template <class T> PyObject* typed_truth(PyArrayObject* x, const Block& block, bool any) {
    Owned result(new_array(bool_descr, block.ndim, block.shape));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    uint8_t* out = data_of<uint8_t>(result.get());
    const npy_intp reduced = block.reduced, inner = block.inner;
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    parallel_for(block.outer, reduced * inner, [=](npy_intp begin, npy_intp end) {
        for (npy_intp o = begin; o < end; ++o) {
            const T* rows = input + o * reduced * inner;
            uint8_t* truths = out + o * inner;
            if (inner == 1) {
                *truths = row_truth(rows, reduced, any);
                continue;
            }
            for (npy_intp j = 0; j < inner; ++j) truths[j] = any ? 0 : 1;
            for (npy_intp i = 0; i < reduced; ++i, rows += inner) column_truth(rows, truths, inner, any);
        }
    });
    return result.give();
}
// (self, dim, keepdim); nothing in a tuple means nothing to reduce, which the body does
template <bool any> PyObject* truth(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        if (nargs != 3 || (args[1] != Py_None && names_nothing(args[1]))) return nullptr;
        Block block;
        PyArrayObject* x = reduced_along(args[0], args[1], args[2], block);
        if (!x) return nullptr;
        PyArray_Descr* descr = PyArray_DESCR(x);
        if (descr == bool_descr) return typed_truth<uint8_t>(x, block, any);
        if (descr == float_descr) return typed_truth<float>(x, block, any);
        if (descr == double_descr) return typed_truth<double>(x, block, any);
        return descr == int64_descr ? typed_truth<int64_t>(x, block, any) : nullptr;
    });
}

// ---- logsumexp ------------------------------------------------------------------------------------------------------
// A new array of one number for each row that is reduced; null where the axes are not the last ones.
template <class T, class Reduce> PyObject* by_rows(PyArrayObject* x, const Block& block, npy_intp cost, Reduce reduce) {
    if (block.inner != 1 || block.reduced == 0) return nullptr;
    Owned result(new_array(PyArray_DESCR(x), block.ndim, block.shape));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    const npy_intp count = block.reduced;
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    parallel_for(block.outer, count * cost, [=](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i) out[i] = reduce(input + i * count, count);
    });
    return result.give();
}

// Whether the sum of the other exponentials beside the largest, which is 1, is more accurate than the sum of all less
// 1.
inline bool is_nearly_one(double total) { return total >= 1 && total < 1 + 1.0 / 64; }

// The same of columns that lie side by side.
constexpr npy_intp most_columns = 512;
template <class T> void logsumexp_columns(const T* x, npy_intp pitch, npy_intp rows, npy_intp width, T* out) {
    constexpr npy_intp together = 64;  // rows whose exponentials are added before they go to double
    const Loops<T>& table = loops<T>();
    T shift[most_columns], terms[most_columns], part[most_columns];
    double total[most_columns] = {};
    table.column_extreme[MAXIMAL](x, pitch, rows, width, out, nullptr);
    for (npy_intp j = 0; j < width; ++j) shift[j] = std::isinf(out[j]) ? T(0) : out[j];
    for (npy_intp begin = 0; begin < rows; begin += together) {
        std::fill_n(part, width, T(0));
        for (npy_intp i = begin; i < std::min(rows, begin + together); ++i) {
            table.binary[SUBTRACT](x + i * pitch, 1, shift, 1, terms, width);
            table.unary[EXP](terms, terms, width);
            table.binary[ADD](part, 1, terms, 1, part, width);
        }
        for (npy_intp j = 0; j < width; ++j) total[j] += static_cast<double>(part[j]);
    }
    for (npy_intp j = 0; j < width; ++j) {
        const double largest = static_cast<double>(shift[j]);
        if (!is_nearly_one(total[j]) || out[j] != shift[j]) {
            out[j] = static_cast<T>(std::log(total[j]) + largest);
            continue;
        }
        double others = 0;
        bool found_largest = false;
        for (npy_intp i = 0; i < rows; ++i) {
            const T value = x[i * pitch + j];
            if (found_largest || value != shift[j])
                others += std::exp(static_cast<double>(value) - largest);
            else
                found_largest = true;
        }
        out[j] = static_cast<T>(std::log1p(others) + largest);
    }
}
template <class T> PyObject* logsumexp_by_columns(PyArrayObject* x, const Block& block) {
    Owned result(block.reduced ? new_array(PyArray_DESCR(x), block.ndim, block.shape) : nullptr);
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* out = data_of<T>(result.get());
    const npy_intp rows = block.reduced, inner = block.inner, strips = (inner + most_columns - 1) / most_columns;
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    parallel_for(block.outer * strips, rows * std::min(inner, most_columns) * 8, [=](npy_intp begin, npy_intp end) {
        for (npy_intp s = begin; s < end; ++s) {
            const npy_intp o = s / strips, first = s % strips * most_columns;
            logsumexp_columns(input + o * rows * inner + first, inner, rows, std::min(most_columns, inner - first),
                              out + o * inner + first);
        }
    });
    return result.give();
}
template <class T> PyObject* typed_logsumexp(PyArrayObject* x, const Block& block) {
    if (block.inner != 1) return logsumexp_by_columns<T>(x, block);
    return by_rows<T>(x, block, 8, [](const T* row, npy_intp count) {
        const T largest = loops<T>().row_extreme[MAXIMAL](row, count);
        const T shift = std::isinf(largest) ? T(0) : largest;
        const double total = loops<T>().row_exponential_sum(row, count, shift);
        if (is_nearly_one(total) && largest == shift) {
            const npy_intp position = loops<T>().first_position(row, count, largest);
            const double others = loops<T>().row_exponential_sum(row, position, shift) +
                                  loops<T>().row_exponential_sum(row + position + 1, count - position - 1, shift);
            return static_cast<T>(std::log1p(others) + static_cast<double>(shift));
        }
        return static_cast<T>(std::log(total) + static_cast<double>(shift));
    });
}
// (self, dim, keepdim)
PyObject* logsumexp(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        Block block;
        PyArrayObject* x = nargs == 3 && args[1] != Py_None ? reduced_along(args[0], args[1], args[2], block) : nullptr;
        if (!x) return nullptr;
        if (PyArray_DESCR(x) == float_descr) return typed_logsumexp<float>(x, block);
        return PyArray_DESCR(x) == double_descr ? typed_logsumexp<double>(x, block) : nullptr;
    });
}

Methods extreme_methods({
    WENGERT_ENTRY(amax, "(self, dim, keepdim)", on_contiguous<along<MAXIMAL>>),
    WENGERT_ENTRY(amin, "(self, dim, keepdim)", on_contiguous<along<MINIMAL>>),
    direct_method("direct_max_full", on_contiguous<of_all<MAXIMAL>>, "the largest of all elements, or NotImplemented"),
    direct_method("direct_min_full", on_contiguous<of_all<MINIMAL>>, "the smallest of all elements, or NotImplemented"),
    WENGERT_ENTRY(max_whole, "(self, dim, keepdim): the largest of all elements",
                  on_contiguous<of_all_with_defaults<MAXIMAL>>),
    WENGERT_ENTRY(min_whole, "(self, dim, keepdim): the smallest of all elements",
                  on_contiguous<of_all_with_defaults<MINIMAL>>),
    WENGERT_ENTRY(max_dim, "(self, dim, keepdim): values and places", on_contiguous<with_positions<MAXIMAL, BOTH>>),
    WENGERT_ENTRY(min_dim, "(self, dim, keepdim): values and places", on_contiguous<with_positions<MINIMAL, BOTH>>),
    WENGERT_ENTRY(aminmax, "(self, dim, keepdim): the least and the largest", on_contiguous<both_extremes>),
    WENGERT_ENTRY(argmax, "(self, dim, keepdim)", on_contiguous<widened<with_positions<MAXIMAL, POSITIONS>>>),
    WENGERT_ENTRY(argmin, "(self, dim, keepdim)", on_contiguous<widened<with_positions<MINIMAL, POSITIONS>>>),
    WENGERT_ENTRY(any, "(self, dim, keepdim)", on_contiguous<truth<true>>),
    WENGERT_ENTRY(all, "(self, dim, keepdim)", on_contiguous<truth<false>>),
    direct_method("direct_logsumexp", on_contiguous<logsumexp>, "logsumexp of neighbouring axes, or NotImplemented"),
});

}  // namespace
}  // namespace wengert
