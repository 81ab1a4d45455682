#include "nnapi/compilation/compilation.h"

#include <limits>
#include <utility>

namespace nnrt::nnapi {

Deadline deadline_after(uint64_t duration) {
  const auto now = Clock::now();
  const auto longest =
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::time_point::max() - now).count();
  if (duration == 0 || duration >= static_cast<uint64_t>(longest)) return {};
  return now + std::chrono::nanoseconds(static_cast<int64_t>(duration));
}

Compilation::Compilation(ModelPtr model, std::vector<Device*> devices) : model_(std::move(model)) {
  target_.devices = std::move(devices);
  target_.priority = Priority::medium;
}

Outcome Compilation::require_open() const {
  if (!ended_) return {};
  return bad_state("The compilation is finished, or finishing it failed.");
}

Outcome Compilation::require_ready() const {
  if (is_ready()) return {};
  return bad_state("The compilation is not finished, or finishing it failed.");
}

Outcome Compilation::require_one_device() const {
  if (target_.devices.size() == 1) return {};
  return bad_data("The compilation was not made for exactly one device.");
}

Outcome Compilation::set_preference(int32_t preference) {
  NNRT_TRY(require_open());
  switch (preference) {
    case ANEURALNETWORKS_PREFER_LOW_POWER: target_.performance = PerformanceMode::low; return {};
    case ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER: target_.performance = PerformanceMode::none; return {};
    case ANEURALNETWORKS_PREFER_SUSTAINED_SPEED: target_.performance = PerformanceMode::high; return {};
    default: return bad_data("Preference ", preference, " does not exist.");
  }
}

Outcome Compilation::set_priority(int priority) {
  NNRT_TRY(require_open());
  switch (priority) {
    case ANEURALNETWORKS_PRIORITY_LOW: target_.priority = Priority::low; return {};
    case ANEURALNETWORKS_PRIORITY_MEDIUM: target_.priority = Priority::medium; return {};
    case ANEURALNETWORKS_PRIORITY_HIGH: target_.priority = Priority::high; return {};
    default: return bad_data("Priority ", priority, " does not exist.");
  }
}

Outcome Compilation::set_timeout(uint64_t duration) {
  NNRT_TRY(require_open());
  NNRT_TRY(require_one_device());
  timeout_ = duration;
  return {};
}

Outcome Compilation::set_caching(const char* directory, const uint8_t* token) {
  NNRT_TRY(require_open());
  const auto* const first = reinterpret_cast<const std::byte*>(token);
  target_.cache_token.assign(first, first + ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN);
  target_.cache_directory = directory;
  return {};
}

Outcome Compilation::finish() {
  NNRT_TRY(require_open());
  ended_ = true;
  const Deadline deadline = deadline_after(timeout_);
  NNRT_ASSIGN(auto plan, Plan::make(model_, target_));
  if (deadline && Clock::now() > *deadline) {
    return Failure{ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT,
                   cat("It took longer to compile than ", timeout_, " ns.")};
  }
  plan_ = std::move(plan);
  return {};
}

}  // namespace nnrt::nnapi
