// One run of a prepared graph and its state.
#pragma once

#include "backends/cpu/base/aligned_memory.h"
#include "backends/cpu/base/kernel.h"
#include "backends/cpu/engine/post_ops.h"
#include "backends/cpu/gemm/matmul_kernels.h"
#include "backends/cpu/simd/byte_table.h"
#include "core/base/memory_plan.h"
#include "core/device/device.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace nnrt::cpu {

inline constexpr uint32_t kNowhere = ~0u;

// State shared by all runs of a graph.
struct Program {
  // How a step computes its node, and the name in reports. The passes in step_passes.h choose all but the
  // first two, and those that a pass alone chooses have its name.
  struct OwnKernel {  // with the kernel of the operator
    static constexpr std::string_view kName = "direct";
  };
  struct View {  // as the memory of its input, in another shape
    static constexpr std::string_view kName = "view";
  };
  struct Folded {  // not at all: a later step includes the node
    static constexpr std::string_view kName = "folded";
    NodeId into;
  };
  struct Appended {  // a CONCAT that the step CacheAppends computes
    static constexpr std::string_view kName = "appended";
    NodeId into;
  };
  // ATTENTION and the CONCATs of its keys and values; kNowhere: it reads those as they are.
  struct CacheAppends {
    static constexpr std::string_view kName = "direct";
    std::array<NodeId, 2> concats{kNowhere, kNowhere};
  };
  struct Table {
    static constexpr std::string_view kName = "byte_table";
    TensorId source;
    ByteTable values;
  };
  // A depthwise convolution and the pointwise ones before and after it, computed by tiles of rows.
  struct RowTiles {
    static constexpr std::string_view kName = "row_tiles";
    NodeId expand, depthwise, project;  // kNowhere: there is none
  };
  // A quantized CONV2D whose result only this ADD reads, as operand `operand`.
  struct Residual {
    static constexpr std::string_view kName = "conv_residual";
    NodeId convolution;
    uint8_t operand;
    Int8Kernel kernel;
  };
  // CAST of the INT32 sums of a product, from which the product of `minus` is subtracted first, and the first
  // `scales` post-ops: MUL by the product of `factors`, and ADD of a value per column.
  struct ScaledProduct {
    static constexpr std::string_view kName = "scaled_product";
    NodeId product;
    std::vector<TensorId> minus, factors;  // up to two each
    size_t scales;
    Int8Kernel kernel;
  };
  using Method =
      std::variant<OwnKernel, View, Folded, Appended, CacheAppends, Table, RowTiles, Residual, ScaledProduct>;
  struct Step {
    Kernel kernel = nullptr;
    uint8_t chosen = kNotChosen;  // row of the operator's list
    bool infer = false;           // shapes are inferred in each run
    bool may_be_empty = false;    // a tensor is empty, or may be in a run
    Method method = OwnKernel{};
    std::vector<TensorId> last_uses = {};   // temporaries that no later step reads
    std::vector<PostOpNode> post_ops = {};  // post-ops the kernel does not compute itself
    std::unique_ptr<PrepackCache> prepacked = std::make_unique<PrepackCache>();

    template <typename T>
    bool is() const {
      return std::holds_alternative<T>(method);
    }
    // Whether the kernel of another operator computes the step, and nodes before it.
    bool includes_nodes() const { return is<RowTiles>() || is<Residual>() || is<ScaledProduct>(); }
  };

  // Returns whether every run computes the node alone, with its own kernel unless a tensor is empty.
  bool is_alone(NodeId id) const { return !deferred[id] && steps[id].is<OwnKernel>(); }
  bool is_ordinary(NodeId id) const { return is_alone(id) && !steps[id].may_be_empty; }
  // The nodes before `id` that its step computes too.
  std::vector<NodeId> included_nodes(NodeId id) const;

  GraphPtr graph;
  KernelSwitch kernels;                     // from when the model was prepared
  bool may_round = false;                   // KernelArgs::may_round
  std::vector<Step> steps;                  // one per node
  std::vector<bool> deferred;               // per node, as returned by deferred_errors()
  std::vector<uint32_t> slots;              // per tensor: the first output with its bytes, or kNowhere
  std::vector<const std::byte*> constants;  // per tensor
  // Per tensor: the last node that reads it, directly or through an alias; 0 if none.
  std::vector<NodeId> last_readers;
  bool fixed = false;                 // no step infers shapes: temporaries are in one arena
  MemoryPlan plan;                    // indexed by `places`, if fixed
  std::vector<Lifetime> lifetimes;    // the input to the plan
  std::vector<uint32_t> places;       // per tensor: its index in the plan, or kNowhere
  std::vector<TensorId> temporaries;  // per index: the first tensor placed there
};

// The memory of a run; reused by later runs.
struct RunContext {
  explicit RunContext(unsigned threads) : scratch(threads) {}

  std::vector<Shape> shapes;
  std::vector<const std::byte*> values;
  AlignedMemory arena;
  MemoryPool pool;
  std::vector<AlignedMemory> temporaries;  // per tensor, while it is live
  std::vector<uint32_t>
      missing;  // per tensor missing because of an error: its index in `errors`; otherwise kNowhere
  std::vector<Error> errors;  // reported only if the missing tensor is selected
  std::vector<const std::byte*> in;
  std::vector<const std::byte*> inner_in[2];  // of nodes that a step includes
  std::vector<std::byte*> out;
  Scratch scratch;
};

// Runs all steps, reading inputs and writing outputs in place.
Status run_program(const Program& program, RunContext& context, ThreadPool& pool,
                   std::span<const TensorView> inputs, std::span<OutputSlot> outputs, Deadline deadline);

// Size of a tensor of this shape; Code::memory if it overflows.
Result<size_t> byte_size(const Tensor& tensor, const Shape& shape);

}  // namespace nnrt::cpu
