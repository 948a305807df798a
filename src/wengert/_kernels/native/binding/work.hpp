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
    template <class Function> static constexpr bool holds() {
        return std::is_trivially_copyable_v<Function> && sizeof(Function) <= room &&
               alignof(Function) <= alignof(double);
    }
    template <class Function> void set(const Function& function) {
        static_assert(holds<Function>());
        std::memcpy(memory_, &function, sizeof function);
        run_ = [](const void* memory) { (*static_cast<const Function*>(memory))(); };
    }
    void run() const { run_(memory_); }

private:
    static constexpr size_t room = 192;
    alignas(double) unsigned char memory_[room];
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

// Does work, which `pointers` lead to, and notes it.
template <class Function> inline void do_work(const Function& function, std::initializer_list<const void*> pointers) {
    function();
    if (work_notes) work_notes->add(function, pointers);
}
// The same; other threads may run meanwhile if it has many elements.
template <class Function>
inline void perform(npy_intp size, const Function& function, std::initializer_list<const void*> pointers) {
    if (size < thread_threshold) return do_work(function, pointers);
    ReleaseGil unlocked(true);
    function();
}

// A method whose function notes all its work.
PyMethodDef repeatable_method(const char* name, DirectFunction function, const char* doc);
bool is_repeatable(PyCFunction function);

}  // namespace wengert
