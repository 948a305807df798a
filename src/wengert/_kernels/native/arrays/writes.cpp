// The in-place forms copy_, fill_, zero_ and masked_fill_: functions that write into their first argument and return
// None, or write nothing and answer NotImplemented.
#include "binding/broadcast.hpp"
#include "binding/elements.hpp"
#include "index/masks.hpp"
#include "binding/moves.hpp"

#include <algorithm>

namespace wengert {
namespace {

PyObject* written() { Py_RETURN_NONE; }

// Fills dense memory with many elements; false for sizes that it does not know.
template <class T> bool repeat(const char* element, char* data, npy_intp count) {
    T value;
    std::memcpy(&value, element, sizeof value);
    T* out = reinterpret_cast<T*>(data);
    ReleaseGil unlocked(count >= thread_threshold);
    parallel_for(count, 1, [=](npy_intp begin, npy_intp end) { loops<T>().fill(value, out + begin, end - begin); });
    return true;
}
bool fill_dense(PyArrayObject* target, const char* element) {
    char* data = PyArray_BYTES(target);
    const npy_intp bytes = PyArray_ITEMSIZE(target), size = PyArray_NBYTES(target);
    if (std::all_of(element, element + bytes, [=](char byte) { return byte == *element; })) {
        const int byte = *element;
        ReleaseGil unlocked(size >= 8 * thread_threshold);
        parallel_for(size, 1, [=](npy_intp begin, npy_intp end) {
            std::memset(data + begin, byte, static_cast<size_t>(end - begin));
        });
        return true;
    }
    if (!(PyArray_FLAGS(target) & NPY_ARRAY_ALIGNED)) return false;
    if (bytes == sizeof(float)) return repeat<float>(element, data, PyArray_SIZE(target));
    return bytes == sizeof(double) && repeat<double>(element, data, PyArray_SIZE(target));
}

PyObject* fill_with(PyObject* object, PyObject* value) {
    constexpr npy_intp none[NPY_MAXDIMS] = {};
    PyArrayObject* target = as_target(object);
    Element element;
    if (!target || !element.read(target, value)) return nullptr;
    const npy_intp size = PyArray_SIZE(target), bytes = PyArray_ITEMSIZE(target);
    char* data = PyArray_BYTES(target);
    if (size > most_elements && is_contiguous(target)) return fill_dense(target, element.data()) ? written() : nullptr;
    if (is_contiguous(target))
        move_elements(1, &size, data, &bytes, element.data(), none, bytes);
    else
        move_elements(PyArray_NDIM(target), PyArray_DIMS(target), data, PyArray_STRIDES(target), element.data(), none,
                      bytes);
    return written();
}
// fill_(self, value)
PyObject* fill(PyObject* const* args) { return fill_with(args[0], args[1]); }
// zero_(self)
PyObject* zero(PyObject* const* args) { return fill_with(args[0], nullptr); }

void copy_bytes(char* to, const char* from, npy_intp count) {
    ReleaseGil unlocked(count >= 8 * thread_threshold);
    parallel_for(count, 1, [=](npy_intp begin, npy_intp end) {
        std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
    });
}
// copy_(self, src, non_blocking)
PyObject* copy(PyObject* const* args) {
    PyArrayObject* target = as_target(args[0]);
    PyArrayObject* source = target ? as_source(args[1], target) : nullptr;
    if (!source) return nullptr;
    char* to = PyArray_BYTES(target);
    const char* from = PyArray_BYTES(source);
    if (same_shape(target, source) && is_contiguous(target) && is_contiguous(source)) {
        copy_bytes(to, from, PyArray_NBYTES(target));
        return written();
    }
    npy_intp strides[NPY_MAXDIMS];
    const int ndim = PyArray_NDIM(target);
    if (!stretch(source, ndim, PyArray_DIMS(target), strides)) return nullptr;
    move_elements(ndim, PyArray_DIMS(target), to, PyArray_STRIDES(target), from, strides, PyArray_ITEMSIZE(target));
    return written();
}

Twin copy_into_twin("copy_into");
// copy_into(target, source)
PyObject* copy_into(PyObject*, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
    static const char* const names[] = {"target", "source", nullptr};
    return try_native<2>(copy_into_twin, names, 2, args, nargs, kwnames, [](PyObject** slots) { return copy(slots); });
}

// Many elements in rows, all of them read and written.
PyObject* fill_many(PyArrayObject* target, PyArrayObject* mask, const char* element) {
    Operand operands[2];
    operands[0].array = target, operands[1].array = mask;
    Broadcast<2> shape;
    if (!is_contiguous(mask) || !is_contiguous(target) || !PyArray_ISALIGNED(target) || !shape.find(operands) ||
        !shape.is_like(target))
        return nullptr;
    if (!are_disjoint(mask, target)) return nullptr;
    return with_element(target, [=, &shape](auto zero) -> PyObject* {
        using T = decltype(zero);
        T value, *values = data_of<T>(target);
        std::memcpy(&value, element, sizeof value);
        const npy_bool* held = data_of<npy_bool>(mask);
        {
            ReleaseGil unlocked(true);
            shape.run(1, [=, &shape](npy_intp to, const npy_intp* from, npy_intp count) {
                if (shape.inner(1))
                    fill_held(values + to, held + from[1], count, value);
                else if (held[from[1]])
                    std::fill_n(values + to, count, value);
            });
        }
        return written();
    });
}
// masked_fill_(self, mask, value)
PyObject* masked_fill(PyObject* const* args) {
    PyArrayObject *target = as_target(args[0]), *mask = aligned(args[1], bool_descr);
    npy_intp strides[NPY_MAXDIMS];
    Element element;
    if (!target || !mask || !element.read(target, args[2])) return nullptr;
    if (PyArray_SIZE(target) > most_elements) return fill_many(target, mask, element.data());
    if (!stretch(mask, PyArray_NDIM(target), PyArray_DIMS(target), strides) || !are_disjoint(mask, target))
        return nullptr;
    const npy_intp bytes = PyArray_ITEMSIZE(target);
    char* to = PyArray_BYTES(target);
    const char* holds = PyArray_BYTES(mask);
    walk(PyArray_NDIM(target), PyArray_DIMS(target), PyArray_STRIDES(target), strides, 0, 0,
         [=, &element](npy_intp x, npy_intp y) {
             if (holds[y]) copy_element(to + x, element.data(), bytes);
         });
    return written();
}

Methods write_methods({
    WENGERT_FUNCTION(copy_into, "(target, source)", copy_into),
    WENGERT_ENTRY(copy_, "(self, src, non_blocking): None", direct<3, copy>),
    WENGERT_ENTRY(fill_, "(self, value): None", direct<2, fill>),
    WENGERT_ENTRY(zero_, "(self): None", direct<1, zero>),
    WENGERT_ENTRY(masked_fill_, "(self, mask, value): None", direct<3, masked_fill>),
});

}  // namespace
}  // namespace wengert
