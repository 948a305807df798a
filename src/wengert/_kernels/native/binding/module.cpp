// The extension module `wengert._kernels._native`: registration, twins, threads.
#define WENGERT_MODULE_FILE
#include "binding/common.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

namespace wengert {

PyArray_Descr* float_descr;
PyArray_Descr* double_descr;
PyArray_Descr* int64_descr;
PyArray_Descr* bool_descr;

namespace {

Twin* twins = nullptr;
MethodList* method_lists = nullptr;

PyObject* bind_twins(PyObject*, PyObject* functions) {
    if (!PyDict_Check(functions)) {
        PyErr_SetString(PyExc_TypeError, "bind_twins: expected a dict of name to function");
        return nullptr;
    }
    for (Twin* twin = twins; twin; twin = twin->next)
        if (!PyDict_GetItemString(functions, twin->name))
            return PyErr_Format(PyExc_KeyError, "bind_twins: no NumPy twin for %s", twin->name);
    for (Twin* twin = twins; twin; twin = twin->next)
        Py_XSETREF(twin->function, Py_XNewRef(PyDict_GetItemString(functions, twin->name)));
    Py_RETURN_NONE;
}

PyObject* twin_names(PyObject*, PyObject*) {
    PyObject* names = PyList_New(0);
    for (Twin* twin = twins; names && twin; twin = twin->next) {
        PyObject* name = PyUnicode_FromString(twin->name);
        if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

PyObject* set_num_threads(PyObject*, PyObject* number) {
    const long wanted = PyLong_AsLong(number);
    if (wanted == -1 && PyErr_Occurred()) return nullptr;
    if (wanted < 1 || wanted > 4096)
        return PyErr_Format(PyExc_RuntimeError, "set_num_threads: expected 1 to 4096, got %ld", wanted);
    set_thread_count(static_cast<int>(wanted));
    Py_RETURN_NONE;
}

PyObject* get_num_threads(PyObject*, PyObject*) { return PyLong_FromLong(thread_count()); }

PyObject* instruction_set(PyObject*, PyObject*) { return PyUnicode_FromString(chosen_loops.instruction_set); }

Methods module_methods({
    {"bind_twins", bind_twins, METH_O,
     "bind_twins(functions): the NumPy function to call for what native code does not know."},
    {"twin_names", twin_names, METH_NOARGS, "twin_names(): the functions that have a twin, all that is native."},
    {"set_num_threads", set_num_threads, METH_O, "set_num_threads(count): threads used by large native kernels."},
    {"get_num_threads", get_num_threads, METH_NOARGS, "get_num_threads(): threads used by large native kernels."},
    {"instruction_set", instruction_set, METH_NOARGS, "instruction_set(): name of the vector instructions in use."},
});

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "wengert._kernels._native",
    "Native kernels: arrays in, arrays out. Each has a NumPy twin of the same name and signature.",
    -1,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr};

}  // namespace

Twin::Twin(const char* twin_name) : name(twin_name), next(twins) { twins = this; }

PyObject* Twin::call(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) const {
    if (!function) return PyErr_Format(PyExc_RuntimeError, "%s: bind_twins was not called", name);
    PyObject* held = Py_NewRef(function);  // `bind_twins` may let go of it meanwhile
    PyObject* result =
        with_python([&] { return PyObject_Vectorcall(held, args, static_cast<size_t>(nargs), kwnames); });
    Py_DECREF(held);
    return result;
}

void wait_for_the_end() {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

MethodList::MethodList(PyMethodDef* list_methods) : methods(list_methods), next(method_lists) { method_lists = this; }
MethodList* first_method_list() { return method_lists; }
Twin* first_twin() { return twins; }

PyArrayObject* result_like(PyArrayObject* input, PyObject* out) {
    if (!out || out == Py_None) return new_array(PyArray_DESCR(input), PyArray_NDIM(input), PyArray_DIMS(input));
    PyArrayObject* result = plain(out, PyArray_DESCR(input));
    if (!result || !writeable(result) || !same_shape(result, input) || !safe_in_place(result, input)) return nullptr;
    Py_INCREF(result);
    return result;
}

bool spread(PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, const char* const* names, int required,
            int count, PyObject** slots) {
    if (nargs > count) return false;
    for (int i = 0; i < count; ++i) slots[i] = i < nargs ? args[i] : nullptr;
    const Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t k = 0; k < keywords; ++k) {
        PyObject* name = PyTuple_GET_ITEM(kwnames, k);
        int slot = 0;
        while (slot < count && PyUnicode_CompareWithASCIIString(name, names[slot]) != 0) ++slot;
        if (slot == count || slots[slot]) return false;
        slots[slot] = args[nargs + k];
    }
    for (int i = 0; i < required; ++i)
        if (!slots[i]) return false;
    return true;
}

PyObject* give_tuple(Owned* items, int count) {
    PyObject* tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; ++i) {
        PyObject* item = items[i] ? items[i].give() : Py_NewRef(Py_None);
        PyTuple_SET_ITEM(tuple, i, item);
    }
    return tuple;
}

}  // namespace wengert

PyMODINIT_FUNC PyInit__native() {
    using namespace wengert;
    import_array();
    float_descr = PyArray_DescrFromType(NPY_FLOAT32);
    double_descr = PyArray_DescrFromType(NPY_FLOAT64);
    int64_descr = PyArray_DescrFromType(NPY_INT64);
    bool_descr = PyArray_DescrFromType(NPY_BOOL);
    const char* wanted = std::getenv("WENGERT_INSTRUCTIONS");
    const bool named = wanted && *wanted;
    if (!choose_loops(named ? wanted : nullptr)) {
        if (!named)
            return PyErr_Format(
                PyExc_ImportError,
                "wengert: the native kernels were compiled for another processor, whose instructions this one does "
                "not have; compile them here ('make build', or install wengert again)");
        return PyErr_Format(
            PyExc_ValueError,
            "WENGERT_INSTRUCTIONS: expected \"baseline\", \"avx2\" or \"avx512\" as far as this processor and this "
            "build have them (WENGERT_ALL_LOOPS=1 compiles all), got \"%s\"",
            wanted);
    }
    PyObject* module = PyModule_Create(&definition);
    if (!module) return nullptr;
    for (MethodList* list = first_method_list(); list; list = list->next) {
        if (PyModule_AddFunctions(module, list->methods) < 0) {
            Py_DECREF(module);
            return nullptr;
        }
    }
    return module;
}
