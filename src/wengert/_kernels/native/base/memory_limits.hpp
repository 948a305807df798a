// How much memory this process may have: less than the machine has where a container or the process itself is limited.
// No Python here.
#pragma once

#include <cstddef>

namespace wengert {

// In bytes, 0 where nothing is known. `root`: the folder that contains /proc and /sys, "" except in tests.
size_t available_memory(const char* root);

// Whether the machine has so many bytes; true where nothing is known. Where this is false the Python bodies refuse the
// request.
bool machine_has(size_t bytes);

}  // namespace wengert
