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

struct WorkNotes {
    static constexpr int most_works = 3, most_pointers = 12;
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

// Notes work, which `pointers` lead to, and does it.
template <class Function> inline void do_work(const Function& function, std::initializer_list<const void*> pointers) {
    if (work_notes) work_notes->add(function, pointers);
    function();
}
// The same for work that may let other threads run meanwhile.
template <class Function>
inline void do_unlocked_work(const Function& function, std::initializer_list<const void*> pointers) {
    WorkNotes* const notes = work_notes;
    if (notes) notes->add(function, pointers);
    work_notes = nullptr;
    function();
    work_notes = notes;
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

// A method whose function notes all its work.
PyMethodDef repeatable_method(const char* name, DirectFunction function, const char* doc);
bool is_repeatable(PyCFunction function);

// A decision by the values of an array: 1 or 0, or -1 for what is no array that the function knows.
using Decision = int (*)(PyObject* array);
// A method of one argument that returns a decision, and passes on to Python where that is unknown.
PyMethodDef decision_method(PyMethodDef method, Decision decision);
// The decision of a built-in function; null if it has none.
Decision decision_of(PyObject* callable);

}  // namespace wengert
