// The resources of one run at a time: memory for intermediates, recordings, a timeline to wait on.
#pragma once

#include "backends/vulkan/memory/device_buffer.h"
#include "backends/vulkan/runtime/recording.h"
#include "core/device/device.h"

#include <list>
#include <memory>
#include <vector>

namespace nnrt::vulkan {

// Not thread safe. After a timeout the work goes on; everything it uses is held until it is done, and
// the next run or the destructor waits for that first.
class RunContext {
 public:
  static Result<std::unique_ptr<RunContext>> create(ContextPtr context, uint32_t queue);
  RunContext(ContextPtr context, UniqueSemaphore timeline, uint32_t queue);
  ~RunContext();

  const Context& context() const { return *context_; }

  // True: the last run's work is still on the device.
  bool busy() const;

  // Makes the memory for intermediates, so that no run has to.
  Status reserve(const Program& program);

  // Gives up what was recorded of a program that is run no more, at the latest in the next run.
  void forget(const Program& program) noexcept;

  // Views of the program's edges: inputs, then outputs, each with room enough.
  Status run(const std::shared_ptr<const Program>& program, std::span<const TensorView> edges,
             Deadline deadline);

 private:
  // The ways in which an edge's memory reaches the kernels.
  enum class BindMode : uint8_t { unused, bound, copied, staged };
  struct Binding {
    BindMode mode = BindMode::unused;
    uint64_t memory_id = 0, offset = 0;
    VkBuffer buffer = VK_NULL_HANDLE;
    std::shared_ptr<const void> owner;  // owns the buffer

    bool operator==(const Binding& other) const {
      return mode == other.mode && memory_id == other.memory_id && offset == other.offset;
    }
  };
  struct Recorded {
    std::shared_ptr<const Program> program;
    std::vector<Binding> bindings;  // without owners
    bool traced = false;            // has timestamps
    Recording recording;
    bool is_forgotten = false;  // it goes when the device is done with it
  };

  Status wait_idle(Deadline deadline);
  Result<Binding> bind(const Edge& edge, const TensorView& view) const;
  // The outputs that a program must not write while it runs, for they lie over inputs that it reads later:
  // they are copied there behind the last step.
  static std::vector<bool> outputs_over_inputs(const Program& program, std::span<const Binding> bindings);
  bool is_traced() const;  // with the times of steps
  Status reserve_edges(const Program& program, std::span<const Binding> bindings,
                       const std::vector<bool>& is_written_late);
  Status grow(DeviceBuffer& buffer, uint64_t bytes, MemoryKind kind);
  // Null where it was not recorded, or what it used is gone.
  const Recording* find_recording(const std::shared_ptr<const Program>& program,
                                  std::span<const Binding> bindings);
  Result<const Recording*> record_anew(const std::shared_ptr<const Program>& program,
                                       std::vector<Binding> bindings);
  // Between the staging buffer and the host's memory.
  void copy_staged(const Program& program, std::span<const Binding> bindings,
                   std::span<const TensorView> edges, bool outputs) const;

  const ContextPtr context_;
  const UniqueSemaphore timeline_;
  const uint32_t queue_;                  // it submits to this one
  uint64_t submitted_ = 0, retired_ = 0;  // values of the timeline
  DeviceBuffer arena_, edge_memory_, staging_;
  std::list<Recorded> recordings_;                 // the latest used first
  std::vector<std::shared_ptr<const void>> held_;  // by the work on the device
};

}  // namespace nnrt::vulkan
