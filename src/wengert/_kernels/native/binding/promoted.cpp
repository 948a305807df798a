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
int promoted_type(int one, int other) {
    if (one == NPY_DOUBLE || other == NPY_DOUBLE)
        if (one == NPY_CFLOAT || other == NPY_CFLOAT) return NPY_CDOUBLE;
    if (kind_of(one) != kind_of(other)) return kind_of(one) > kind_of(other) ? one : other;
    if (one == other) return one;
    if (kind_of(one) == COMPLEX) return NPY_CDOUBLE;
    const auto size = [](int type) {
        return type == NPY_UINT8 || type == NPY_INT8    ? 1
               : type == NPY_INT16                      ? 2
               : type == NPY_INT32 || type == NPY_FLOAT ? 4
                                                        : 8;
    };
    if (size(one) == size(other)) return NPY_INT16;  // an unsigned one and a signed one
    return size(one) > size(other) ? one : other;
}

}  // namespace

PyArray_Descr* common_descr(PyArrayObject* a, PyArrayObject* b) {
    const int one = PyArray_TYPE(a), other = PyArray_TYPE(b);
    if (kind_of(one) == OTHER || kind_of(other) == OTHER || !PyArray_ISNOTSWAPPED(a) || !PyArray_ISNOTSWAPPED(b))
        return nullptr;
    const bool complex = kind_of(one) == COMPLEX || kind_of(other) == COMPLEX;
    if (complex && (PyArray_SIZE(a) > few_complex || PyArray_SIZE(b) > few_complex)) return nullptr;
    const bool alike = (PyArray_NDIM(a) == 0) == (PyArray_NDIM(b) == 0);
    const int whole = PyArray_NDIM(a) ? one : other, single = PyArray_NDIM(a) ? other : one;
    const int common = alike || kind_of(single) > kind_of(whole) ? promoted_type(one, other) : whole;
    return common == one ? PyArray_DESCR(a) : common == other ? PyArray_DESCR(b) : nullptr;
}

}  // namespace wengert
