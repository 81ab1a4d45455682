// The interface between the runtime and a device. CPU, Vulkan GPUs, plugins and the tests' fake implement it.
#pragma once

#include "core/device/device_costs.h"
#include "core/graph/graph.h"
#include "core/passes/kernel_choice.h"
#include "core/platform/shared_memory.h"

#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace nnrt {

// The numbers are those of OH_NN_DeviceType, OH_NN_PerformanceMode and OH_NN_Priority.
enum class DeviceType : uint8_t { others, cpu, gpu, accelerator };
enum class PerformanceMode : uint8_t { none, low, medium, high, extreme };
enum class Priority : uint8_t { none, low, medium, high };

// The larger rank comes first; `none` ranks with medium.
constexpr int rank(Priority priority) {
  return static_cast<int>(priority == Priority::none ? Priority::medium : priority);
}

enum class DeviceStatus : uint8_t { available, busy, lost };

struct DeviceInfo {
  size_t id = 0;     // never 0; the same in every process
  std::string name;  // as clients see it
  std::string vendor;
};

// Something that people and tools want to know of a device: {"memory_bytes", 4294967296}.
struct DeviceProperty {
  std::string name;
  std::variant<bool, uint64_t, std::string> value;
};

struct CompileOptions {
  bool float16 = false;
  PerformanceMode performance = PerformanceMode::none;
  Priority priority = Priority::none;
  std::map<std::string, std::string, std::less<>> extensions{};  // the client's configuration, for plugins
};

// Features that a plugin may lack. The devices that come with the runtime have all.
enum class Feature : uint8_t { caching, float16, performance, priority };

// The least and the most of each dimension of an input; the same where it is fixed.
struct DimRange {
  std::vector<size_t> smallest, largest;
};

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;  // empty: none

// Empty, or why the device does not support a node: "Rank (7) exceeds 6".
using Refusal = std::optional<std::string>;

// A tensor that a run writes. If `may_grow`, the device replaces a memory that is missing or too small (an
// edge between partitions whose size is known only in the run); otherwise too little room is
// Code::invalid_parameter, with view.shape saying what was needed.
struct OutputSlot {
  TensorView view;
  bool may_grow = false;
};

// The layout of the intermediates of a prepared model in memory, for people.
struct ArenaPlan {
  struct Allocation {
    std::string name;
    uint64_t offset = 0, bytes = 0;
    uint32_t first = 0, last = 0;  // steps that touch it, both inclusive
  };
  uint64_t bytes = 0;
  std::vector<Allocation> allocations;
};

// A graph made ready on one device. Safe to run from several threads: what a run needs for itself is kept in
// a pool.
class PreparedModel {
 public:
  virtual ~PreparedModel() = default;

  // In the order of the graph's inputs and outputs. Writes each output's shape into its slot, as far as it is
  // known also when the run fails. Every input has enough bytes for its (static) shape.
  virtual Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
                     Deadline deadline) = 0;

  // The ranges that the device accepts of each of the graph's inputs. Empty: all that has room in its memory.
  virtual Result<std::vector<DimRange>> input_ranges() { return std::vector<DimRange>(); }

  // Returns bytes of which Device::restore() makes this model with less work than prepare(): the same bytes
  // for the same graph, device and options. Empty: prepare() is all there is. `graph` is that which the model
  // was made of: a model need not keep its constants.
  virtual Result<Bytes> export_cache(const GraphPtr& graph) const {
    static_cast<void>(graph);
    return Bytes{};
  }

  // Returns whether a run may write that output over that input, which lies at the same address: nobody reads
  // a byte of the input after it was written. The next run then finds the output as its input.
  virtual bool may_share(size_t input, size_t output) const {
    static_cast<void>(input);
    static_cast<void>(output);
    return false;
  }

  // Returns whether views with a residence may be given to a run: the model asks it for the contents, and
  // writes them where it says. Else the contents come to the host's memory before the run.
  virtual bool uses_residence() const { return false; }

  // False: no other device does better if a run finds no memory, so nobody keeps the graph's constants for
  // that.
  virtual bool may_lack_memory() const { return true; }

  // Empty where it is planned only in the run.
  virtual ArenaPlan arena() const { return {}; }

  // Finds out how it computes the operations. An operation that became part of another one has no entry.
  // Empty: the device does not report it. `graph` is as export_cache() takes it.
  virtual KernelReport kernels(const GraphPtr& graph) const {
    static_cast<void>(graph);
    return {};
  }
};

class RunGate;

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  virtual std::vector<DeviceProperty> properties() const { return {}; }
  virtual DeviceStatus status() const = 0;
  // A driver is asked each time, and may fail to answer.
  virtual Result<DeviceType> type() const = 0;
  // unavailable_device, or another code, if it cannot answer.
  virtual Result<bool> has(Feature) const { return true; }
  // A plugin is asked of nodes with a diagnosis as well, and believed. If it answers for fewer nodes than
  // there are, it supports the others.
  virtual bool is_plugin() const { return false; }
  // True: a model that is built for it runs on it as a whole or not at all.
  virtual bool is_exclusive() const { return false; }
  // For each node of the graph; unavailable_device, or another code, where it cannot answer. Nodes with a
  // diagnosis are refused by our devices with its message.
  virtual Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions& options) const = 0;
  // The graph comes from normalize(): data of convolutions, pools and resizes is NHWC.
  virtual Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) = 0;
  // export_cache() depends on it besides graph and options: driver and its version, shaders, instruction set.
  virtual std::string cache_key() const { return {}; }
  // prepare(), given what export_cache() of a model of the same graph and options made under the same key.
  // The bytes are those that were written (their checksum was compared), but may come from anybody: what they
  // say is checked before it is used. More than a few begin a page where the cache was stored; the model
  // may keep them and work on them.
  virtual Result<std::unique_ptr<PreparedModel>> restore(GraphPtr graph, const CompileOptions& options,
                                                         const SharedBytes& cached) {
    static_cast<void>(cached);
    return prepare(std::move(graph), options);
  }
  // A tensor of more is refused, at the latest by the run.
  virtual uint64_t max_tensor_bytes() const { return std::numeric_limits<uint64_t>::max(); }
  // Each run of a model of this device passes the gate, as many at once as serve the device best. Null: no
  // limit.
  virtual RunGate* gate() { return nullptr; }
  // From the table of what comes with the runtime; see core/placement/calibrated_costs.h for better.
  virtual DeviceCosts costs() const { return kUnknownCosts; }
  // Returns what the user forces and forbids for it by name.
  virtual KernelSwitch kernel_switch() const { return {}; }
  // The devices among which one that runs nothing itself chooses for each node. Empty: it runs nodes itself.
  virtual std::span<Device* const> members() const { return {}; }
  // A memfd, unless a device knows better.
  virtual Result<std::shared_ptr<SharedMemory>> allocate(size_t bytes) { return SharedMemory::create(bytes); }
};

// Returns whether it is one of the runtime's own devices and computes on this machine's CPU. Asks no driver.
bool is_own_cpu(const Device& device);

// supports(), where a device that cannot answer supports nothing, and one of ours nothing that it does not
// answer for.
std::vector<Refusal> refusals_of(const Device& device, const Graph& graph, const CompileOptions& options);

}  // namespace nnrt
