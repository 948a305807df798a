// Slices written along a dimension where an index says: the cards `index_copy` and `index_fill`, and their in-place forms,
// which write everything and return None, or write nothing and answer NotImplemented.
#include "elements.hpp"

#include <vector>

namespace wengert {
namespace {

using Call = PyObject* const*;

// Where the slices lie that an index array names along an axis. Each index is loaded once and checked; what is found stays.
struct Slices {
    int axis = 0;
    std::vector<npy_intp> offsets;  // in bytes

    // False where something is unusual or wrong; `from_end`: an index may count from the end.
    bool find(PyArrayObject* target, PyObject* dim, PyObject* index, bool from_end) {
        PyArrayObject* places = aligned(index, int64_descr);
        if (!places || PyArray_NDIM(places) > 1 || !as_axis(dim, PyArray_NDIM(target), axis) || PyArray_SIZE(target) == 0) return false;
        const npy_intp count = PyArray_SIZE(places), length = PyArray_DIM(target, axis), step = PyArray_STRIDE(target, axis);
        const Size written = Size(count) * (PyArray_SIZE(target) / length);
        if (written.value_or_most() > most_elements || !lie_apart(target, places)) return false;
        const npy_intp stride = PyArray_NDIM(places) ? PyArray_STRIDE(places, 0) : 0;
        offsets.reserve(static_cast<size_t>(count));
        for (npy_intp i = 0; i < count; ++i) {
            npy_intp place = load_once(reinterpret_cast<const int64_t*>(PyArray_BYTES(places) + i * stride));
            if (place < (from_end ? -length : 0) || place >= length) return false;
            offsets.push_back((place < 0 ? place + length : place) * step);
        }
        return true;
    }

    // Writes what lies at `from`, under `strides` of the target's dimensions.
    void write(PyArrayObject* target, const char* from, const npy_intp* strides) const {
        npy_intp shape[NPY_MAXDIMS], own[NPY_MAXDIMS], its[NPY_MAXDIMS];
        int rest = 0;
        for (int i = 0; i < PyArray_NDIM(target); ++i) {
            if (i == axis) continue;
            shape[rest] = PyArray_DIM(target, i), own[rest] = PyArray_STRIDE(target, i), its[rest++] = strides[i];
        }
        char* to = PyArray_BYTES(target);
        const npy_intp bytes = PyArray_ITEMSIZE(target);
        npy_intp at = 0;
        for (const npy_intp offset : offsets) {
            walk(rest, shape, own, its, offset, at, [=](npy_intp x, npy_intp y) { copy_element(to + x, from + y, bytes); });
            at += strides[axis];
        }
    }
};

// (self, dim, index, source)
PyObject* copy_slices(Call args) {
    PyArrayObject* target = as_target(args[0]);
    PyArrayObject* source = target ? as_source(args[3], target) : nullptr;
    Slices slices;
    if (!source || PyArray_NDIM(source) != PyArray_NDIM(target) || !slices.find(target, args[1], args[2], false)) return nullptr;
    for (int i = 0; i < PyArray_NDIM(target); ++i) {
        const npy_intp wanted = i == slices.axis ? static_cast<npy_intp>(slices.offsets.size()) : PyArray_DIM(target, i);
        if (PyArray_DIM(source, i) != wanted) return nullptr;
    }
    slices.write(target, PyArray_BYTES(source), PyArray_STRIDES(source));
    Py_RETURN_NONE;
}

// (self, dim, index, value)
PyObject* fill_slices(Call args) {
    constexpr npy_intp none[NPY_MAXDIMS] = {};
    PyArrayObject* target = as_target(args[0]);
    Slices slices;
    Element element;
    if (!target || !element.read(target, args[3]) || !slices.find(target, args[1], args[2], true)) return nullptr;
    slices.write(target, element.data(), none);
    Py_RETURN_NONE;
}

// The same on a copy.
template <PyObject* (*write)(Call)>
PyObject* on_copy(Call args) {
    PyArrayObject* x = plain(args[0]);
    if (!x || !holds_numbers(x) || PyArray_SIZE(x) > most_elements) return nullptr;
    Owned result(new_copy(x));
    if (!result) return nullptr;
    PyObject* given[4] = {reinterpret_cast<PyObject*>(result.get()), args[1], args[2], args[3]};
    PyObject* written = write(given);
    if (!written) return nullptr;
    Py_DECREF(written);
    return result.give();
}

PyMethodDef slice_methods[] = {
    direct_method("direct_index_copy", direct<4, on_copy<copy_slices>>, "index_copy(self, dim, index, source), or NotImplemented"),
    direct_method("direct_index_copy_", direct<4, copy_slices>, "index_copy_(self, dim, index, source): None, or NotImplemented"),
    direct_method("direct_index_fill", direct<4, on_copy<fill_slices>>, "index_fill(self, dim, index, value), or NotImplemented"),
    direct_method("direct_index_fill_", direct<4, fill_slices>, "index_fill_(self, dim, index, value): None, or NotImplemented"),
    {nullptr, nullptr, 0, nullptr},
};
MethodList slice_list(slice_methods);

}  // namespace
}  // namespace wengert
