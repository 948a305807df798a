// Lengths of new arrays as factories are given them.
#pragma once

#include "binding/common.hpp"

namespace wengert {

// Beyond, errors are for the bodies to word.
constexpr npy_intp most_bytes = static_cast<npy_intp>(std::min<int64_t>(int64_t(1) << 32, NPY_MAX_INTP - 1));

// Lengths one by one or as one sequence; how many, or -1 for what is unusual or too large.
inline int read_lengths(PyObject* const* lengths, Py_ssize_t count, PyArray_Descr* descr, npy_intp* shape) {
    if (count == 1 && (PyTuple_Check(lengths[0]) || PyList_CheckExact(lengths[0]))) {
        count = PySequence_Fast_GET_SIZE(lengths[0]);
        lengths = PySequence_Fast_ITEMS(lengths[0]);
    } else if (count == 0) {
        return -1;
    }
    if (count > NPY_MAXDIMS) return -1;
    Size bytes = PyDataType_ELSIZE(descr);
    for (Py_ssize_t at = 0; at < count; ++at) {
        if (!as_index(lengths[at], shape[at]) || shape[at] < 0) return -1;
        bytes = bytes * (shape[at] ? shape[at] : 1);
    }
    return bytes.value_or_most() > most_bytes ? -1 : static_cast<int>(count);
}

inline bool is_real(PyArray_Descr* descr) { return descr == float_descr || descr == double_descr; }

}  // namespace wengert
