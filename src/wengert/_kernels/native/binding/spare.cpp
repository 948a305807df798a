// Arrays offered to the next function that creates one, and notes of the work of functions.
#include "binding/spare.hpp"
#include "binding/work.hpp"

#include <utility>
#include <vector>

namespace wengert {

int offered_count = 0;
WorkNotes* work_notes = nullptr;

// Whether a matrix has the strides of a new one in column-major order.
static bool is_by_columns(PyArrayObject* array) {
    return PyArray_NDIM(array) == 2 && PyArray_STRIDE(array, 0) == PyArray_ITEMSIZE(array) &&
           PyArray_STRIDE(array, 1) == PyArray_STRIDE(array, 0) * PyArray_DIM(array, 0);
}

// Each with a reference; those before `offered_count`.
static PyArrayObject* offered_arrays[Offer::most];

PyArrayObject* take_offered(PyArray_Descr* descr, int ndim, const npy_intp* shape, bool by_columns) {
    for (int at = 0; at < offered_count; ++at) {
        PyArrayObject* array = offered_arrays[at];
        if (PyArray_DESCR(array) != descr || PyArray_NDIM(array) != ndim) continue;
        if (!std::equal(shape, shape + ndim, PyArray_DIMS(array))) continue;
        if (!(by_columns ? is_by_columns(array) : is_row_major(array))) continue;
        --offered_count;
        std::copy(offered_arrays + at + 1, offered_arrays + offered_count + 1, offered_arrays + at);
        return array;
    }
    return nullptr;
}

Offer::Offer(PyArrayObject* const* arrays, int count) {
    withdraw();  // what another thread has offered, which lost the interpreter's lock meanwhile
    for (int at = 0; at < count; ++at) {
        Py_INCREF(arrays[at]);
        offered_arrays[at] = arrays[at];
    }
    offered_count = count;
}
void Offer::withdraw() {
    while (offered_count) {
        PyArrayObject* array = offered_arrays[--offered_count];
        Py_DECREF(array);
    }
}

void perform_noted(const ElementNotes& elements) {
    note_elements(elements);
    const auto work = [elements] {
        parallel_for_elements(elements.count, elements.cost, [&elements](npy_intp begin, npy_intp end) {
            char* at[ElementNotes::most_operands];
            for (int k = 0; k < elements.operand_count; ++k)
                at[k] = static_cast<char*>(const_cast<void*>(elements.operands[k].data)) +
                        begin * elements.operands[k].step;
            elements.run(elements.function, at, end - begin);
        });
    };
    const void* memory[ElementNotes::most_operands];
    const void* const result = elements.operands[elements.operand_count - 1].data;
    for (int k = 0; k < ElementNotes::most_operands; ++k)
        memory[k] = k < elements.operand_count && elements.operands[k].data ? elements.operands[k].data : result;
    perform(elements.count, work, {memory[0], memory[1], memory[2], memory[3]});
}

void end_replayed_call() {
    Offer::withdraw();
    if (work_notes) work_notes->complete = false;
    work_notes = nullptr;
}

namespace {
std::vector<PyCFunction>& repeatable_functions() {
    static std::vector<PyCFunction> functions;
    return functions;
}
}  // namespace

PyMethodDef repeatable_method(const char* name, DirectFunction function, const char* doc) {
    repeatable_functions().push_back(as_direct(function));
    return direct_method(name, function, doc);
}
bool is_repeatable(PyCFunction function) {
    const std::vector<PyCFunction>& all = repeatable_functions();
    return std::find(all.begin(), all.end(), function) != all.end();
}

namespace {
std::vector<std::pair<PyCFunction, Decision>>& decisions() {
    static std::vector<std::pair<PyCFunction, Decision>> all;
    return all;
}
}  // namespace

PyMethodDef decision_method(PyMethodDef method, Decision decision) {
    decisions().emplace_back(method.ml_meth, decision);
    return method;
}
Decision decision_of(PyObject* callable) {
    if (PyCFunction_CheckExact(callable))
        for (const auto& [function, decision] : decisions())
            if (PyCFunction_GET_FUNCTION(callable) == function) return decision;
    return nullptr;
}

bool can_be_offered(PyArrayObject* array) {
    constexpr int wanted = NPY_ARRAY_OWNDATA | NPY_ARRAY_ALIGNED;
    if (!is_free(reinterpret_cast<PyObject*>(array)) || (PyArray_FLAGS(array) & wanted) != wanted) return false;
    if (PyArray_BASE(array) || PyArray_NBYTES(array) >= static_cast<npy_intp>(least_kept)) return false;
    return is_row_major(array) || is_by_columns(array);
}

}  // namespace wengert
