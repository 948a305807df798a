// Factories of matrices: ones on a diagonal, and the indices of triangles. The first argument is the default dtype.
#include "binding/lengths.hpp"

#include <algorithm>

namespace wengert {
namespace {

using Call = PyObject* const*;

// eye(default, n), eye(default, n, m)
PyObject* eye(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        auto* descr = reinterpret_cast<PyArray_Descr*>(nargs == 2 || nargs == 3 ? args[0] : nullptr);
        npy_intp shape[NPY_MAXDIMS];
        if (!is_real(descr) || (nargs == 3 && args[2] == Py_None)) return nullptr;
        PyObject* lengths[] = {args[1], args[nargs - 1]};
        if (!PyLong_CheckExact(args[1]) || read_lengths(lengths, 2, descr, shape) != 2) return nullptr;
        Owned result(new_zeros(descr, 2, shape));
        for (npy_intp at = 0; result && at < std::min(shape[0], shape[1]); ++at) {
            if (descr == float_descr)
                data_of<float>(result.get())[at * (shape[1] + 1)] = 1;
            else
                data_of<double>(result.get())[at * (shape[1] + 1)] = 1;
        }
        return result.give();
    });
}

// tril_indices(default, row, col), tril_indices(default, row, col, offset) and triu_indices: rows, then columns, row
// after row
template <bool lower> PyObject* triangle(PyObject*, Call args, Py_ssize_t nargs) {
    return answer([=]() -> PyObject* {
        npy_intp lengths[2], offset = 0;
        if (nargs != 3 && nargs != 4) return nullptr;
        if (read_lengths(args + 1, 2, int64_descr, lengths) != 2 || (nargs == 4 && !as_index(args[3], offset)))
            return nullptr;
        const npy_intp rows = lengths[0], columns = lengths[1];
        offset = std::clamp(offset, -rows - 1, columns + 1);  // beyond, a triangle has nothing, or all
        const auto first = [=](npy_intp row) { return lower ? 0 : std::clamp<npy_intp>(row + offset, 0, columns); };
        const auto last = [=](npy_intp row) {
            return lower ? std::clamp<npy_intp>(row + offset + 1, 0, columns) : columns;
        };
        npy_intp shape[] = {2, 0};
        for (npy_intp row = 0; row < rows; ++row) shape[1] += last(row) - first(row);
        Owned result(new_array(int64_descr, 2, shape));
        if (!result) return nullptr;
        int64_t *row_of = data_of<int64_t>(result.get()), *column_of = row_of + shape[1];
        for (npy_intp row = 0; row < rows; ++row)
            for (npy_intp column = first(row); column < last(row); ++column) *row_of++ = row, *column_of++ = column;
        return result.give();
    });
}

Methods matrix_methods({
    WENGERT_ENTRY(eye, "(default, n, m?)", eye),
    WENGERT_ENTRY(tril_indices, "(default, row, col, offset?)", triangle<true>),
    WENGERT_ENTRY(triu_indices, "(default, row, col, offset?)", triangle<false>),
});

}  // namespace
}  // namespace wengert
