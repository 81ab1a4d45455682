// Tracing: spans, instants and counters in Chrome's trace event format (docs/trace.md; viewed in
// ui.perfetto.dev). When off, each costs one relaxed atomic load; event descriptions are only built while a
// trace is on. A trace covers the complete process; several may run at once.
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

// Shared by everyone who wants the trace; releasing the last reference completes the file.
class Session;

// Starts a trace in a new file, or joins the one that already writes to it. %p in the path is replaced by the
// process id. invalid_path if the file cannot be written.
Result<std::shared_ptr<Session>> start(std::string_view path);

// Writes recorded events; the file is then a complete JSON document. Also happens periodically.
void flush();

enum class State : uint8_t { unknown, off, on };
extern std::atomic<State> state;
bool start_from_environment();  // reads NNRT_TRACE, when first called

inline bool on() {
  const State now = state.load(std::memory_order_relaxed);
  return now == State::on || (now == State::unknown && start_from_environment());
}

struct Event {
  std::string name;
  JsonObject args = {};
};

// Call only while on(). The event is dropped if memory is exhausted. `track`: a named row of its own, such as
// a GPU's; empty: the current thread.
void complete(const char* category, const Event& event, Time begin, Time end,
              std::string_view track = {}) noexcept;
void instant(const char* category, const Event& event) noexcept;
void counter(const char* name, uint64_t value) noexcept;

// Lasts until the end of the scope. Tracing failures do not affect the traced code.
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
