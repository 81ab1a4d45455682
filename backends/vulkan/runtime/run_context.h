// The resources of one run at a time: memory for intermediates, recordings, and a timeline semaphore.
#pragma once

#include "backends/vulkan/memory/device_buffer.h"
#include "backends/vulkan/runtime/recording.h"
#include "core/device/device.h"

#include <list>
#include <memory>
#include <vector>

namespace nnrt::vulkan {

// Not thread safe. After a timeout the work continues; its resources are held until it is done, and the next
// run or the destructor waits for it.
class RunContext {
 public:
  static Result<std::unique_ptr<RunContext>> create(ContextPtr context, uint32_t queue);
  RunContext(ContextPtr context, UniqueSemaphore timeline, uint32_t queue);
  ~RunContext();

  // True while the last run's work is still on the device.
  bool busy() const;

  // Allocates the memory for intermediates ahead of the first run.
  Status reserve(const Program& program);

  // Drops the recordings of a program that will not run again, at the latest in the next run.
  void forget(const Program& program) noexcept;

  // `edges`: inputs, then outputs, each large enough.
  Status run(const std::shared_ptr<const Program>& program, std::span<const TensorView> edges,
             Deadline deadline);

 private:
  // How kernels access an edge's memory.
  enum class BindMode : uint8_t { unused, bound, copied, staged };
  struct Binding {
    BindMode mode = BindMode::unused;
    uint64_t memory_id = 0, offset = 0;
    VkBuffer buffer = VK_NULL_HANDLE;
    std::shared_ptr<const void> owner;  // keeps the buffer alive

    bool operator==(const Binding& other) const {
      return mode == other.mode && memory_id == other.memory_id && offset == other.offset;
    }
  };
  struct Recorded {
    std::shared_ptr<const Program> program;
    std::vector<Binding> bindings;  // without owners
    bool traced = false;            // with timestamps
    Recording recording;
    bool is_forgotten = false;  // to be dropped when the device is done with it
  };

  Status wait_idle(Deadline deadline);
  Result<Binding> bind(const Edge& edge, const TensorView& view) const;
  // Outputs that overlap inputs which the program reads later. They are computed elsewhere and copied after
  // the last step.
  static std::vector<bool> outputs_over_inputs(const Program& program, std::span<const Binding> bindings);
  bool is_traced() const;  // with step times
  Status reserve_edges(const Program& program, std::span<const Binding> bindings,
                       const std::vector<bool>& is_written_late);
  Status grow(DeviceBuffer& buffer, uint64_t bytes, MemoryKind kind);
  // Null if it was not recorded, or if memory that it used is gone.
  const Recording* find_recording(const std::shared_ptr<const Program>& program,
                                  std::span<const Binding> bindings);
  Result<const Recording*> record_anew(const std::shared_ptr<const Program>& program,
                                       std::vector<Binding> bindings);
  // Copies between the staging buffer and host memory.
  void copy_staged(const Program& program, std::span<const Binding> bindings,
                   std::span<const TensorView> edges, bool outputs) const;

  const ContextPtr context_;
  const UniqueSemaphore timeline_;
  const uint32_t queue_;                  // that it submits to
  uint64_t submitted_ = 0, retired_ = 0;  // timeline values
  DeviceBuffer arena_, edge_memory_, staging_;
  std::list<Recorded> recordings_;                 // most recently used first
  std::vector<std::shared_ptr<const void>> held_;  // in use by the device
};

}  // namespace nnrt::vulkan
