// A trace for people and tools: spans, instants and counters in the form of Chrome's trace events
// (docs/trace.md; ui.perfetto.dev shows them). Off, each costs a relaxed atomic load; descriptions of events
// are made only while a trace is on. A trace covers the process; several may run at once, each in its file.
#pragma once

#include "core/base/exceptions.h"
#include "core/base/json.h"
#include "core/base/result.h"

#include <atomic>
#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace nnrt::trace {

using Time = std::chrono::steady_clock::time_point;

// Kept by whoever wants the trace; the last to let go completes the file.
class Session;

// Starts a trace in a new file, or joins the one that already writes to it. %p in the path is replaced by the
// process id. invalid_path if the file cannot be written.
Result<std::shared_ptr<Session>> start(std::string_view path);

// Writes out what was recorded. The file is then a complete JSON document. Done also now and then by itself.
void flush();

enum class State : uint8_t { unknown, off, on };
extern std::atomic<State> state;
bool start_from_environment();  // NNRT_TRACE, at the first question

inline bool on() {
  const State now = state.load(std::memory_order_relaxed);
  return now == State::on || (now == State::unknown && start_from_environment());
}

struct Event {
  std::string name;
  JsonObject args = {};
};

// To be called only while on(). The event is lost if memory is short. `track`: a row of its own with this
// name, such as a GPU's; empty: the thread.
void complete(const char* category, const Event& event, Time begin, Time end,
              std::string_view track = {}) noexcept;
void instant(const char* category, const Event& event) noexcept;
void counter(const char* name, uint64_t value) noexcept;

// Lasts to the end of the scope. The traced work does not fail if the trace has no memory.
class Span {
 public:
  Span(const char* category, const char* name) noexcept : Span(category, [&] { return Event{name}; }) {}
  // `describe` makes the Event.
  template <std::invocable Describe>
  Span(const char* category, const Describe& describe) noexcept {
    best_effort([&] {
      if (on()) begin(category, describe());
    });
  }
  ~Span() {
    if (running_) end();
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  struct Running {
    const char* category;
    Event event;
    Time begin;
  };
  void begin(const char* category, Event event);
  void end() noexcept;

  std::optional<Running> running_;
};

}  // namespace nnrt::trace
