// The dtype of a result of two dtypes: torch's rules, as in `_core/types/dtypes.py`.
#include "binding/promoted.hpp"

namespace wengert {
namespace {

constexpr npy_intp few_complex = 4096;  // of more, of which few functions know, the bodies make copies themselves

enum Kind { TRUTH, WHOLE, REAL, COMPLEX, OTHER };

Kind kind_of(int type) {
    switch (type) {
        case NPY_BOOL: return TRUTH;
        case NPY_UINT8:
        case NPY_INT8:
        case NPY_INT16:
        case NPY_INT32:
        case NPY_INT64: return WHOLE;
        case NPY_FLOAT:
        case NPY_DOUBLE: return REAL;
        case NPY_CFLOAT:
        case NPY_CDOUBLE: return COMPLEX;
        default: return OTHER;
    }
}

// Of two types in the machine's byte order that are known.
int promoted_type(int first, int second) {
    if (first == NPY_DOUBLE || second == NPY_DOUBLE)
        if (first == NPY_CFLOAT || second == NPY_CFLOAT) return NPY_CDOUBLE;
    if (kind_of(first) != kind_of(second)) return kind_of(first) > kind_of(second) ? first : second;
    if (first == second) return first;
    if (kind_of(first) == COMPLEX) return NPY_CDOUBLE;
    const auto size = [](int type) {
        if (type == NPY_UINT8 || type == NPY_INT8) return 1;
        if (type == NPY_INT16) return 2;
        return type == NPY_INT32 || type == NPY_FLOAT ? 4 : 8;
    };
    if (size(first) == size(second)) return NPY_INT16;  // an unsigned one and a signed one
    return size(first) > size(second) ? first : second;
}

}  // namespace

PyArray_Descr* common_descr(PyArrayObject* a, PyArrayObject* b) {
    const int first = PyArray_TYPE(a), second = PyArray_TYPE(b);
    if (kind_of(first) == OTHER || kind_of(second) == OTHER || !PyArray_ISNOTSWAPPED(a) || !PyArray_ISNOTSWAPPED(b))
        return nullptr;
    const bool complex = kind_of(first) == COMPLEX || kind_of(second) == COMPLEX;
    if (complex && (PyArray_SIZE(a) > few_complex || PyArray_SIZE(b) > few_complex)) return nullptr;
    const bool same_kind = (PyArray_NDIM(a) == 0) == (PyArray_NDIM(b) == 0);
    const int of_array = PyArray_NDIM(a) ? first : second, of_number = PyArray_NDIM(a) ? second : first;
    const int common = same_kind || kind_of(of_number) > kind_of(of_array) ? promoted_type(first, second) : of_array;
    if (common == first) return PyArray_DESCR(a);
    return common == second ? PyArray_DESCR(b) : nullptr;
}

}  // namespace wengert
