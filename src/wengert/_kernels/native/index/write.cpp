// Slices written along a dimension where an index says: the cards `index_copy`, `index_fill` and `put`, and their
// in-place forms, which write everything and return None, or write nothing and answer NotImplemented.
#include "index/blocks.hpp"
#include "binding/memory_order.hpp"

namespace wengert {
namespace {

using Call = PyObject* const*;

// The slices that an index array gives along an axis. Each index is loaded once and checked; later changes have no
// effect.
struct Slices {
    int axis = 0;
    bool many = false;              // elements are written
    std::vector<npy_intp> offsets;  // in bytes

    // False where something is unusual or wrong; `from_end`: an index may count from the end.
    bool find(PyArrayObject* target, PyObject* dim, PyObject* index, bool from_end) {
        PyArrayObject* positions = aligned(index, int64_descr);
        if (!positions || PyArray_NDIM(positions) > 1 || !as_axis(dim, PyArray_NDIM(target), axis) ||
            PyArray_SIZE(target) == 0)
            return false;
        const npy_intp count = PyArray_SIZE(positions), length = PyArray_DIM(target, axis),
                       step = PyArray_STRIDE(target, axis);
        many = (Size(count) * (PyArray_SIZE(target) / length)).value_or_most() > most_elements;
        if (!are_disjoint(target, positions)) return false;
        const npy_intp stride = PyArray_NDIM(positions) ? PyArray_STRIDE(positions, 0) : 0;
        offsets.reserve(static_cast<size_t>(count));
        for (npy_intp i = 0; i < count; ++i) {
            const int64_t position = load_once(reinterpret_cast<const int64_t*>(PyArray_BYTES(positions) + i * stride));
            if (position < (from_end ? -length : 0) || position >= length) return false;
            offsets.push_back(static_cast<npy_intp>(position < 0 ? position + length : position) * step);
        }
        return true;
    }

