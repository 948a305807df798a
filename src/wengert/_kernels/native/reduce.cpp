// Sums and means over one block of neighbouring axes: (outer, reduced, inner) -> (outer, inner).
#include "common.hpp"

#include <vector>

namespace wengert {
namespace {

Twin sum_twin("sum"), mean_twin("mean");

struct Block {
    npy_intp outer = 1, reduced = 1, inner = 1;
    npy_intp shape[NPY_MAXDIMS];  // of the result
    int ndim = 0;
};

bool mark_axis(PyObject* object, int ndim, bool* marked) {
    npy_intp axis = 0;
    if (!as_index(object, axis)) return false;
    if (axis < 0) axis += ndim;
    if (axis < 0 || axis >= ndim || marked[axis]) return false;
    marked[axis] = true;
    return true;
}

// False unless the axes are neighbours.
bool find_block(PyArrayObject* x, PyObject* axes, bool keepdims, Block& block) {
    const int ndim = PyArray_NDIM(x);
    bool marked[NPY_MAXDIMS] = {};
    if (absent(axes)) {
        for (int i = 0; i < ndim; ++i) marked[i] = true;
    } else if (PyTuple_CheckExact(axes)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(axes); ++i)
            if (!mark_axis(PyTuple_GET_ITEM(axes, i), ndim, marked)) return false;
    } else if (!mark_axis(axes, ndim, marked)) {
        return false;
    }
    int state = 0;  // 0: before the block, 1: in it, 2: behind
    for (int i = 0; i < ndim; ++i) {
        const npy_intp size = PyArray_DIM(x, i);
        if (marked[i]) {
            if (state == 2) return false;
            state = 1;
            block.reduced *= size;
            if (keepdims) block.shape[block.ndim++] = 1;
        } else {
            if (state == 1) state = 2;
            (state == 2 ? block.inner : block.outer) *= size;
            block.shape[block.ndim++] = size;
        }
    }
    if (block.inner == 1 && state == 0) return false;  // nothing to reduce: a copy, which the twin makes
    return true;
}

// The sum of one long row. Its blocks do not depend on the number of threads, nor does the result.
template <class T>
double long_row_sum(const T* x, npy_intp count) {
    constexpr npy_intp piece = 65536;
    const npy_intp pieces = (count + piece - 1) / piece;
    if (pieces <= 1) return loops<T>().row_sum(x, count);
    std::vector<double> part(static_cast<size_t>(pieces));
    double* parts = part.data();
    parallel_for(pieces, piece, [=](npy_intp begin, npy_intp end) {
        for (npy_intp i = begin; i < end; ++i)
            parts[i] = loops<T>().row_sum(x + i * piece, i + 1 < pieces ? piece : count - i * piece);
    });
    double total = 0;
    for (double one : part) total += one;
    return total;
}

template <class T>
void reduce_block(const T* x, T* out, const Block& block, bool mean) {
    const npy_intp outer = block.outer, reduced = block.reduced, inner = block.inner;
    const double divisor = mean ? static_cast<double>(reduced) : 1;
    if (inner == 1 && outer == 1) {
        *out = static_cast<T>(long_row_sum(x, reduced) / divisor);
    } else if (inner == 1) {
        parallel_for(outer, reduced, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i)
                out[i] = static_cast<T>(loops<T>().row_sum(x + i * reduced, reduced) / divisor);
        });
    } else if (outer == 1) {
        parallel_for(inner, reduced, [=](npy_intp begin, npy_intp end) {
            loops<T>().column_sum(x + begin, inner, reduced, end - begin, out + begin);
        });
    } else {
        parallel_for(outer, reduced * inner, [=](npy_intp begin, npy_intp end) {
            for (npy_intp i = begin; i < end; ++i)
                loops<T>().column_sum(x + i * reduced * inner, inner, reduced, inner, out + i * inner);
        });
    }
    if (mean && inner != 1)
        for (npy_intp i = 0; i < outer * inner; ++i) out[i] = static_cast<T>(static_cast<double>(out[i]) / divisor);
}

template <class T>
PyObject* typed(PyArrayObject* x, const Block& block, bool mean) {
    Owned result(new_array(PyArray_DESCR(x), block.ndim, block.shape));
    if (!result) return nullptr;
    const T* input = data_of<T>(x);
    T* output = data_of<T>(result.get());
    {
        ReleaseGil unlocked(PyArray_SIZE(x) >= thread_threshold);
        reduce_block(input, output, block, mean);
    }
    return result.give();
}

PyObject* compute(PyObject** slots, bool mean) {
    PyArrayObject* x = plain(slots[0]);
    bool keepdims = false;
    if (!x || !absent(slots[3]) || !as_flag(slots[2], keepdims)) return nullptr;
    PyArray_Descr* descr = PyArray_DESCR(x);
    if (descr != float_descr && descr != double_descr) return nullptr;
    Block block;
    if (!find_block(x, slots[1], keepdims, block)) return nullptr;
    return descr == float_descr ? typed<float>(x, block, mean) : typed<double>(x, block, mean);
}

const char* const names[] = {"x", "axis", "keepdims", "dtype"};

PyObject* sum(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<4>(sum_twin, names, 1, args, nargs, kwnames, [](PyObject** slots) { return compute(slots, false); });
}
PyObject* mean(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    return try_native<4>(mean_twin, names, 1, args, nargs, kwnames, [](PyObject** slots) { return compute(slots, true); });
}

PyMethodDef reduce_methods[] = {
    fast_method("sum", sum, "sum(x, axis=None, keepdims=False, dtype=None)"),
    fast_method("mean", mean, "mean(x, axis=None, keepdims=False, dtype=None)"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList reduce_list(reduce_methods);

}  // namespace
}  // namespace wengert
