// The description of a list's calls, as Python gives it.
#include "replay/calls.hpp"

namespace wengert {
namespace {

bool fail(const char* text) {
    PyErr_Format(PyExc_ValueError, "replay_calls: %s", text);
    return false;
}
// A number below `count`; negative for none.
bool read_number(PyObject* object, Py_ssize_t count, Py_ssize_t& number) {
    number = PyNumber_AsSsize_t(object, PyExc_OverflowError);
    if (number == -1 && PyErr_Occurred()) return false;
    return number < count || fail("an entry names a register, or a spare array, that the list does not have");
}
// Adds the registers in a tuple.
bool read_places(PyObject* object, Py_ssize_t count, std::vector<int32_t>& places) {
    if (!PyTuple_Check(object)) return fail("expected a tuple of registers");
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(object); ++at) {
        Py_ssize_t place;
        if (!read_number(PyTuple_GET_ITEM(object, at), count, place)) return false;
        if (place >= 0) places.push_back(static_cast<int32_t>(place));
    }
    return true;
}
// Places and constants: a constant for each negative place; below -1 the pair (places, constants) of a sequence.
bool read_arguments(PyObject* places, PyObject* constants, Py_ssize_t count, std::vector<Argument>& arguments,
                    bool nested = false) {
    if (!PyTuple_Check(places) || !PyTuple_Check(constants) || PyTuple_GET_SIZE(places) != PyTuple_GET_SIZE(constants))
        return fail("expected as many places as constants");
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(places); ++at) {
        Argument argument;
        PyObject* constant = PyTuple_GET_ITEM(constants, at);
        if (!read_number(PyTuple_GET_ITEM(places, at), count, argument.place)) return false;
        argument.is_sequence = argument.place < -1;
        if (argument.is_sequence) {
            if (nested || !PyTuple_Check(constant) || PyTuple_GET_SIZE(constant) != 2)
                return fail("expected places and constants of a sequence");
            if (!read_arguments(PyTuple_GET_ITEM(constant, 0), PyTuple_GET_ITEM(constant, 1), count, argument.elements,
                                true))
                return false;
        } else if (argument.place < 0) {
            argument.constant = Object(constant);
        }
        arguments.push_back(std::move(argument));
    }
    return nested || arguments.size() <= most_arguments || fail("a call has too many arguments");
}
bool read_results(PyObject* places, PyObject* layouts, PyObject* spares, const Calls& calls,
                  std::vector<Result>& results) {
    if (!PyTuple_Check(places) || !PyTuple_Check(layouts) || !PyTuple_Check(spares) ||
        PyTuple_GET_SIZE(places) != PyTuple_GET_SIZE(layouts) || PyTuple_GET_SIZE(places) != PyTuple_GET_SIZE(spares))
        return fail("expected a layout and the number of a spare array for each result");
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(places); ++at) {
        Result result;
        PyObject* layout = PyTuple_GET_ITEM(layouts, at);
        if (!read_number(PyTuple_GET_ITEM(places, at), calls.registers, result.place) ||
            !read_number(PyTuple_GET_ITEM(spares, at), static_cast<Py_ssize_t>(calls.spares.size()), result.spare))
            return false;
        if (result.place >= 0 && !PyArray_Check(layout)) return fail("the layout of a result is not an array");
        result.layout = Object(layout);
        results.push_back(std::move(result));
    }
    return true;
}
// The C function of a built-in function that takes positional arguments only; null for others.
DirectFunction positional(PyObject* callable) {
    if (!PyCFunction_CheckExact(callable) || PyCFunction_GET_FLAGS(callable) != METH_FASTCALL) return nullptr;
    return reinterpret_cast<DirectFunction>(reinterpret_cast<void*>(PyCFunction_GET_FUNCTION(callable)));
}
// Whether a call has the arguments and results of its kind.
bool is_complete(const Call& call) {
    const auto has_register = [&](size_t at) { return at < call.arguments.size() && call.arguments[at].place >= 0; };
    const auto constant = [&](size_t at) {
        PyObject* object = at < call.arguments.size() ? call.arguments[at].constant.get() : nullptr;
        return object ? object : Py_None;
    };
    const bool one_result = call.results.size() == 1 && call.results[0].place >= 0;
    switch (call.kind) {
        case RETURNS: return call.several || one_result;
        case WRITES: return has_register(0);
        case COMPARES_BYTES: return has_register(0) && PyBytes_Check(call.expected.get());
        case COPIES:  // a constant in row-major order, of the layout of the result
            return one_result && has_layout(constant(0), call.results[0].layout.get()) &&
                   is_row_major(reinterpret_cast<PyArrayObject*>(constant(0)));
        case VIEWS: return one_result && has_register(0) && PyLong_CheckExact(constant(1));
        default: return true;
    }
}
// Finds the C function of a call, and whether it can be repeated.
void find_function(Call& call, Step& step) {
    PyObject* callable = call.callable.get();
    if (call.kind == COMPARES_RESULT && call.arguments.size() == 1 && call.arguments[0].place >= 0)
        call.decision = decision_of(callable);
    call.function = positional(callable);
    step.repeated.is_possible = call.function && !call.several && (call.kind == RETURNS || call.kind == WRITES) &&
                                is_repeatable(PyCFunction_GET_FUNCTION(callable));
}
// (kind, callable, places, constants, several, results, layouts, spares, frees, expected), or None
bool read_call(PyObject* description, Calls& calls) {
    Call call;
    Step step;
    step.operands = step.frees = static_cast<uint32_t>(calls.places.size());
    if (description != Py_None) {
        PyObject *callable, *places, *constants, *results, *layouts, *spares, *frees, *expected;
        int kind, several;
        if (!PyTuple_Check(description)) return fail("expected a tuple or None");
        if (!PyArg_ParseTuple(description, "iOOOpOOOOO", &kind, &callable, &places, &constants, &several, &results,
                              &layouts, &spares, &frees, &expected))
            return false;
        if (kind < RETURNS || kind >= KINDS) return fail("unknown kind of call");
        if (!read_arguments(places, constants, calls.registers, call.arguments) ||
            !read_results(results, layouts, spares, calls, call.results))
            return false;
        call.kind = static_cast<CallKind>(kind), call.several = several != 0;
        call.callable = Object(callable), call.expected = Object(expected);
        if (!is_complete(call)) return fail("a call has other arguments or results than its kind has");
        find_function(call, step);
        for (const Argument& argument : call.arguments) {
            if (argument.is_sequence) step.repeated.is_possible = false;
            if (argument.place >= 0) calls.places.push_back(static_cast<int32_t>(argument.place));
        }
        step.frees = static_cast<uint32_t>(calls.places.size());
        if (!read_places(frees, calls.registers, calls.places)) return false;
        for (const Result& result : call.results)
            if (result.place >= 0) calls.is_filled[static_cast<size_t>(result.place)] = true;
        if (!call.several && call.results.size() == 1) {
            step.place = static_cast<int32_t>(call.results[0].place);
            step.spare = static_cast<int32_t>(call.results[0].spare);
        }
        step.kind = static_cast<uint8_t>(call.kind);
    }
    step.end = static_cast<uint32_t>(calls.places.size());
    calls.list.push_back(std::move(call));
    calls.steps.push_back(std::move(step));
    return true;
}

