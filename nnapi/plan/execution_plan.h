// A model prepared for devices, and its runs. Plan::make() compiles what is known before a run; operations
// whose shapes or parameters depend on a run are compiled in the first run, and cached.
#pragma once

#include "core/device/device.h"
#include "nnapi/model/model.h"

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nnrt::nnapi {

struct Target {
  std::vector<Device*> devices;  // empty: chosen by the runtime
  PerformanceMode performance = PerformanceMode::none;
  Priority priority = Priority::none;
  std::string cache_directory;  // empty: none
  Bytes cache_token;
};

// An input or output of a run. The bytes are in `memory`, or are the client's.
struct Argument {
  bool omitted = false;
  Dimensions dimensions;  // complete for an input; for an output, 0 if unknown
  std::byte* data = nullptr;
  size_t bytes = 0;                      // accessible bytes
  std::shared_ptr<SharedMemory> memory;  // may be null; otherwise contains `data`
};

struct RunOptions {
  Deadline deadline;
  std::chrono::nanoseconds loop_timeout{2'000'000'000};  // per WHILE
};

struct OutputShape {
  Dimensions dimensions;
  bool known = false;         // the run determined the dimensions
  bool insufficient = false;  // the buffer was too small
};

struct RunOutcome {
  Status status;  // also ok if a buffer was too small
  std::vector<OutputShape> outputs;
  std::chrono::nanoseconds on_hardware{}, in_driver{};
};

class Plan {
 public:
  virtual ~Plan() = default;

  // unsupported: an operation that none of the target's devices runs.
  static Result<std::shared_ptr<const Plan>> make(ModelPtr model, const Target& target);

  // Thread-safe.
  virtual RunOutcome run(std::span<const Argument> inputs, std::span<const Argument> outputs,
                         const RunOptions& options) const = 0;
};

// unsupported, with the reason, for an operation that no device runs.
Status check_supported(const Model& model, const Operation& operation);
// For each operation, in the client's order, whether one of the devices runs it.
Result<std::vector<bool>> supported_operations(const ModelPtr& model, std::span<Device* const> devices);

}  // namespace nnrt::nnapi
