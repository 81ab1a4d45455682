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
#include <optional>
#include <string>
#include <string_view>

namespace nnrt::vulkan {

// Where rows of a tensor's last dimension are stored inside the rows of another one, in elements.
struct ConcatSlice {
  Buffer buffer;
  uint32_t first = 0, pitch = 0;

  bool operator==(const ConcatSlice&) const = default;
};

// An image [N, H, W, C] that a kernel reads element by element.
struct Image {
  Buffer buffer;
  bool has_planes = false;  // stored as [N, C, H, W]

  bool operator==(const Image&) const = default;
};

// Where the rows of a tensor [batch, heads, rows, size] are stored: offset and strides, in elements. The
// elements of a row are contiguous.
struct RowPlaces {
  Buffer buffer;
  Slice slice = {};
  std::array<uint32_t, 3> strides{};
};

class LoopTrial;

// Receives the commands that lowering makes for one node. Program implements it; unit tests use their own.
class CommandSink {
 public:
  virtual ~CommandSink() = default;

  virtual void add(Command command) = 0;
  // Returns whether the copy needs no kernel: the source can be written in place of the copy, or a device
  // command does the copy, which was then added.
  virtual bool arrange(const Copy&) { return false; }
  // Temporary memory for this node.
  virtual Buffer scratch(size_t bytes) = 0;
  // Temporary memory for float elements of input `i`; fp16 if that input is stored as fp16.
  virtual Buffer scratch_of([[maybe_unused]] size_t i, size_t elements) {
    return scratch(elements * sizeof(float));
  }
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
  // The fp16 buffer of input `i`, for a node that is lowered as FLOAT32 although that input is stored as
  // fp16.
  virtual std::optional<Buffer> fp16_input(size_t) { return std::nullopt; }
  // The FLOAT32 tensor that an fp16 input is CAST from, or that an fp16 output is CAST to, if nothing else
  // needs the fp16 tensor. The lowering must then read or write it instead. `is_rounded`: it rounds to fp16
  // what it reads or writes, which is required if the CAST came from the client.
  virtual std::optional<Buffer> float_input(TensorId, [[maybe_unused]] bool is_rounded) {
    return std::nullopt;
  }
  virtual std::optional<Buffer> float_output(TensorId, [[maybe_unused]] bool is_rounded) {
    return std::nullopt;
  }
  // The image, or the source of the TRANSPOSE that made it if nothing else needs the result. The kernel reads
  // floats or fp16, and the lowering must read what is returned.
  virtual Image image(TensorId tensor) { return {{Buffer::Space::tensor, tensor}}; }
  // Where an input's rows are before, or an output's rows are after, data movement that nothing else needs.
  // Strides are multiples of `unit` elements. The lowering must read or write them there; nullopt: at their
  // regular place.
  virtual std::optional<RowPlaces> input_rows(TensorId, [[maybe_unused]] uint32_t unit) {
    return std::nullopt;
  }
  virtual std::optional<RowPlaces> output_rows(TensorId, [[maybe_unused]] uint32_t unit) {
    return std::nullopt;
  }
  // The slice of a CONCAT's result that replaces the output (concat_elision.h). The caller must write it
  // there.
  virtual std::optional<ConcatSlice> concat_slice(TensorId) { return std::nullopt; }
  // True if the tensor was written directly into a CONCAT's result and needs no copy.
  virtual bool is_stored_in_concat(TensorId) const { return false; }
  // Set while a kernel is lowered only to count its loop iterations (loop_limit.h).
  virtual LoopTrial* loop_trial() { return nullptr; }
  // Receives the kernel choices; null if not wanted.
  virtual KernelLog* kernel_log() { return nullptr; }
  // Receives the tiles that are worth measuring; null if not wanted.
  virtual std::vector<TileRequest>* tile_requests() { return nullptr; }
  // Makes the output the input's bytes: without a command if the program can alias them, else by a copy.
  virtual void alias(TensorId output, TensorId input, size_t bytes) = 0;
};

struct LoweringContext {
  const NodeView& node;  // all shapes static; shape-defining inputs known
  const DevicePlan& plan;
  CommandSink& sink;

  Buffer input(size_t i) const { return {Buffer::Space::tensor, node.node().inputs[i]}; }
  Buffer output(size_t i = 0) const { return {Buffer::Space::tensor, node.node().outputs[i]}; }
};

struct Lowering {
  // Returns why the node is refused, from dtypes, ranks and what is known of shapes and values before the
  // run.
  Refusal (*refuse)(const NodeView&, const DevicePlan&);
  Status (*lower)(const LoweringContext&);
};

// Null if there is none.
const Lowering* lowering(Op op);

}  // namespace nnrt::vulkan
