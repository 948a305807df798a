// Notes of the work that a native function does on the memory of its operands and of its result, so that a replay can
// do it again on the same memory without asking what it is (replay/calls.cpp).
//
// A function whose method is made by `repeatable_method` does all its work through `perform` or `do_work`, or forgets
// the notes. The noted pointers are compared with the memory of the operands and of the result: work on temporary
// copies is not repeated.
#pragma once

#include <cstring>
#include <initializer_list>
#include <type_traits>

#include "binding/common.hpp"

namespace wengert {

// A function object without arguments, copied by its bytes.
class Work {
public:
    template <class Function> void set(const Function& function) {
        static_assert(std::is_trivially_copyable_v<Function>);
        static_assert(sizeof(Function) <= sizeof memory_ && alignof(Function) <= alignof(uint64_t));
        std::memcpy(memory_, &function, sizeof function);
        word_count_ = (sizeof function + 7) / 8;
        run_ = [](const void* memory) { (*static_cast<const Function*>(memory))(); };
    }
    // What runs it, given its bytes: of any memory, in whole words.
    void (*function() const)(const void*) { return run_; }
    const void* memory() const { return memory_; }
    size_t word_count() const { return word_count_; }

private:
    uint64_t memory_[24];
    size_t word_count_;
    void (*run_)(const void*);
};

// Memory of an operand, or of the result, of work on each of many elements by itself; null for one that is no array.
struct Elements {
    const void* data;
    npy_intp step;  // bytes from one element to the next; 0 for one that serves all
};
// Such work, apart from its memory, so that a part of it can be done elsewhere, as often as it takes: run(function,
// where the elements of each operand begin, how many).
struct ElementNotes {
    enum Kind {
        NONE,
        MAP,   // the last operand is the result
        TEST,  // whether any element has a property
        SUM    // the second operand is where the sums of `row_part` are kept
    };
    static constexpr int most_operands = 4;
    Kind kind = NONE;
    int operand_count;
    npy_intp count, cost;  // the work of one element, in additions
    Elements operands[most_operands];
    uint64_t function[8];
    bool (*run)(const void* function, char* const* operands, npy_intp count);
    // Of a sum: what `row_part` has added up, and the result from the total.
    double (*total)(const void* function, const double* sums);
    void (*store)(const void* function, double total, char* out);

    template <class Function> void set(Kind wanted, npy_intp elements, npy_intp element_cost, const Function& work) {
        static_assert(std::is_trivially_copyable_v<Function>);
        static_assert(sizeof(Function) <= sizeof function && alignof(Function) <= alignof(uint64_t));
        kind = wanted, count = elements, cost = element_cost;
        std::memcpy(function, &work, sizeof work);
        run = [](const void* bytes, char* const* at, npy_intp some) {
            const Function& known = *static_cast<const Function*>(bytes);
            if constexpr (std::is_same_v<decltype(known(at, some)), bool>) return known(at, some);
            known(at, some);
            return false;
        };
        if constexpr (HasTotal<Function>::value) {
            total = [](const void* bytes, const double* sums) {
                return static_cast<const Function*>(bytes)->total(sums);
            };
            store = [](const void* bytes, double value, char* out) {
                static_cast<const Function*>(bytes)->store(value, out);
            };
        }
    }

private:
    template <class Function, class = void> struct HasTotal : std::false_type {};
    template <class Function> struct HasTotal<Function, std::void_t<decltype(&Function::total)>> : std::true_type {};
};

struct WorkNotes {
    static constexpr int most_works = 3, most_pointers = 12;
    ElementNotes elements;
    Work works[most_works];
    const void* pointers[most_pointers];
    int work_count = 0, pointer_count = 0;
    bool complete = true;

