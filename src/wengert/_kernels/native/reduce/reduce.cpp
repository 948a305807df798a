// Sums and means over one block of neighbouring axes: (outer, reduced, inner) -> (outer, inner); of few elements over
// any.
#include "binding/block.hpp"
#include "binding/complex_parts.hpp"
#include "binding/dense.hpp"
#include "binding/halved.hpp"
#include "binding/work.hpp"
#include "reduce/norms.hpp"
#include "binding/promoted.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace wengert {
namespace {

Twin sum_twin("sum"), mean_twin("mean");

// The sum of one long row.
template <class T> double long_row_sum(Sum kind, const T* x, npy_intp count) {
    const auto row_sum = loops<T>().row_sum[kind];
    return in_pieces(count, [=](npy_intp at, npy_intp some) { return row_sum(x + at, some); });
}

// The sums of all columns of one matrix. One that is not wide is cut into bundles of rows, which lie together in
// memory.
template <class T> void all_column_sums(Sum kind, const T* x, npy_intp rows, npy_intp width, T* out) {
    if (width == 0) return;
    const auto column_sum = loops<T>().column_sum[kind];
    const npy_intp bundle = (piece / width + 64) / 64 * 64, bundles = (rows + bundle - 1) / bundle;
    if (bundles < 2) {
        parallel_for(width, rows, [=](npy_intp begin, npy_intp end) {
            column_sum(x + begin, width, rows, end - begin, out + begin);
        });
        return;
    }
    std::vector<T> part(static_cast<size_t>(bundles) * static_cast<size_t>(width));
    T* parts = part.data();
    parallel_for(bundles, bundle * width, [=](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i)
            column_sum(x + i * bundle * width, width, i + 1 < bundles ? bundle : rows - i * bundle, width,
                       parts + i * width);
    });
    loops<T>().column_sum[OF_VALUES](parts, width, bundles, width, out);
}

template <class T>
void reduce_block(Sum kind, const T* x, T* out, npy_intp outer, npy_intp reduced, npy_intp inner, bool mean) {
    const double divisor = mean ? static_cast<double>(reduced) : 1;
    if (inner == 1 && outer == 1) {
        *out = static_cast<T>(long_row_sum(kind, x, reduced) / divisor);
    } else if (inner == 1) {
        const auto row_sum = loops<T>().row_sum[kind];
        parallel_for(outer, reduced, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i) out[i] = static_cast<T>(row_sum(x + i * reduced, reduced) / divisor);
        });
    } else if (outer == 1) {
        all_column_sums(kind, x, reduced, inner, out);
    } else {
        const auto column_sum = loops<T>().column_sum[kind];
        parallel_for(outer, reduced * inner, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i)
                column_sum(x + i * reduced * inner, inner, reduced, inner, out + i * inner);
        });
    }
    if (mean && inner != 1)
        for (npy_intp i = 0; i < outer * inner; ++i) out[i] = static_cast<T>(static_cast<double>(out[i]) / divisor);
}

// The sum of a whole array in parts, or their mean, for a replay.
template <class T> struct WholeSum {
    double divisor;
    void operator()(char* const* at, npy_intp count) const {
        loops<T>().row_part(elements_at<T>(at[0]), count, elements_at<double>(at[1]));
    }
    double total(const double* sums) const { return loops<T>().row_total(sums); }
    void store(double total, char* out) const { *elements_at<T>(out) = static_cast<T>(total / divisor); }
};

template <class T> PyObject* typed(PyArrayObject* x, const Block& block, bool mean, Sum kind = OF_VALUES) {
    Owned result(new_array(PyArray_DESCR(x), block.ndim, block.shape));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* output = data_of<T>(result.get());
    const npy_intp outer = block.outer, reduced = block.reduced, inner = block.inner;
    if (outer == 1 && inner == 1 && kind == OF_VALUES) {
        const WholeSum<T> whole{mean ? static_cast<double>(reduced) : 1};
        note_elements(element_notes(ElementNotes::SUM, reduced, 1, whole, {{input, sizeof(T)}}));
    }
    perform(PyArray_SIZE(x), [=] { reduce_block(kind, input, output, outer, reduced, inner, mean); }, {input, output});
    return result.give();
}