    // Writes the elements at `from`, which have `strides` along the dimensions of the target. Contiguous elements, or
    // one repeated element, are written at once. False, with nothing written, for many elements of other strides.
    bool write(PyArrayObject* target, const char* from, const npy_intp* strides) const {
        if (many) return write_many(target, from, strides);
        npy_intp shape[NPY_MAXDIMS], target_strides[NPY_MAXDIMS], value_strides[NPY_MAXDIMS];
        int rest = 0;
        for (int i = 0; i < PyArray_NDIM(target); ++i) {
            if (i == axis) continue;
            shape[rest] = PyArray_DIM(target, i), target_strides[rest] = PyArray_STRIDE(target, i),
            value_strides[rest++] = strides[i];
        }
        char* to = PyArray_BYTES(target);
        const npy_intp bytes = PyArray_ITEMSIZE(target);
        const bool same = rest > 0 && value_strides[rest - 1] == 0;
        npy_intp run = 1, at = 0;
        while (rest > 0 && target_strides[rest - 1] == run * bytes &&
               value_strides[rest - 1] == (same ? 0 : run * bytes))
            run *= shape[--rest];
        for (const npy_intp offset : offsets) {
            walk(rest, shape, target_strides, value_strides, offset, at, [=](npy_intp x, npy_intp y) {
                if (run == 1)
                    copy_element(to + x, from + y, bytes);
                else if (same)
                    fill_run(to + x, from + y, bytes, run);
                else
                    std::memcpy(to + x, from + y, static_cast<size_t>(run * bytes));
            });
            at += strides[axis];
        }
        return true;
    }
    bool write_many(PyArrayObject* target, const char* from, const npy_intp* strides) const {
        npy_intp shape[NPY_MAXDIMS];
        std::copy_n(PyArray_DIMS(target), PyArray_NDIM(target), shape);
        shape[axis] = static_cast<npy_intp>(offsets.size());
        return Blocks{axis, 1, PyArray_NDIM(target), shape, strides, from}.write(target, offsets);
    }
};

// (self, dim, index, source)
PyObject* copy_slices(Call args) {
    PyArrayObject* target = as_target(args[0]);
    PyArrayObject* source = target ? as_source(args[3], target) : nullptr;
    Slices slices;
    if (!source || PyArray_NDIM(source) != PyArray_NDIM(target) || !slices.find(target, args[1], args[2], false))
        return nullptr;
    for (int i = 0; i < PyArray_NDIM(target); ++i) {
        const npy_intp wanted =
            i == slices.axis ? static_cast<npy_intp>(slices.offsets.size()) : PyArray_DIM(target, i);
        if (PyArray_DIM(source, i) != wanted) return nullptr;
    }
    return slices.write(target, PyArray_BYTES(source), PyArray_STRIDES(source)) ? Py_NewRef(Py_None) : nullptr;
}

// (self, dim, index, value)
PyObject* fill_slices(Call args) {
    constexpr npy_intp none[NPY_MAXDIMS] = {};
    PyArrayObject* target = as_target(args[0]);
    Slices slices;
    Element element;
    if (!target || !element.read(target, args[3]) || !slices.find(target, args[1], args[2], true)) return nullptr;
    return slices.write(target, element.data(), none) ? Py_NewRef(Py_None) : nullptr;
}

// (self, index, source, accumulate): elements at places counted in row-major order, not added
PyObject* put_positions(Call args) {
    PyArrayObject *target = as_target(args[0]), *x = target ? plain(args[0]) : nullptr;
    PyArrayObject *positions = x ? plain(args[1], int64_descr) : nullptr,
                  *source = positions ? plain(args[2], PyArray_DESCR(x)) : nullptr;
    if (!source || args[3] != Py_False || PyArray_SIZE(positions) != PyArray_SIZE(source)) return nullptr;
    const npy_intp count = PyArray_SIZE(positions), length = PyArray_SIZE(x), bytes = PyArray_ITEMSIZE(x);
    if (!are_disjoint(target, positions) || !are_disjoint(target, source)) return nullptr;
    std::vector<npy_intp> checked(static_cast<size_t>(count));
    const int64_t* index_data = data_of<int64_t>(positions);
    for (npy_intp i = 0; i < count; ++i) {
        const int64_t position = load_once(index_data + i);
        if (position < -length || position >= length) return nullptr;
        checked[static_cast<size_t>(i)] = static_cast<npy_intp>(position < 0 ? position + length : position) * bytes;
    }
    return Blocks{0, 1, 1, &count, &bytes, PyArray_BYTES(source)}.write(target, checked) ? Py_NewRef(Py_None) : nullptr;
}

// The same on a copy.
template <PyObject* (*write)(Call)> PyObject* on_copy(Call args) {
    PyArrayObject* x = plain(args[0]);
    if (!x || !holds_numbers(x)) return nullptr;
    Owned result(new_copy(x));
    if (!result) return nullptr;
    PyObject* replaced_args[4] = {reinterpret_cast<PyObject*>(result.get()), args[1], args[2], args[3]};
    PyObject* written = write(replaced_args);
    if (!written) return nullptr;
    Py_DECREF(written);
    return result.give();
}

Methods slice_methods({
    WENGERT_ENTRY(index_copy, "(self, dim, index, source)",
                  on_contiguous<direct<4, on_copy<copy_slices>>, few_with_gaps>),
    WENGERT_ENTRY(index_copy_, "(self, dim, index, source): None", direct<4, copy_slices>),
    WENGERT_ENTRY(index_fill, "(self, dim, index, value)",
                  on_contiguous<direct<4, on_copy<fill_slices>>, few_with_gaps>),
    WENGERT_ENTRY(index_fill_, "(self, dim, index, value): None", direct<4, fill_slices>),
    WENGERT_ENTRY(put, "(self, index, source, accumulate)",
                  on_contiguous<direct<4, on_copy<put_positions>>, few_with_gaps>),
    WENGERT_ENTRY(put_, "(self, index, source, accumulate): None", direct<4, put_positions>),
});

}  // namespace
}  // namespace wengert
