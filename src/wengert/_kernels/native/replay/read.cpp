// The description of a list's calls, as Python gives it.
#include "replay/calls.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace wengert {
namespace {

// The calls of a list, as far as they are read, by what they have in common.
using KnownCalls = std::unordered_multimap<size_t, uint32_t>;

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
// Places and constants: a constant for each negative place; below -1 the pair (places, constants) of a sequence. The
// registers are added to `registers`; those of a sequence stay in its elements.
bool read_arguments(PyObject* places, PyObject* constants, Py_ssize_t count, std::vector<Argument>& arguments,
                    std::vector<int32_t>* registers) {
    if (!PyTuple_Check(places) || !PyTuple_Check(constants) || PyTuple_GET_SIZE(places) != PyTuple_GET_SIZE(constants))
        return fail("expected as many places as constants");
    arguments.reserve(static_cast<size_t>(PyTuple_GET_SIZE(places)));
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(places); ++at) {
        Argument argument;
        PyObject* constant = PyTuple_GET_ITEM(constants, at);
        Py_ssize_t place;
        if (!read_number(PyTuple_GET_ITEM(places, at), count, place)) return false;
        if (place < -1) {
            if (!registers || !PyTuple_Check(constant) || PyTuple_GET_SIZE(constant) != 2)
                return fail("expected places and constants of a sequence");
            auto elements = std::make_unique<std::vector<Argument>>();
            if (!read_arguments(PyTuple_GET_ITEM(constant, 0), PyTuple_GET_ITEM(constant, 1), count, *elements,
                                nullptr))
                return false;
            argument.kind = Argument::SEQUENCE, argument.elements = std::move(elements);
        } else if (place < 0) {
            argument.constant = Object(constant);
        } else {
            argument.kind = Argument::REGISTER;
            if (registers)
                registers->push_back(static_cast<int32_t>(place));
            else
                argument.place = static_cast<int32_t>(place);
        }
        arguments.push_back(std::move(argument));
    }
    return !registers || arguments.size() <= most_arguments || fail("a call has too many arguments");
}
bool read_results(PyObject* places, PyObject* layouts, PyObject* spares, const Calls& calls, Call& call,
                  std::vector<Result>& results) {
    if (!PyTuple_Check(places) || !PyTuple_Check(layouts) || !PyTuple_Check(spares) ||
        PyTuple_GET_SIZE(places) != PyTuple_GET_SIZE(layouts) || PyTuple_GET_SIZE(places) != PyTuple_GET_SIZE(spares))
        return fail("expected a layout and the number of a spare array for each result");
    call.layouts.reserve(static_cast<size_t>(PyTuple_GET_SIZE(places)));
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(places); ++at) {
        PyObject* layout = PyTuple_GET_ITEM(layouts, at);
        Py_ssize_t place, spare;
        if (!read_number(PyTuple_GET_ITEM(places, at), calls.registers, place) ||
            !read_number(PyTuple_GET_ITEM(spares, at), static_cast<Py_ssize_t>(calls.spares.size()), spare))
            return false;
        if (place >= 0 && !PyArray_Check(layout)) return fail("the layout of a result is not an array");
        call.layouts.emplace_back(layout);
        results.push_back({place < 0 ? -1 : static_cast<int32_t>(place), spare < 0 ? -1 : static_cast<int32_t>(spare)});
    }
    return true;
}
// The C function of a built-in function that takes positional arguments only; null for others.
DirectFunction positional(PyObject* callable) {
    if (!PyCFunction_CheckExact(callable) || PyCFunction_GET_FLAGS(callable) != METH_FASTCALL) return nullptr;
    return reinterpret_cast<DirectFunction>(reinterpret_cast<void*>(PyCFunction_GET_FUNCTION(callable)));
}
// Whether a call has the arguments and results of its kind.
bool is_complete(const Call& call, const std::vector<Result>& results) {
    const auto has_register = [&](size_t at) {
        return at < call.arguments.size() && call.arguments[at].kind == Argument::REGISTER;
    };
    const auto constant = [&](size_t at) {
        PyObject* object = at < call.arguments.size() ? call.arguments[at].constant.get() : nullptr;
        return object ? object : Py_None;
    };
    const bool one_result = results.size() == 1 && results[0].place >= 0;
    switch (call.kind) {
        case RETURNS: return call.several || one_result;
        case WRITES: return has_register(0);
        case COMPARES_BYTES: return has_register(0) && PyBytes_Check(call.expected.get());
        case COPIES:  // a constant in row-major order, of the layout of the result
            return one_result && has_layout(constant(0), call.layouts[0].get()) &&
                   is_row_major(reinterpret_cast<PyArrayObject*>(constant(0)));
        case VIEWS: return one_result && has_register(0) && PyLong_CheckExact(constant(1));
        default: return true;
    }
}
// Finds the C function of a call, and whether it can be repeated.
void find_function(Call& call) {
    const auto is_sequence = [](const Argument& argument) { return argument.kind == Argument::SEQUENCE; };
    PyObject* callable = call.callable.get();
    if (call.kind == COMPARES_RESULT && call.arguments.size() == 1 && call.arguments[0].kind == Argument::REGISTER)
        call.decision = decision_of(callable);
    call.function = positional(callable);
    call.is_repeatable = call.function && !call.several && (call.kind == RETURNS || call.kind == WRITES) &&
                         is_repeatable(PyCFunction_GET_FUNCTION(callable)) &&
                         std::none_of(call.arguments.begin(), call.arguments.end(), is_sequence);
}
// Whether two calls differ in their registers only.
bool are_alike(const Call& one, const Call& other) {
    const auto alike = [](const Argument& a, const Argument& b) {
        return a.kind == b.kind && a.kind != Argument::SEQUENCE && a.constant.get() == b.constant.get();
    };
    const auto same = [](const Object& a, const Object& b) { return a.get() == b.get(); };
    return one.kind == other.kind && one.several == other.several && one.is_movable == other.is_movable &&
           same(one.callable, other.callable) && same(one.expected, other.expected) &&
           std::equal(one.arguments.begin(), one.arguments.end(), other.arguments.begin(), other.arguments.end(),
                      alike) &&
           std::equal(one.layouts.begin(), one.layouts.end(), other.layouts.begin(), other.layouts.end(), same);
}
// Adds a call to those of a list unless there is one that is alike; returns its number.
uint32_t number_of(Call call, Calls& calls, KnownCalls& known) {
    size_t hash = std::hash<const void*>()(call.callable.get());
    const auto mix = [&hash](const Object& object) { hash = hash * 31 + std::hash<const void*>()(object.get()); };
    mix(call.expected);
    for (const Argument& argument : call.arguments) mix(argument.constant);
    for (const Object& layout : call.layouts) mix(layout);
    const auto range = known.equal_range(hash);
    for (auto at = range.first; at != range.second; ++at)
        if (are_alike(*calls.calls[at->second], call)) return at->second;
    const auto number = static_cast<uint32_t>(calls.calls.size());
    calls.calls.push_back(std::make_unique<const Call>(std::move(call)));
    known.emplace(hash, number);
    return number;
}
// (kind, callable, places, constants, several, results, layouts, spares, frees, expected)
bool read_description(PyObject* description, Calls& calls, Call& call, Step& step, std::vector<Result>& results) {
    PyObject *callable, *places, *constants, *outs, *layouts, *spares, *frees, *expected;
    int kind, several;
    if (!PyTuple_Check(description)) return fail("expected a tuple or None");
    if (!PyArg_ParseTuple(description, "iOOOpOOOOO", &kind, &callable, &places, &constants, &several, &outs, &layouts,
                          &spares, &frees, &expected))
        return false;
    if (kind < RETURNS || kind >= KINDS) return fail("unknown kind of call");
    if (!read_arguments(places, constants, calls.registers, call.arguments, &calls.places) ||
        !read_results(outs, layouts, spares, calls, call, results))
        return false;
    call.kind = static_cast<CallKind>(kind), call.several = several != 0;
    call.callable = Object(callable), call.expected = Object(expected);
    if (!is_complete(call, results)) return fail("a call has other arguments or results than its kind has");
    find_function(call);
    step.frees = static_cast<uint32_t>(calls.places.size());
    if (!read_places(frees, calls.registers, calls.places)) return false;
    step.end = static_cast<uint32_t>(calls.places.size());
    step.kind = static_cast<uint8_t>(call.kind), step.repeated.is_possible = call.is_repeatable;
    if (!call.several && results.size() == 1) step.place = results[0].place, step.spare = results[0].spare;
    for (const Result& result : results) {
        if (result.place >= 0) calls.is_filled[static_cast<size_t>(result.place)] = true;
        if (call.several) calls.places.insert(calls.places.end(), {result.place, result.spare});
    }
    return true;
}
bool read_call(PyObject* description, bool is_movable, Calls& calls, KnownCalls& known) {
    Call call;
    Step step;
    std::vector<Result> results;
    call.is_movable = is_movable;
    step.operands = step.frees = step.end = static_cast<uint32_t>(calls.places.size());
    if (description != Py_None && !read_description(description, calls, call, step, results)) return false;
    step.call = number_of(std::move(call), calls, known);
    calls.steps.push_back(std::move(step));
    return true;
}