PyObject* compute(PyObject** slots, bool mean) {
    PyArrayObject* x = plain(slots[0]);
    bool keepdims = false;
    if (!x || !absent(slots[3]) || !as_flag(slots[2], keepdims)) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(x);
    if (descr != float_descr && descr != double_descr) return nullptr;
    Block block;
    if (!find_axes(x, slots[1], keepdims, block)) return nullptr;
    return descr == float_descr ? typed<float>(x, block, mean) : typed<double>(x, block, mean);
}

const char* const names[] = {"x", "axis", "keepdims", "dtype"};

PyObject* sum(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<4>(sum_twin, names, 1, args, nargs, kwnames,
                         [](PyObject** slots) { return compute(slots, false); });
}
PyObject* mean(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<4>(mean_twin, names, 1, args, nargs, kwnames,
                         [](PyObject** slots) { return compute(slots, true); });
}

// Sums of integers and truth values wrap around in 64 bits.
template <class T> PyObject* whole_sum(PyArrayObject* x, const Block& block) {
    leave_replayed_call();
    Owned result(new_array(int64_descr, block.ndim, block.shape));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    auto* out = reinterpret_cast<uint64_t*>(data_of<int64_t>(result.get()));
    const auto as_term = [](T value) {
        return sizeof(T) == 1 ? static_cast<uint64_t>(value != 0) : static_cast<uint64_t>(value);
    };
    ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
    if (sizeof(T) == 8 && block.outer == 1 && block.inner == 1) {
        std::atomic<uint64_t> total{0};  // in whatever order: sums that wrap around are the same
        const auto* integers = reinterpret_cast<const int64_t*>(input);
        parallel_for(block.reduced, 1, [=, &total](npy_intp begin, npy_intp end) {
            total += chosen_loops.whole_sum(integers + begin, end - begin);
        });
        *out = total;
        return result.give();
    }
    parallel_for(block.outer, block.reduced * block.inner, [=, &block](npy_intp begin, npy_intp end) {
        const npy_intp reduced = block.reduced, inner = block.inner;
        for (npy_intp o = begin; o < end; ++o) {
            uint64_t* sums = out + o * inner;
            const T* rows = input + o * reduced * inner;
            for (npy_intp j = 0; j < inner; ++j) sums[j] = 0;
            if (inner == 1 && sizeof(T) == 8) {
                *sums = chosen_loops.whole_sum(reinterpret_cast<const int64_t*>(rows), reduced);
            } else if (inner == 1) {
                uint64_t total = 0;
                for (npy_intp i = 0; i < reduced; ++i) total += as_term(rows[i]);
                *sums = total;
            } else {
                for (npy_intp i = 0; i < reduced; ++i)
                    for (npy_intp j = 0; j < inner; ++j) sums[j] += as_term(rows[i * inner + j]);
            }
        }
    });
    return result.give();
}

// Few elements over axes that are no neighbours, one by one in their order.
template <class T> PyObject* scattered_sum(PyArrayObject* x, const bool* marked, bool keepdims, bool mean) {
    const int ndim = PyArray_NDIM(x);
    npy_intp shape[NPY_MAXDIMS], steps[NPY_MAXDIMS], at[NPY_MAXDIMS] = {}, count = 1;
    int kept = 0;
    for (int dim = 0; dim < ndim; ++dim)
        if (!marked[dim] || keepdims) shape[kept++] = marked[dim] ? 1 : PyArray_DIM(x, dim);
    for (int dim = ndim - 1; dim >= 0; --dim) {
        steps[dim] = marked[dim] ? 0 : count;
        if (!marked[dim]) count *= PyArray_DIM(x, dim);
    }
    std::vector<double> sums(static_cast<size_t>(count));
    npy_intp position = 0;
    for (npy_intp i = 0; i < PyArray_SIZE(x); ++i) {
        sums[static_cast<size_t>(position)] += static_cast<double>(data_of<T>(x)[i]);
        for (int dim = ndim - 1; dim >= 0; --dim) {
            position += steps[dim];
            if (++at[dim] < PyArray_DIM(x, dim)) break;
            position -= steps[dim] * at[dim];
            at[dim] = 0;
        }
    }
    PyArrayObject* result = new_array(PyArray_DESCR(x), kept, shape);
    const double divisor = mean ? static_cast<double>(PyArray_SIZE(x) / count) : 1;
    for (npy_intp i = 0; result && i < count; ++i)
        data_of<T>(result)[i] = static_cast<T>(sums[static_cast<size_t>(i)] / divisor);
    return reinterpret_cast<PyObject*>(result);
}
template <bool mean> PyObject* scattered(PyArrayObject* x, PyObject* dim, PyObject* keepdim) {
    leave_replayed_call();
    bool marked[NPY_MAXDIMS] = {}, keepdims = false;
    if (PyArray_SIZE(x) == 0 || PyArray_SIZE(x) >= thread_threshold || !as_flag(keepdim, keepdims) ||
        !mark_dims(dim, PyArray_NDIM(x), marked))
        return nullptr;
    if (PyArray_DESCR(x) == float_descr) return scattered_sum<float>(x, marked, keepdims, mean);
    return PyArray_DESCR(x) == double_descr ? scattered_sum<double>(x, marked, keepdims, mean) : nullptr;
}

