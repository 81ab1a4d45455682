// Terminates the process that loads it.
#include <cstdlib>

namespace {

[[gnu::constructor]] void end() { std::abort(); }

}  // namespace