// Whether the result of a call may be a view, of its only operand.
bool may_view(const Call& call, const Step& step) {
    const auto is_sequence = [](const Argument& argument) { return argument.is_sequence; };
    if (step.kind != VIEWS && (step.kind != RETURNS || !call.function)) return false;
    return step.place >= 0 && step.frees - step.operands == 1 &&
           std::none_of(call.arguments.begin(), call.arguments.end(), is_sequence);
}
// Numbers the views that only the list sees, and views of its own memory that are results: their registers are stored
// once. (A result that is a view of other memory would keep that alive until the next run.)
void find_views(Calls& calls) {
    std::vector<int> stores(static_cast<size_t>(calls.registers)), is_emptied(stores.size());
    for (size_t at = 0; at < calls.steps.size(); ++at) {
        for (const Result& result : calls.list[at].results)
            if (result.place >= 0) ++stores[static_cast<size_t>(result.place)];
        for (uint32_t place = calls.steps[at].frees; place < calls.steps[at].end; ++place)
            is_emptied[static_cast<size_t>(calls.places[place])] = 1;
    }
    calls.view_in.assign(stores.size(), -1);
    for (size_t at = 0; at < calls.steps.size(); ++at) {
        Step& step = calls.steps[at];
        if (!may_view(calls.list[at], step)) continue;
        const auto place = static_cast<size_t>(step.place);
        const bool of_own = calls.is_filled[static_cast<size_t>(calls.places[step.operands])];
        if (stores[place] != 1 || !(is_emptied[place] || of_own)) continue;
        step.view = static_cast<int32_t>(calls.views.size());
        if (is_emptied[place]) calls.view_in[place] = step.view;
        else calls.results.push_back(step.view);
        calls.views.emplace_back();
    }
    for (Step& step : calls.steps)
        for (uint32_t place = step.frees; place < step.end; ++place)
            if (calls.view_in[static_cast<size_t>(calls.places[place])] >= 0) step.ends_views = true;
}

}  // namespace

std::unique_ptr<Calls> read_calls(PyObject* descriptions, Py_ssize_t registers, PyObject* movable) {
    auto calls = std::make_unique<Calls>();
    if (registers < 0 || registers > most_registers) return fail("expected the number of registers"), nullptr;
    calls->registers = registers;
    calls->is_filled.resize(static_cast<size_t>(registers));
    calls->spares.resize(static_cast<size_t>(registers));  // no more than there are results
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(descriptions); ++at)
        if (!read_call(PyTuple_GET_ITEM(descriptions, at), *calls)) return nullptr;
    find_views(*calls);
    if (movable) {
        if (PyBytes_GET_SIZE(movable) != PyTuple_GET_SIZE(descriptions))
            return fail("expected a byte for each call"), nullptr;
        for (size_t at = 0; at < calls->list.size(); ++at)
            calls->list[at].is_movable = PyBytes_AS_STRING(movable)[at] != 0;
    }
    return calls;
}

}  // namespace wengert