// Whether the result of a call may be a view, of its only operand.
bool may_view(const Call& call, const Step& step) {
    const auto is_sequence = [](const Argument& argument) { return argument.kind == Argument::SEQUENCE; };
    if (step.kind != VIEWS && (step.kind != RETURNS || !call.function)) return false;
    return step.place >= 0 && step.frees - step.operands == 1 &&
           std::none_of(call.arguments.begin(), call.arguments.end(), is_sequence);
}
// Numbers the views that only the list sees, and views of its own memory that are results: their registers are stored
// once. (A result that is a view of other memory would keep that alive until the next run.)
void find_views(Calls& calls) {
    std::vector<int> stores(static_cast<size_t>(calls.registers)), is_emptied(stores.size());
    for (const Step& step : calls.steps) {
        for (size_t number = 0; number < calls.call_of(step).layouts.size(); ++number) {
            const Result result = calls.result_of(step, number);
            if (result.place >= 0) ++stores[static_cast<size_t>(result.place)];
        }
        for (uint32_t place = step.frees; place < step.end; ++place)
            is_emptied[static_cast<size_t>(calls.places[place])] = 1;
    }
    calls.view_in.assign(stores.size(), -1);
    for (Step& step : calls.steps) {
        if (!may_view(calls.call_of(step), step)) continue;
        const auto place = static_cast<size_t>(step.place);
        const bool of_own = calls.is_filled[static_cast<size_t>(calls.places[step.operands])];
        if (stores[place] != 1 || !(is_emptied[place] || of_own)) continue;
        step.view = static_cast<int32_t>(calls.views.size());
        if (is_emptied[place])
            calls.view_in[place] = step.view;
        else
            calls.results.push_back(step.view);
        calls.views.emplace_back();
    }
    for (Step& step : calls.steps)
        for (uint32_t place = step.frees; place < step.end; ++place)
            if (calls.view_in[static_cast<size_t>(calls.places[place])] >= 0) step.ends_views = true;
}
// The number of spare arrays that results are offered.
size_t spare_count(const Calls& calls) {
    int32_t last = -1;
    for (const Step& step : calls.steps)
        for (size_t number = 0; number < calls.call_of(step).layouts.size(); ++number)
            last = std::max(last, calls.result_of(step, number).spare);
    return static_cast<size_t>(last + 1);
}

}  // namespace

std::unique_ptr<Calls> read_calls(PyObject* descriptions, Py_ssize_t registers, PyObject* movable) {
    auto calls = std::make_unique<Calls>();
    const Py_ssize_t count = PyTuple_GET_SIZE(descriptions);
    if (registers < 0 || registers > most_registers) return fail("expected the number of registers"), nullptr;
    if (movable && PyBytes_GET_SIZE(movable) != count) return fail("expected a byte for each call"), nullptr;
    calls->registers = registers;
    calls->is_filled.resize(static_cast<size_t>(registers));
    calls->spares.resize(static_cast<size_t>(registers));  // no more than there are results
    calls->steps.reserve(static_cast<size_t>(count));
    KnownCalls known;
    for (Py_ssize_t at = 0; at < count; ++at) {
        const bool is_movable = movable && PyBytes_AS_STRING(movable)[at] != 0;
        if (!read_call(PyTuple_GET_ITEM(descriptions, at), is_movable, *calls, known)) return nullptr;
    }
    find_views(*calls);
    calls->spares.resize(spare_count(*calls));
    calls->spares.shrink_to_fit(), calls->places.shrink_to_fit(), calls->views.shrink_to_fit();
    calls->calls.shrink_to_fit();
    return calls;
}

}  // namespace wengert
