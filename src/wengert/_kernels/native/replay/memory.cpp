// The memory that the calls of a list keep from one run to the next.
#include "replay/calls.hpp"

namespace wengert {
namespace {

// kept_bytes(calls): bytes of the spare arrays
PyObject* kept_bytes(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
    if (nargs != 1) {
        PyErr_Format(PyExc_TypeError, "kept_bytes: expected the calls of a list, got %zd arguments", nargs);
        return nullptr;
    }
    const auto* calls = static_cast<const Calls*>(PyCapsule_GetPointer(args[0], capsule_name));
    if (!calls) return nullptr;
    npy_intp bytes = 0;
    for (const Spare& spare : calls->spares)
        for (const Object& kept : spare.arrays)
            if (kept.get()) bytes += PyArray_NBYTES(as_array(kept.get()));
    return PyLong_FromSsize_t(bytes);
}

Methods memory_methods({
    direct_method("kept_bytes", kept_bytes, "kept_bytes(calls): bytes of the arrays that the calls keep for results"),
});

}  // namespace
}  // namespace wengert
