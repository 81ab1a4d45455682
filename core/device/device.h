// The interface between the runtime and a device; implemented by the CPU, Vulkan GPUs, plugins and test
// fakes.
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

// Values as in OH_NN_DeviceType, OH_NN_PerformanceMode and OH_NN_Priority.
enum class DeviceType : uint8_t { others, cpu, gpu, accelerator };
enum class PerformanceMode : uint8_t { none, low, medium, high, extreme };
enum class Priority : uint8_t { none, low, medium, high };

// Higher ranks go first; `none` ranks as medium.
constexpr int rank(Priority priority) {
  return static_cast<int>(priority == Priority::none ? Priority::medium : priority);
}

enum class DeviceStatus : uint8_t { available, busy, lost };

struct DeviceInfo {
  size_t id = 0;     // never 0; the same in every process
  std::string name;  // as clients see it
  std::string vendor;
};

// A property of a device for users and tools: {"memory_bytes", 4294967296}.
struct DeviceProperty {
  std::string name;
  std::variant<bool, uint64_t, std::string> value;
};

struct CompileOptions {
  bool float16 = false;
  PerformanceMode performance = PerformanceMode::none;
  Priority priority = Priority::none;
  std::map<std::string, std::string, std::less<>>
      extensions{};  // the client's extension configs, for plugins
};

// Features that a plugin may lack. Built-in devices have all of them.
enum class Feature : uint8_t { caching, float16, performance, priority };

// Minimum and maximum of each dimension of an input; equal if fixed.
struct DimRange {
  std::vector<size_t> smallest, largest;
};

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;  // empty: none

// Empty, or the reason why the device does not support a node: "Rank (7) exceeds 6".
using Refusal = std::optional<std::string>;

// An output tensor of a run. Its memory may be missing or too small for the result if it may grow, as that of
// an edge between partitions.
struct OutputSlot {
  TensorView view;
  bool may_grow = false;

  // Makes room for the result, of view.shape, in output `index`. Every run calls it as soon as the size is
  // known, the device where only the run determines it: invalid_parameter if the memory is too small and may
  // not grow.
  Status make_room(size_t index, size_t bytes);
};

// "Output 0 of shape [3] takes 12 bytes; its memory has 8."
Error no_room(std::string_view side, size_t index, const Shape& shape, size_t bytes, size_t room);

// Arena layout of a prepared model, for reports.
struct ArenaPlan {
  struct Allocation {
    std::string name;
    uint64_t offset = 0, bytes = 0;
    uint32_t first = 0, last = 0;  // first and last step that use it, inclusive
  };
  uint64_t bytes = 0;
  std::vector<Allocation> allocations;
};

// A graph prepared for one device. Thread-safe: per-run state comes from a pool.
class PreparedModel {
 public:
  virtual ~PreparedModel() = default;

  // Inputs and outputs are in graph order, of the graph's dtypes and of shapes that fit it, with enough bytes
  // for every shape that is known. Writes each output's shape into its slot, as far as known even if the run
  // fails.
  virtual Status run(std::span<const TensorView> inputs, std::span<OutputSlot> outputs,
                     Deadline deadline) = 0;

  // Dimension ranges accepted for the graph's inputs. Empty: anything that fits in memory.
  virtual Result<std::vector<DimRange>> input_ranges() { return std::vector<DimRange>(); }

  // Returns bytes from which Device::restore() recreates this model faster than prepare(); deterministic for
  // a graph, device and options. Empty: not supported. `graph` is the graph the model was made from, so that
  // a model need not keep its constants.
  virtual Result<Bytes> export_cache(const GraphPtr& graph) const {
    static_cast<void>(graph);
    return Bytes{};
  }

  // Returns whether an output may be written over an input at the same address: the input is not read after
  // it is overwritten. The next run can then use the output as its input.
  virtual bool may_share(size_t input, size_t output) const {
    static_cast<void>(input);
    static_cast<void>(output);
    return false;
  }

  // Returns whether the model handles views with a residence itself. Otherwise their contents are copied to
  // host memory before the run.
  virtual bool uses_residence() const { return false; }

  // False: no fallback is needed when a run is out of memory, so the graph's constants need not be kept for
  // one.
  virtual bool may_lack_memory() const { return true; }

  // Empty if it is only planned at run time.
  virtual ArenaPlan arena() const { return {}; }

  // Reports the kernel of each operation; operations fused into another one have no entry. Empty: not
  // reported. `graph` as in export_cache().
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
  // Drivers are queried each time, and may fail.
  virtual Result<DeviceType> type() const = 0;
  // unavailable_device, or another code, if the device cannot answer.
  virtual Result<bool> has(Feature) const { return true; }
  // A plugin's answer is trusted even for nodes with a diagnosis. If it answers for fewer nodes than the
  // graph has, the rest count as supported.
  virtual bool is_plugin() const { return false; }
  // True: a model built for it runs either completely on it or not at all.
  virtual bool is_exclusive() const { return false; }
  // One entry per node; unavailable_device, or another code, if the device cannot answer. Built-in devices
  // refuse nodes with a diagnosis, giving its message.
  virtual Result<std::vector<Refusal>> supports(const Graph& graph, const CompileOptions& options) const = 0;
  // The graph comes from normalize(): data of convolutions, pooling and resizing is NHWC.
  virtual Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, const CompileOptions& options) = 0;
  // What else export_cache() depends on: driver and version, shaders, instruction set.
  virtual std::string cache_key() const { return {}; }
  // prepare(), using the result of export_cache() for the same graph, options and key. The checksum has been
  // verified, but the bytes may still be forged and must be validated. Larger blobs are page-aligned in a
  // stored cache; the model may keep them and use them in place.
  virtual Result<std::unique_ptr<PreparedModel>> restore(GraphPtr graph, const CompileOptions& options,
                                                         const SharedBytes& cached) {
    static_cast<void>(cached);
    return prepare(std::move(graph), options);
  }
  // Larger tensors are refused, at the latest by the run.
  virtual uint64_t max_tensor_bytes() const { return std::numeric_limits<uint64_t>::max(); }
  // Limits the number of concurrent runs of this device's models. Null: no limit.
  virtual RunGate* gate() { return nullptr; }
  // From the built-in table; core/placement/calibrated_costs.h has better values.
  virtual DeviceCosts costs() const { return kUnknownCosts; }
  // Kernels that the user forces or forbids.
  virtual KernelSwitch kernel_switch() const { return {}; }
  // Member devices of a device that only distributes nodes. Empty: it runs nodes itself.
  virtual std::span<Device* const> members() const { return {}; }
  // A memfd, unless the device overrides it.
  virtual Result<std::shared_ptr<SharedMemory>> allocate(size_t bytes) { return SharedMemory::create(bytes); }
};

// Returns whether it is a built-in device that computes on this machine's CPU. Does not query a driver.
bool is_own_cpu(const Device& device);

// supports(), except that a device that cannot answer supports nothing, nor does a built-in device support
// nodes that it gives no answer for.
std::vector<Refusal> refusals_of(const Device& device, const Graph& graph, const CompileOptions& options);

}  // namespace nnrt
