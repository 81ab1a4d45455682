// A model made ready for devices, and its runs. What is known before a run is compiled by Plan::make(); the
// rest, operations whose shapes or parameters only a run knows, at their first run, and kept.
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
  std::vector<Device*> devices;  // the client's choice; empty: the runtime chooses
  PerformanceMode performance = PerformanceMode::none;
  Priority priority = Priority::none;
  std::string cache_directory;  // empty: none
  Bytes cache_token;
};

// One input or output of a run. The bytes are those of a memory, or else the client's.
struct Argument {
  bool omitted = false;
  Dimensions dimensions;  // all known for an input; as far as they are known for an output, 0 where not
  std::byte* data = nullptr;
  size_t bytes = 0;                      // bytes that may be read or written
  std::shared_ptr<SharedMemory> memory;  // may be null; `data` lies in it
};

struct RunOptions {
  Deadline deadline;
  std::chrono::nanoseconds loop_timeout{2'000'000'000};  // for each WHILE
};

struct OutputShape {
  Dimensions dimensions;
  bool known = false;         // the run found the dimensions out
  bool insufficient = false;  // the buffer was too small
};

struct RunOutcome {
  Status status;  // ok also where a buffer was too small
  std::vector<OutputShape> outputs;
  std::chrono::nanoseconds on_hardware{}, in_driver{};
};

class Plan {
 public:
  virtual ~Plan() = default;

  // unsupported: an operation that none of the target's devices runs.
  static Result<std::shared_ptr<const Plan>> make(ModelPtr model, const Target& target);

  // Safe to call from several threads at once.
  virtual RunOutcome run(std::span<const Argument> inputs, std::span<const Argument> outputs,
                         const RunOptions& options) const = 0;
};

// For each operation, in the client's order, whether the runtime knows it at all.
std::vector<bool> known_operations(const Model& model);
// The same of what one of the devices runs.
Result<std::vector<bool>> supported_operations(const ModelPtr& model, std::span<Device* const> devices);

}  // namespace nnrt::nnapi