template <bool mean> PyObject* in_memory_order(PyObject* object, PyObject* dim, PyObject* keepdim) {
    PyArrayObject* x = dense(object);
    Block block;
    if (!x || (PyArray_DESCR(x) != float_descr && PyArray_DESCR(x) != double_descr) ||
        !find_block_in_memory(x, dim, keepdim, block))
        return nullptr;
    return PyArray_DESCR(x) == float_descr ? typed<float>(x, block, mean) : typed<double>(x, block, mean);
}

// Of what is summed, the innermost dimensions are a run of elements without gaps; the others may have any strides.
struct Runs {
    struct Dims {
        int ndim = 0;
        npy_intp shape[NPY_MAXDIMS], strides[NPY_MAXDIMS], count = 1;

        void add(npy_intp length, npy_intp stride) {
            shape[ndim] = length, strides[ndim++] = stride;
            count *= length;
        }
        npy_intp position(npy_intp index) const {  // in bytes
            npy_intp at = 0;
            for (int dim = ndim - 1; dim >= 0; --dim) {
                at += index % shape[dim] * strides[dim];
                index /= shape[dim];
            }
            return at;
        }
    };
    Dims kept, summed;
    npy_intp run = 1;

    bool find(PyArrayObject* x, const bool* marked) {
        constexpr npy_intp least = 16;
        int last = PyArray_NDIM(x) - 1;
        for (; last >= 0 && marked[last] && PyArray_STRIDE(x, last) == run * PyArray_ITEMSIZE(x); --last)
            run *= PyArray_DIM(x, last);
        for (int dim = 0; dim <= last; ++dim)
            (marked[dim] ? summed : kept).add(PyArray_DIM(x, dim), PyArray_STRIDE(x, dim));
        return run >= least && kept.count > 0 && summed.count > 0;
    }
};
template <class T> void sum_runs(PyArrayObject* x, const Runs& runs, T* out, bool mean) {
    const auto row_sum = loops<T>().row_sum[OF_VALUES];
    const npy_intp rows = runs.summed.count, run = runs.run;
    const double divisor = mean ? static_cast<double>(rows * run) : 1;
    const char* data = PyArray_BYTES(x);
    const auto some = [=, &runs](npy_intp from, npy_intp begin, npy_intp end) {
        double total = 0;
        for (npy_intp row = begin; row < end; ++row)
            total += row_sum(reinterpret_cast<const T*>(data + from + runs.summed.position(row)), run);
        return total;
    };
    if (runs.kept.count > 1) {
        parallel_for(runs.kept.count, rows * run, [=, &runs](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i)
                out[i] = static_cast<T>(some(runs.kept.position(i), 0, rows) / divisor);
        });
        return;
    }
    const npy_intp bundle = piece / run + 1, bundles = (rows + bundle - 1) / bundle;  // neither depends on the threads
    std::vector<double> part(static_cast<size_t>(bundles));
    double *parts = part.data(), total = 0;
    parallel_for(bundles, bundle * run, [=](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i) parts[i] = some(0, i * bundle, std::min(rows, (i + 1) * bundle));
    });
    for (double piece_sum : part) total += piece_sum;
    *out = static_cast<T>(total / divisor);
}
template <bool mean> PyObject* sum_in_runs(PyObject* object, PyObject* dim, PyObject* keepdim) {
    leave_replayed_call();
    if (!PyArray_CheckExact(object)) return nullptr;
    auto* x = reinterpret_cast<PyArrayObject*>(object);
    bool marked[NPY_MAXDIMS] = {}, keepdims = false;
    Runs runs;
    if ((PyArray_DESCR(x) != float_descr && PyArray_DESCR(x) != double_descr) ||
        !(PyArray_FLAGS(x) & NPY_ARRAY_ALIGNED) || !as_flag(keepdim, keepdims) ||
        !mark_dims(dim, PyArray_NDIM(x), marked) || !runs.find(x, marked))
        return nullptr;
    npy_intp shape[NPY_MAXDIMS];
    int ndim = 0;
    for (int i = 0; i < PyArray_NDIM(x); ++i)
        if (!marked[i] || keepdims) shape[ndim++] = marked[i] ? 1 : PyArray_DIM(x, i);
    Owned result(new_array(PyArray_DESCR(x), ndim, shape));
    if (!result) return nullptr;
    {
        ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
        if (PyArray_DESCR(x) == float_descr)
            sum_runs(x, runs, data_of<float>(result.get()), mean);
        else
            sum_runs(x, runs, data_of<double>(result.get()), mean);
    }
    return result.give();
}

