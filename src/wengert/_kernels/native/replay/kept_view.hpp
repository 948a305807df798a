// The array of a view, kept from run to run: only its data pointer and its base are set again.
//
// Between runs it has no base, so that it keeps no memory alive, and memory below it can be offered as a spare array.
#pragma once

#include <memory>

#include "replay/repeated.hpp"

namespace wengert {

class KeptView {
public:
    KeptView() = default;
    KeptView(const KeptView&) = delete;
    KeptView& operator=(const KeptView&) = delete;
    KeptView(KeptView&& other) noexcept
        : view_(other.view_), offset_(other.offset_), flags_(other.flags_), outside_(std::move(other.outside_)) {
        other.view_ = nullptr;
    }
    KeptView& operator=(KeptView&&) = delete;
    ~KeptView() { Py_XDECREF(view_); }

    // The array as a view of `source`, borrowed; null if somebody else refers to it, or `source` has another layout.
    PyObject* of(PyObject* source, PyObject* layout) {
        if (!view_ || !is_free(object()) || !PyArray_CheckExact(source)) return nullptr;
        PyArrayObject* array = as_array(source);
        if ((PyArray_FLAGS(array) & compared_flags) != flags_ || (outside_ && !outside_->has_layout_of(array)))
            return nullptr;
        if (!has_layout(object(), layout)) return nullptr;
        auto* fields = reinterpret_cast<PyArrayObject_fields*>(view_);
        fields->data = PyArray_BYTES(array) + offset_;
        Py_XSETREF(fields->base, Py_NewRef(owner_of(array)));
        return object();
    }
    // Keeps `view`, to which only a register refers, if it is a view of the memory of `source`.
    void keep(PyObject* view, PyObject* source, bool is_outside) {
        if (!PyArray_CheckExact(view) || !PyArray_CheckExact(source) || view == source || !is_free(view)) return;
        PyArrayObject *array = as_array(view), *from = as_array(source);
        if (PyArray_NDIM(from) > Memory::most_dims || !writeable(from) || !descr_of_number(from)) return;
        if (!PyArray_BASE(array) || owner_of(array) != owner_of(from) || (PyArray_FLAGS(array) & unusual_flags) != 0)
            return;
        outside_.reset(is_outside ? new Memory(from) : nullptr);
        offset_ = PyArray_BYTES(array) - PyArray_BYTES(from);
        flags_ = PyArray_FLAGS(from) & compared_flags;
        Py_INCREF(array);
        Py_XSETREF(view_, array);
    }
    // Lets go of the memory, after the register was emptied; of the array, if somebody else has it.
    void rest() {
        if (!view_) return;
        if (is_unique(object()))
            Py_CLEAR(reinterpret_cast<PyArrayObject_fields*>(view_)->base);
        else
            Py_CLEAR(view_);
    }

private:
    static constexpr int compared_flags = NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE,
                         unusual_flags = NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEBACKIFCOPY;

    PyObject* object() const { return reinterpret_cast<PyObject*>(view_); }
    // The array that owns the memory, which NumPy makes the base of a view.
    static PyObject* owner_of(PyArrayObject* array) {
        while (PyArray_BASE(array) && PyArray_CheckExact(PyArray_BASE(array))) array = as_array(PyArray_BASE(array));
        return reinterpret_cast<PyObject*>(array);
    }

    PyArrayObject* view_ = nullptr;
    npy_intp offset_ = 0;
    int flags_ = 0;
    std::unique_ptr<Memory> outside_;  // the layout of a register that the list does not fill itself
};

}  // namespace wengert
