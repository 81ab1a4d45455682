// Runs of executors in a trace: each has a number, which every event within it carries.
#pragma once

#include "core/platform/trace.h"

#include <cstdint>

namespace nnrt::trace {

// The run that this thread works for; 0: none, or it is not traced.
uint64_t current_run() noexcept;

// This thread works for a run until the scope ends. Threads that help with a run take over its number.
class RunScope {
 public:
  explicit RunScope(uint64_t run) noexcept;
  ~RunScope();
  RunScope(const RunScope&) = delete;
  RunScope& operator=(const RunScope&) = delete;

 private:
  const uint64_t outer_;
};

// One run, from construction to destruction. In the trace of `owner` (null: none) its event says "own".
class Run {
 public:
  explicit Run(const Session* owner) noexcept;
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

 private:
  static uint64_t next_number() noexcept;

  const Session* const owner_;
  const RunScope scope_;
  const Time begin_;  // unset without a trace
};

}  // namespace nnrt::trace