// The cards: (self, dim, keepdim, dtype).
template <bool mean> PyObject* of_dims(PyObject* const* args) {
    PyArrayObject* x = plain(args[0]);
    Block block;
    if (!x) {
        PyObject* result = in_memory_order<mean>(args[0], args[1], args[2]);
        return result || PyErr_Occurred() ? result : sum_in_runs<mean>(args[0], args[1], args[2]);
    }
    if (!find_dims(x, args[1], args[2], block)) {
        PyObject* result = scattered<mean>(x, args[1], args[2]);
        return result || PyErr_Occurred() ? result : sum_in_runs<mean>(args[0], args[1], args[2]);
    }
    PyArray_Descr* descr = PyArray_DESCR(x);
    if (descr == float_descr) return typed<float>(x, block, mean);
    if (descr == double_descr) return typed<double>(x, block, mean);
    if (PyArray_ITEMSIZE(x) == 2) return leave_replayed_call(), half_sum(x, block, mean);
    if (mean) return nullptr;
    if (descr == int64_descr) return whole_sum<int64_t>(x, block);
    return descr == bool_descr ? whole_sum<uint8_t>(x, block) : nullptr;
}
// A contiguous copy of a small floating-point array of any strides, repeated ones included; null for others.
PyArrayObject* few_copied(PyObject* object, NPY_ORDER order) {
    if (!PyArray_CheckExact(object) || plain(object)) return nullptr;
    auto* x = reinterpret_cast<PyArrayObject*>(object);
    const bool fits = PyArray_DESCR(x) == float_descr || PyArray_DESCR(x) == double_descr;
    if (std::count(PyArray_STRIDES(x), PyArray_STRIDES(x) + PyArray_NDIM(x), 0))
        order = NPY_CORDER;  // else that would lie innermost
    if (!fits || PyArray_SIZE(x) > piece) return nullptr;
    return reinterpret_cast<PyArrayObject*>(with_python([&] { return PyArray_NewCopy(x, order); }));
}
template <bool mean> PyObject* direct(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        if (nargs != 4 || args[3] != Py_None) return nullptr;
        PyObject* result = of_dims<mean>(args);
        for (const NPY_ORDER order : {NPY_KEEPORDER, NPY_CORDER}) {  // in memory order, which is faster, or row-major
            if (result || PyErr_Occurred()) break;
            const Owned copy(few_copied(args[0], order));
            if (!copy) break;
            PyObject* copied_args[] = {reinterpret_cast<PyObject*>(copy.get()), args[1], args[2]};
            result = of_dims<mean>(copied_args);
        }
        return result;
    });
}

