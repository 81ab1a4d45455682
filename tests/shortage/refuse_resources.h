// Makes memory, threads, mappings and files short for the runtime alone: the program that has this replaces
// the functions by which they are asked for, and refuses what a test says. Calls of drivers and of the test
// pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nnrt::shortage {

enum class Kind : uint8_t {
  allocation,  // operator new throws, aligned_alloc answers null
  thread,      // pthread_create: EAGAIN
  mapping,     // mmap: ENOMEM
  file,        // open, fopen, memfd_create, dup, socketpair: EMFILE; ftruncate: ENOSPC
};
constexpr Kind kKinds[] = {Kind::allocation, Kind::thread, Kind::mapping, Kind::file};
const char* name(Kind kind);

// From here on calls are counted.
void begin_counting(bool keep_stacks);
// The same, and the call of this kind with this number fails, once.
void begin_failing(Kind kind, size_t number);
// Nothing is counted and nothing fails any more.
void end();

// Returns the number of calls of the kind so far.
size_t calls(Kind kind);
// Returns whether the request with this number, up to 262144, was of another thread than begin_counting().
bool is_of_another_thread(Kind kind, size_t number);
// For each request a number of the functions that led to it, if begin_counting() keeps them.
std::vector<uint64_t> stacks(Kind kind);
// The functions that led to the call that failed, one a line.
std::string failed_stack();

// Blocks that operator new has given, and delete has not got back.
int64_t live_blocks();

}  // namespace nnrt::shortage
