// The array of a view, kept from run to run: only its data pointer and its base are set again.
//
// Between runs it has no base, so that it keeps no memory alive, and memory below it can be offered as a spare array.
#pragma once

#include <memory>

#include "replay/repeated.hpp"

namespace wengert {

// The array that owns the memory of an array, which NumPy makes the base of a view.
inline PyObject* owner_of(PyArrayObject* array) {
    while (PyArray_BASE(array) && PyArray_CheckExact(PyArray_BASE(array))) array = as_array(PyArray_BASE(array));
    return reinterpret_cast<PyObject*>(array);
}
// Whether a view, kept until the next run, would keep much memory alive after the program has dropped it.
inline bool is_on_large_memory(PyObject* view) {
    return PyArray_CheckExact(view) && PyArray_NBYTES(as_array(owner_of(as_array(view)))) >= 1 << 16;
}

class KeptView {
public:
    // The array as a view of `source`, borrowed; null if somebody else refers to it, or `source` has another layout.
    PyObject* of(PyObject* source, PyObject* layout) {
        Object& kept = views_[views_[0].get() && is_free(views_[0].get()) ? 0 : 1];
        const bool is_kept = &kept == views_ || (kept.get() && is_free(kept.get()));
        if (!is_kept || !PyArray_CheckExact(source)) return nullptr;
        PyArrayObject* array = as_array(source);
        if ((PyArray_FLAGS(array) & compared_flags) != flags_ || (outside_ && !outside_->has_layout_of(array)))
            return nullptr;
        if (!has_layout(kept.get(), layout)) return nullptr;
        auto* fields = reinterpret_cast<PyArrayObject_fields*>(kept.get());
        fields->data = PyArray_BYTES(array) + offset_;
        Py_XSETREF(fields->base, Py_NewRef(owner_of(array)));
        return kept.get();
    }
    // Keeps `view`, to which only a register refers, if it is a view of the memory of `source`. `is_outside`: the list
    // does not fill the register of `source` itself.
    void keep(PyObject* view, PyObject* source, bool is_outside) {
        if (!PyArray_CheckExact(view) || !PyArray_CheckExact(source) || view == source || !is_free(view)) return;
        PyArrayObject *array = as_array(view), *from = as_array(source);
        if (PyArray_NDIM(from) > Memory::most_dims || !writeable(from) || !descr_of_number(from)) return;
        if (!PyArray_BASE(array) || owner_of(array) != owner_of(from) || (PyArray_FLAGS(array) & unusual_flags) != 0)
            return;
        const npy_intp offset = PyArray_BYTES(array) - PyArray_BYTES(from);
        const int flags = PyArray_FLAGS(from) & compared_flags;
        if (offset != offset_ || flags != flags_ || (outside_ && !outside_->has_layout_of(from))) forget();
        offset_ = offset, flags_ = flags;
        outside_.reset(is_outside ? new Memory(from) : nullptr);
        views_[views_[0].get() ? 1 : 0] = Object(view);
    }
    // Lets go of the memory, after the register was emptied.
    void rest() {
        for (Object& kept : views_)
            if (kept.get() && is_unique(kept.get()))
                Py_CLEAR(reinterpret_cast<PyArrayObject_fields*>(kept.get())->base);
    }
    // The same, and lets go of an array that somebody else has.
    void end() {
        for (Object& kept : views_) {
            if (!kept.get()) continue;
            if (is_unique(kept.get()))
                Py_CLEAR(reinterpret_cast<PyArrayObject_fields*>(kept.get())->base);
            else
                kept = Object();
        }
    }

private:
    static constexpr int compared_flags = NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE,
                         unusual_flags = NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEBACKIFCOPY;

    void forget() {
        for (Object& kept : views_) kept = Object();
    }

    Object views_[2];  // the second one is used while the program keeps the first one
    npy_intp offset_ = 0;
    int flags_ = 0;
    std::unique_ptr<Memory> outside_;  // the layout of a register that the list does not fill itself
};

}  // namespace wengert
