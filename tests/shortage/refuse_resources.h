// Simulates shortage of memory, threads, mappings and files for the runtime only: this program replaces the
// functions that request them and fails the calls a test selects. Calls of drivers and of the test pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nnrt::shortage {

enum class Kind : uint8_t {
  allocation,  // operator new throws, aligned_alloc returns null
  thread,      // pthread_create: EAGAIN
  mapping,     // mmap: ENOMEM
  file,        // open, fopen, memfd_create, dup, socketpair: EMFILE; ftruncate: ENOSPC
};
constexpr Kind kKinds[] = {Kind::allocation, Kind::thread, Kind::mapping, Kind::file};
const char* name(Kind kind);

// Starts counting calls.
void begin_counting(bool keep_stacks);
// Also fails the call of this kind with this number, once.
void begin_failing(Kind kind, size_t number);
// Stops counting and failing.
void end();

// The number of calls of the kind so far.
size_t calls(Kind kind);
// Returns whether the request with this number (up to 262144) came from another thread than begin_counting().
bool is_of_another_thread(Kind kind, size_t number);
// A hash of the call stack per request, if begin_counting() keeps stacks.
std::vector<uint64_t> stacks(Kind kind);
// The call stack of the failed call, one function per line.
std::string failed_stack();

// Blocks allocated by operator new and not yet deleted.
int64_t live_blocks();

}  // namespace nnrt::shortage
