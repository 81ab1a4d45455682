// One run of a prepared graph, and what it needs for itself.
#pragma once

#include "backends/cpu/base/aligned_memory.h"
#include "backends/cpu/base/kernel.h"
#include "backends/cpu/engine/post_ops.h"
#include "core/base/memory_plan.h"
#include "core/device/device.h"

#include <memory>
#include <span>
#include <vector>

namespace nnrt::cpu {

inline constexpr uint32_t kNowhere = ~0u;

// The state that all runs of a graph share.
struct Program {
  struct Step {
    Kernel kernel = nullptr;
    uint8_t chosen = kNotChosen;            // the row of the operator's list
    bool alias = false;                     // the output is the input's memory in another shape
    bool infer = false;                     // shapes are known only in the run
    bool may_be_empty = false;              // a tensor has no elements, or may have none in a run
    std::vector<TensorId> last_uses = {};   // temporaries that no later step reads
    std::vector<PostOpNode> post_ops = {};  // fused steps that the kernel does not compute itself
    std::unique_ptr<PrepackCache> prepacked = std::make_unique<PrepackCache>();
  };

  GraphPtr graph;
  KernelSwitch kernels;                     // as they were when the model was prepared
  std::vector<Step> steps;                  // one for each node
  std::vector<bool> deferred;               // for each node, as deferred_errors() says
  std::vector<uint32_t> slots;              // for each tensor its first index among the outputs, or kNowhere
  std::vector<const std::byte*> constants;  // for each tensor
  // For each tensor the last node that reads it, itself or through an alias; 0 where none does.
  std::vector<NodeId> last_readers;
  bool fixed = false;                 // no step infers: temporaries lie in one arena
  MemoryPlan plan;                    // by `places`, if fixed
  std::vector<Lifetime> lifetimes;    // the plan is made for these
  std::vector<uint32_t> places;       // for each tensor its index in the plan, or kNowhere
  std::vector<TensorId> temporaries;  // for each index the first tensor that lies there
};

// The memory of one run; kept for the next.
struct RunContext {
  explicit RunContext(unsigned threads) : scratch(threads) {}

  std::vector<Shape> shapes;
  std::vector<const std::byte*> values;
  AlignedMemory arena;
  MemoryPool pool;
  std::vector<AlignedMemory> temporaries;  // for each tensor, while it lives
  std::vector<uint32_t>
      missing;                // for each tensor that an error leaves out, its index in `errors`; or kNowhere
  std::vector<Error> errors;  // those that do not count unless what they leave out is chosen
  std::vector<const std::byte*> in;
  std::vector<std::byte*> out;
  Scratch scratch;
};

// Runs all steps. Reads inputs and writes outputs where they lie.
Status run_program(const Program& program, RunContext& context, ThreadPool& pool,
                   std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline);

// The bytes of a tensor in this shape; Code::memory where no machine has as many.
Result<size_t> byte_size(const Tensor& tensor, const Shape& shape);

}  // namespace nnrt::cpu