// The norm number `at`, of numbers whose powers are no normal numbers.
template <class T> T norm_at(PyArrayObject* x, const Block& block, npy_intp at, double order) {
    const T* from = data_of<T>(x) + at / block.inner * block.reduced * block.inner + at % block.inner;
    return scaled_norm<T>(block.reduced, order, [&](npy_intp k) { return std::fabs(from[k * block.inner]); });
}
template <class T> PyObject* typed_norm(PyArrayObject* x, const Block& block, bool squares) {
    Owned result(reinterpret_cast<PyArrayObject*>(typed<T>(x, block, false, squares ? OF_SQUARES : OF_SIZES)));
    if (!result || !squares) return result.give();
    T* const norms = data_of<T>(result.get());
    loops<T>().unary[SQRT](norms, norms, PyArray_SIZE(result.get()));
    const Normal<T> normal(2);
    for (npy_intp at = 0; at < block.outer * block.inner; ++at)
        if (!normal.holds(norms[at])) norms[at] = norm_at<T>(x, block, at, 2);
    return result.give();
}
// Of another order, a number above 0, and few elements.
template <class T> PyObject* power_norm(PyArrayObject* x, const Block& block, double order) {
    if (PyArray_SIZE(x) > 1024 || !(order > 0) || !std::isfinite(order)) return nullptr;
    Owned result(new_array(PyArray_DESCR(x), block.ndim, block.shape));
    if (!result) return nullptr;
    const Normal<T> normal(order);
    for (npy_intp at = 0; at < block.outer * block.inner; ++at) {
        const T* from = data_of<T>(x) + at / block.inner * block.reduced * block.inner + at % block.inner;
        T sum = 0;
        for (npy_intp k = 0; k < block.reduced; ++k)
            sum += std::pow(std::fabs(from[k * block.inner]), static_cast<T>(order));
        const T norm = std::pow(sum, static_cast<T>(1 / order));
        data_of<T>(result.get())[at] = normal.holds(norm) ? norm : norm_at<T>(x, block, at, order);
    }
    return result.give();
}
// linalg_vector_norm(self, ord, dim, keepdim, dtype): of the orders 1 and 2, others of few elements
PyObject* vector_norm(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        double order = 0;
        Block block;
        PyArrayObject* x = nargs == 5 && args[4] == Py_None && as_number(args[1], order)
                               ? reduced_along(args[0], args[2], args[3], block)
                               : nullptr;
        if (!x || PyArray_SIZE(x) == 0) return nullptr;
        if (block.reduced == 1 && order != 0) order = 1;  // of one element its size, which need not be squared
        if (order != 1 && order != 2) {
            if (PyArray_DESCR(x) == float_descr) return power_norm<float>(x, block, order);
            return PyArray_DESCR(x) == double_descr ? power_norm<double>(x, block, order) : nullptr;
        }
        if (PyArray_DESCR(x) == float_descr) return typed_norm<float>(x, block, order == 2);
        return PyArray_DESCR(x) == double_descr ? typed_norm<double>(x, block, order == 2) : nullptr;
    });
}
PyObject* nansum(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        Block block;
        PyArrayObject* x = nargs == 4 && args[3] == Py_None ? reduced_along(args[0], args[1], args[2], block) : nullptr;
        if (!x) return nullptr;
        if (PyArray_DESCR(x) == float_descr) return typed<float>(x, block, false, OF_NUMBERS);
        return PyArray_DESCR(x) == double_descr ? typed<double>(x, block, false, OF_NUMBERS) : nullptr;
    });
}

Methods reduce_methods({
    WENGERT_ENTRY(vector_norm, "(self, ord, dim, keepdim, dtype)", on_contiguous<norm_of_parts<vector_norm>>),
    WENGERT_REPEATABLE(nansum, "(self, dim, keepdim, dtype)", on_contiguous<nansum>),
    WENGERT_REPEATABLE(sum, "(self, dim, keepdim, dtype)",
                       of_halves<on_contiguous<widened<of_parts<direct<false>>>>, 3>),
    WENGERT_REPEATABLE(mean, "(self, dim, keepdim, dtype)",
                       of_halves<on_contiguous<mean_of_parts<direct<false>, direct<true>>>, 3>),
    WENGERT_FUNCTION(sum, "(x, axis=None, keepdims=False, dtype=None)", sum),
    WENGERT_FUNCTION(mean, "(x, axis=None, keepdims=False, dtype=None)", mean),
});

}  // namespace
}  // namespace wengert
