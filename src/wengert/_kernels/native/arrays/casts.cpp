// Copies of arrays in another dtype.
#include "binding/halves.hpp"
#include "binding/promoted.hpp"
#include "arrays/views.hpp"

#include <complex>
#include <limits>
#include <type_traits>

namespace wengert {
namespace {

// Conversions of floating-point numbers to integers are checked element by element; for more elements NumPy's unchecked
// loops are no slower.
constexpr npy_intp most_checked = 1024;

template <class Body> bool with_type(int type, const Body& body) {
    switch (type) {
        case NPY_FLOAT: return body(float{});
        case NPY_DOUBLE: return body(double{});
        case NPY_BOOL: return body(bool{});
        case NPY_UINT8: return body(uint8_t{});
        case NPY_INT8: return body(int8_t{});
        case NPY_INT16: return body(int16_t{});
        case NPY_INT32: return body(int32_t{});
        case NPY_INT64: return body(int64_t{});
        case NPY_CFLOAT: return body(std::complex<float>{});
        case NPY_CDOUBLE: return body(std::complex<double>{});
    }
    return false;
}

template <class T> constexpr bool is_complex_type = false;
template <class T> constexpr bool is_complex_type<std::complex<T>> = true;

// Whether a floating-point number, its fraction cut off, is one of the integers of a type.
template <class To, class From> bool fits(From value) {
    constexpr From most =
        static_cast<From>(uint64_t{1} << (std::numeric_limits<To>::digits - 1)) * 2;  // one more than the largest
    return value < most && (std::is_unsigned_v<To> ? value > -1 : value >= -most);
}

// False where the resulting integer depends on the processor.
template <class To, class From> bool cast(const From* from, To* to, npy_intp count) {
    if constexpr (is_complex_type<From> && !is_complex_type<To>) {
        return false;  // of which the bodies warn
    } else if constexpr (std::is_same_v<From, bool>) {
        return cast(reinterpret_cast<const uint8_t*>(from), to, count);  // whatever else than 0 and 1 the memory holds
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && !std::is_same_v<To, bool>) {
        if (count > most_checked) return false;
        for (npy_intp at = 0; at < count; ++at) {
            const From value = from[at];
            if (!fits<To>(value)) return false;
            to[at] = static_cast<To>(value);
        }
        return true;
    } else {
        parallel_for(count, 1, [=](index_t begin, index_t end) {
            for (index_t at = begin; at < end; ++at) {
                if constexpr (std::is_same_v<To, bool>)
                    to[at] = from[at] != From{0};
                else
                    to[at] = static_cast<To>(from[at]);
            }
        });
        return true;
    }
}

// _to_copy(self, dtype, memory_format): of an array in row-major order, to another dtype of ours.
PyObject* to_copy(PyObject* const* args) {
    static PyObject* const descr_name = PyUnicode_InternFromString("numpy");
    PyArrayObject* x = args[2] == Py_None && args[1] != Py_None ? plain(args[0]) : nullptr;
    if (!descr_name || !x || !is_row_major(x)) return nullptr;
    PyObject* attribute = PyObject_GetAttr(args[1], descr_name);
    if (!attribute) return nullptr;
    auto* descr = reinterpret_cast<PyArray_Descr*>(attribute);
    PyObject* half = PyArray_DescrCheck(attribute) ? half_converted(x, descr) : nullptr;
    if (half || PyErr_Occurred()) {
        Py_DECREF(attribute);
        return half;
    }
    const bool known = PyArray_DescrCheck(attribute) && PyArray_ISNBO(descr->byteorder) && PyArray_ISNOTSWAPPED(x) &&
                       descr->type_num != PyArray_TYPE(x);
    PyArrayObject* result = known ? converted(x, descr) : nullptr;
    Py_DECREF(attribute);
    return reinterpret_cast<PyObject*>(result);
}

Methods cast_methods({
    direct_method("direct_to_copy", in_operand_order<direct<3, to_copy>>,
                  "_to_copy(self, dtype, memory_format), or NotImplemented"),
});

}  // namespace

PyArrayObject* converted(PyArrayObject* x, PyArray_Descr* descr) {
    Owned result(new_array(descr, PyArray_NDIM(x), PyArray_DIMS(x)));
    if (!result) return nullptr;
    const npy_intp count = PyArray_SIZE(x);
    bool done;
    {
        ReleaseGil unlocked(count >= thread_threshold);
        done = with_type(PyArray_TYPE(x), [&](auto from) {
            return with_type(PyArray_TYPE(result.get()), [&](auto to) {
                return cast(data_of<decltype(from)>(x), data_of<decltype(to)>(result.get()), count);
            });
        });
    }
    return done ? result.take() : nullptr;
}
}  // namespace wengert