    template <class Function> void add(const Function& function, std::initializer_list<const void*> used) {
        if (work_count == most_works || pointer_count + static_cast<int>(used.size()) > most_pointers) {
            complete = false;
            return;
        }
        works[work_count++].set(function);
        for (const void* pointer : used) pointers[pointer_count++] = pointer;
    }
};

// While it lives, the running function notes its work if there are notes; afterwards none does, even if it has thrown.
class Noting {
public:
    explicit Noting(WorkNotes* notes) { work_notes = notes; }
    ~Noting() { work_notes = nullptr; }
    Noting(const Noting&) = delete;
    Noting& operator=(const Noting&) = delete;
};
// While it lives, nothing is noted.
class NotesAside {
public:
    NotesAside() { work_notes = nullptr; }
    ~NotesAside() { work_notes = notes_; }
    NotesAside(const NotesAside&) = delete;
    NotesAside& operator=(const NotesAside&) = delete;

private:
    WorkNotes* const notes_ = work_notes;
};

// Notes work, which `pointers` lead to, and does it.
template <class Function> inline void do_work(const Function& function, std::initializer_list<const void*> pointers) {
    if (work_notes) work_notes->add(function, pointers);
    function();
}
// The same for work that may let other threads run meanwhile.
template <class Function>
inline void do_unlocked_work(const Function& function, std::initializer_list<const void*> pointers) {
    if (work_notes) work_notes->add(function, pointers);
    const NotesAside aside;
    function();
}
// The same; other threads may run meanwhile if it has many elements.
template <class Function>
inline void perform(npy_intp size, const Function& function, std::initializer_list<const void*> pointers) {
    if (size < thread_threshold) return do_work(function, pointers);
    do_unlocked_work(
        [=] {
            ReleaseGil unlocked(true);
            function();
        },
        pointers);
}

constexpr npy_intp many_elements = 1024;  // from which on a replay may do work block by block
// Notes work on elements, if there are so many that a replay may do it block by block (replay/fusion.hpp). Of several
// pieces of work none is done that way.
inline void note_elements(const ElementNotes& elements) {
    if (!work_notes || elements.count < many_elements) return;
    if (work_notes->elements.kind != ElementNotes::NONE) work_notes->complete = false;
    work_notes->elements = elements;
}
template <class Function, size_t operand_count>
inline ElementNotes element_notes(ElementNotes::Kind kind, npy_intp count, npy_intp cost, const Function& function,
                                  const Elements (&operands)[operand_count]) {
    static_assert(operand_count <= ElementNotes::most_operands);
    ElementNotes notes;
    notes.set(kind, count, cost, function);
    notes.operand_count = operand_count;
    std::copy(operands, operands + operand_count, notes.operands);
    return notes;
}
// Notes such work that makes an array, and does it by all threads.
void perform_noted(const ElementNotes& elements);
// Work on many elements, each by itself: function(where the operands and, last, the result begin, how many). Operands
// that are no arrays have no memory.
template <class Function, size_t operand_count>
inline void perform_on_many(npy_intp count, npy_intp cost, const Function& function,
                            const Elements (&operands)[operand_count]) {
    perform_noted(element_notes(ElementNotes::MAP, count, cost, function, operands));
}
// The same of any number of elements of two arrays, the operand and the result.
template <class Function>
inline void perform_on_elements(npy_intp count, npy_intp cost, const Function& function, const Elements& operand,
                                const Elements& result) {
    if (count >= many_elements) return perform_on_many(count, cost, function, {operand, result});
    const auto all = [=] {
        parallel_for_elements(count, cost, [=](npy_intp begin, npy_intp end) {
            char* const at[] = {static_cast<char*>(const_cast<void*>(operand.data)) + begin * operand.step,
                                static_cast<char*>(const_cast<void*>(result.data)) + begin * result.step};
            function(at, end - begin);
        });
    };
    do_work(all, {operand.data, result.data});
}
template <class T> inline T* elements_at(char* memory) { return reinterpret_cast<T*>(memory); }

// A method whose function notes all its work.
PyMethodDef repeatable_method(const char* name, DirectFunction function, const char* doc);
#define WENGERT_REPEATABLE(name, parameters, ...) \
    repeatable_method("direct_" #name, __VA_ARGS__, #name parameters ", or NotImplemented")
bool is_repeatable(PyCFunction function);

// A decision by the values of an array: 1 or 0, or -1 for what is no array that the function knows.
using Decision = int (*)(PyObject* array);
// A method of one argument that returns a decision, and passes on to Python where that is unknown.
PyMethodDef decision_method(PyMethodDef method, Decision decision);
// The decision of a built-in function; null if it has none.
Decision decision_of(PyObject* callable);

}  // namespace wengert
