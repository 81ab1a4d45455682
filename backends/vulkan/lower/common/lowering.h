// Node -> commands. Pure: shapes in, values out; no Vulkan call.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/device/loop_limit.h"
#include "backends/vulkan/memory/packing.h"
#include "backends/vulkan/pipeline/dispatch.h"
#include "core/device/device.h"
#include "core/schema/node_view.h"

#include <array>
#include <functional>
#include <string>
#include <string_view>

namespace nnrt::vulkan {

// Where a tensor's elements are, and how they are stored.
struct View {
  // What a kernel takes besides the tensor itself, as a bit mask.
  using Takes = uint32_t;
  static constexpr Takes
      none = 0,
      fp16 = 1,     // the 16-bit words of a FLOAT16 tensor; otherwise the kernel gets it converted to floats
      floats = 2,   // the FLOAT32 tensor that an fp16 one is CAST from or to
      rounded = 4,  // the same if each access must round to fp16, because the CAST is the client's
      planes = 8,   // an image [N, H, W, C] stored as [N, C, H, W]
      heads = 16,   // rows of [batch, heads, rows, size] at any strides that are whole vectors
      slice = 32;   // an output's rows within the longer rows of a CONCAT's result

  Buffer buffer;
  DType stored = DType::f32;
  bool rounds = false;                // each access rounds to fp16
  uint32_t offset = 0;                // of the first element
  std::array<uint32_t, 4> strides{};  // of the last four dimensions, in elements

  // The tensor itself.
  static View dense(Buffer buffer, DType dtype, const Shape& shape);
  // Rows of `columns` floats, one behind the other.
  static View rows(Buffer buffer, uint32_t columns) {
    return {.buffer = buffer, .strides = {0, 0, columns, 1}};
  }

  uint32_t row() const { return strides[2]; }
  bool has_planes() const { return strides[3] != 1; }

  bool operator==(const View&) const = default;
};

// Receives the commands that lowering makes for one node. Program implements it; unit tests use their own.
class CommandSink {
 public:
  virtual ~CommandSink() = default;

  virtual void add(Command command) = 0;
  // Returns whether the copy needs no kernel: its result shares the source's memory, or a device command does
  // the copy, which was then added.
  virtual bool elide(const Copy&) { return false; }
  // Temporary memory for this node.
  virtual Buffer scratch(size_t bytes) = 0;
  // False: constants have no data here, and nothing is packed.
  virtual bool wants_data() const { return true; }
  // A constant packed for a kernel, once per (tensor, form) during the life of a prepared model, or never if
  // a cache has the result. `bytes`: the packed size if known in advance, else 0 (small constants only).
  // Devices without robust buffer access accept a cached blob only if it has exactly this size.
  virtual Buffer packed(TensorId tensor, std::string_view form, const Packing& packing,
                        uint64_t bytes = 0) = 0;
  // The Winograd limit of a constant (core/passes/winograd_range.h): computed once per prepared model, or
  // never if a cache has it.
  virtual float winograd_limit(TensorId, const std::function<float()>& compute) { return compute(); }
  // Where an operand is: `own`, which is the tensor itself, or a view that the kernel takes. The kernel must
  // then read or write it there. Lowering calls LoweringContext::view().
  virtual View view(const View& own, View::Takes) { return own; }
  // Receives the kernel choices; null if not wanted.
  virtual KernelLog* kernel_log() { return nullptr; }
  // Receives the tiles that are worth measuring; null if not wanted.
  virtual std::vector<TileRequest>* tile_requests() { return nullptr; }
};

struct LoweringContext {
  const NodeView& node;  // all shapes static; shape-defining inputs known
  const DevicePlan& plan;
  CommandSink& sink;
  View::Takes takes = View::none;  // what the operator and the chosen kernel take

  Buffer input(size_t i) const { return {Buffer::Space::tensor, node.node().inputs[i]}; }
  Buffer output(size_t i = 0) const { return {Buffer::Space::tensor, node.node().outputs[i]}; }

  View view(size_t i) const { return view(i, takes); }
  View view(size_t i, View::Takes taken) const;
  View output_view(size_t i = 0) const { return output_view(i, takes); }
  View output_view(size_t i, View::Takes taken) const;
};

struct Lowering {
  // Returns why the node is refused, from dtypes, ranks and what is known of shapes and values before the
  // run.
  Refusal (*refuse)(const NodeView&, const DevicePlan&);
  Status (*lower)(const LoweringContext&);
  View::Takes takes = View::none;
};

// Null if there is none.
const Lowering* lowering(Op op);

}  // namespace nnrt::vulkan
