// NumPy's memory for arrays made by kernels: large arrays lie in blocks of the reserve (base/reserve.hpp), small ones
// where NumPy puts them. The handler is set only in the contexts that kernels run in, so arrays that a program makes
// itself are none of ours.
#include "binding/direct.hpp"
#include "base/memory_limits.hpp"
#include "base/reserve.hpp"

#include <cstdlib>
#include <cstring>

namespace wengert {
namespace {

PyDataMemAllocator numpy_allocator;  // NumPy's own allocator
PyObject* handler = nullptr;

void* allocate(void*, size_t size) {
    if (size < least_kept) return numpy_allocator.malloc(numpy_allocator.ctx, size);
    return take_block(size, false);
}
void* allocate_zeroed(void*, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
    if (bytes < least_kept) return numpy_allocator.calloc(numpy_allocator.ctx, count, size);
    return take_block(bytes, true);
}
void release(void*, void* address, size_t size) {
    if (!address || !may_be_block(address) || !put_block(address))
        numpy_allocator.free(numpy_allocator.ctx, address, size);
}
void* reallocate(void*, void* address, size_t size) {
    const size_t room = address && may_be_block(address) ? room_at(address) : 0;
    if (room == 0) return numpy_allocator.realloc(numpy_allocator.ctx, address, size);
    if (size <= room && size >= room / 2) return address;
    void* moved = size < least_kept ? numpy_allocator.malloc(numpy_allocator.ctx, size) : take_block(size, false);
    if (!moved) return nullptr;
    std::memcpy(moved, address, size < room ? size : room);
    put_block(address);
    return moved;
}

PyDataMem_Handler reserve_handler = {"wengert_reserve", 1, {nullptr, allocate, allocate_zeroed, reallocate, release}};

// False with an error. Where nothing may be kept there is none, and NumPy's own is used.
bool find_handler() {
    if (handler || !keeps_memory()) return true;
    auto* default_handler =
        static_cast<PyDataMem_Handler*>(PyCapsule_GetPointer(PyDataMem_DefaultHandler, "mem_handler"));
    if (!default_handler) return false;
    numpy_allocator = default_handler->allocator;
    handler = PyCapsule_New(&reserve_handler, "mem_handler", nullptr);
    return handler != nullptr;
}

// Has NumPy use `wanted` in this context instead of `expected`. A program's own handler stays: that is no failure.
bool exchange_handler(PyObject* expected, PyObject* wanted) {
    PyObject* before = PyDataMem_GetHandler();
    if (!before) return false;
    const bool is_expected = before == expected;
    Py_DECREF(before);
    if (!is_expected) return true;
    before = PyDataMem_SetHandler(wanted);
    Py_XDECREF(before);
    return before != nullptr;
}

// ---- for Python ----------------------------------------------------------------------------------------------------
PyObject* keep_memory(PyObject*, PyObject*) {
    if (!find_handler() || (handler && !exchange_handler(PyDataMem_DefaultHandler, handler))) return nullptr;
    Py_RETURN_NONE;
}
PyObject* empty_cache(PyObject*, PyObject*) {
    size_t freed;
    {
        ReleaseGil unlocked(true);
        freed = give_back();
    }
    return PyLong_FromSize_t(freed);
}
PyObject* memory_stats(PyObject*, PyObject*) {
    const ReserveStatistics now = reserve_statistics();
    return Py_BuildValue(
        "{s:n,s:n,s:n,s:n,s:n,s:K,s:K,s:K}", "allocated_bytes", static_cast<Py_ssize_t>(now.allocated),
        "peak_allocated_bytes", static_cast<Py_ssize_t>(now.peak_allocated), "cached_bytes",
        static_cast<Py_ssize_t>(now.kept), "cached_blocks", static_cast<Py_ssize_t>(now.kept_blocks), "limit_bytes",
        static_cast<Py_ssize_t>(now.limit), "reused", static_cast<unsigned long long>(now.reused), "fresh",
        static_cast<unsigned long long>(now.fresh), "retries", static_cast<unsigned long long>(now.retries));
}
PyObject* memory_available(PyObject*, PyObject* root) {
    PyObject* path = nullptr;
    if (!PyUnicode_FSConverter(root, &path)) return nullptr;
    const size_t bytes = available_memory(PyBytes_AS_STRING(path));
    Py_DECREF(path);
    return PyLong_FromSize_t(bytes);
}
PyObject* set_memory_limit(PyObject*, PyObject* number) {
    const size_t bytes = PyLong_AsSize_t(number);
    if (bytes == static_cast<size_t>(-1) && PyErr_Occurred()) return nullptr;
    {
        ReleaseGil unlocked(true);
        set_reserve_limit(bytes);
    }
    Py_RETURN_NONE;
}
PyObject* reset_peak(PyObject*, PyObject*) {
    reset_reserve_peak();
    Py_RETURN_NONE;
}

Methods memory_methods({
    {"keep_memory", keep_memory, METH_NOARGS,
     "keep_memory(): large arrays that NumPy makes in this context lie in memory that is kept."},
    {"empty_cache", empty_cache, METH_NOARGS, "empty_cache(): gives kept memory back to the system; how many bytes."},
    {"memory_stats", memory_stats, METH_NOARGS, "memory_stats(): numbers of the memory that is kept, by name."},
    {"available_memory", memory_available, METH_O,
     "available_memory(root): bytes that this process may have, by the machine, its control groups and its own "
     "limits; /proc and /sys lie in root."},
    {"set_memory_limit", set_memory_limit, METH_O, "set_memory_limit(bytes): how much may be kept."},
    {"reset_peak_memory_stats", reset_peak, METH_NOARGS, "reset_peak_memory_stats(): the peak is what is in use now."},
});

}  // namespace

PyArrayObject* new_large(PyArray_Descr* descr, int ndim, const npy_intp* shape, bool zeroed) {
    PyObject* before = find_handler() ? PyDataMem_GetHandler() : nullptr;
    if (!before) return nullptr;
    const bool exchanged = handler && before == PyDataMem_DefaultHandler;
    Py_DECREF(before);
    if (exchanged && !exchange_handler(PyDataMem_DefaultHandler, handler)) return nullptr;
    Py_INCREF(descr);
    auto* lengths = const_cast<npy_intp*>(shape);
    PyObject* array = zeroed ? PyArray_Zeros(ndim, lengths, descr, 0)
                             : PyArray_NewFromDescr(&PyArray_Type, descr, ndim, lengths, nullptr, nullptr, 0, nullptr);
    if (exchanged) {
        PyObject *type, *value, *trace;  // of an array that found no memory
        PyErr_Fetch(&type, &value, &trace);
        if (!exchange_handler(handler, PyDataMem_DefaultHandler)) PyErr_Clear();
        PyErr_Restore(type, value, trace);
    }
    return reinterpret_cast<PyArrayObject*>(array);
}

}  // namespace wengert
