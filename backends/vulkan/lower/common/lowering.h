// Node -> commands. Pure: shapes in, values out; no Vulkan call.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/device/loop_limit.h"
#include "backends/vulkan/pipeline/dispatch.h"
#include "core/device/device.h"
#include "core/schema/node_view.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace nnrt::vulkan {

// Rows of a tensor's last dimension inside the rows of another one, in elements.
struct ConcatSlice {
  Buffer buffer;
  uint32_t first = 0, pitch = 0;

  bool operator==(const ConcatSlice&) const = default;
};

// The buffer of an image [N, H, W, C] for a kernel that reads it element by element.
struct Image {
  Buffer buffer;
  bool has_planes = false;  // as [N, C, H, W]

  bool operator==(const Image&) const = default;
};

// Rows of a tensor [batch, heads, rows, size] where their elements lie side by side: from where on in a
// buffer, and how far apart batches, heads and rows are, in elements.
struct RowPlaces {
  Buffer buffer;
  Slice slice = {};
  std::array<uint32_t, 3> strides{};
};

class LoopTrial;

// Takes what lowering makes of one node. (Program implements it; unit tests have their own.)
class CommandSink {
 public:
  virtual ~CommandSink() = default;

  virtual void add(Command command) = 0;
  // Returns whether the program needs no kernel for the copy: because it can arrange that what is copied lies
  // there already, or because only a command of the device can copy it, which it has then added.
  virtual bool arrange(const Copy&) { return false; }
  // Temporary memory of this node alone.
  virtual Buffer scratch(size_t bytes) = 0;
  // Temporary memory for floats that are elements of input `i`: kernels have fp16 there where that one is.
  virtual Buffer scratch_of([[maybe_unused]] size_t i, size_t elements) {
    return scratch(elements * sizeof(float));
  }
  // False: nobody wants the contents of constants, and `pack` is never called.
  virtual bool wants_data() const { return true; }
  // A constant in the form a kernel wants. `pack` is called once for each (tensor, form) in a prepared
  // model's life, or not at all where a cache has them. `bytes` is how many it gives, where that is known
  // before (else 0, for what is small): on a device whose kernels may leave their buffers, a cache is
  // believed in nothing else.
  virtual Buffer packed(TensorId tensor, std::string_view form, const std::function<Bytes()>& pack,
                        uint64_t bytes = 0) = 0;
  // Input `i` of a node that is lowered as one of FLOAT32 if it is stored in fp16, for kernels that want
  // that.
  virtual std::optional<Buffer> fp16_input(size_t) { return std::nullopt; }
  // The FLOAT32 tensors of which an fp16 input is the CAST, and to which an fp16 output is cast, if nothing
  // else needs what lies between: a lowering that asks must read or write them instead. `is_rounded`: it
  // rounds what it reads to fp16, or writes values of fp16, as it must where the client has the CAST.
  virtual std::optional<Buffer> float_input(TensorId, [[maybe_unused]] bool is_rounded) {
    return std::nullopt;
  }
  virtual std::optional<Buffer> float_output(TensorId, [[maybe_unused]] bool is_rounded) {
    return std::nullopt;
  }
  // An image, or what it is the TRANSPOSE of if nothing else needs it, for a kernel that reads floats or fp16
  // from there: a lowering that asks must read what it is given.
  virtual Image image(TensorId tensor) { return {{Buffer::Space::tensor, tensor}}; }
  // The places of the rows of an input that movement would only have copied together, and of those of an
  // output that movement alone reads. Distances are whole multiples of `unit` elements. A lowering that asks
  // must read or write them there, or where they are by themselves if there is nothing.
  virtual std::optional<RowPlaces> input_rows(TensorId, [[maybe_unused]] uint32_t unit) {
    return std::nullopt;
  }
  virtual std::optional<RowPlaces> output_rows(TensorId, [[maybe_unused]] uint32_t unit) {
    return std::nullopt;
  }
  // The slice of a CONCAT's result (concat_elision.h) that the output is; callers must write it there.
  virtual std::optional<ConcatSlice> concat_slice(TensorId) { return std::nullopt; }
  // True: the tensor was so computed, and is not to be moved.
  virtual bool is_stored_in_concat(TensorId) const { return false; }
  // Set where a kernel is lowered only to count its loop iterations (loop_limit.h).
  virtual LoopTrial* loop_trial() { return nullptr; }
  // Takes what was chosen from lists of kernels; null where nobody asks.
  virtual KernelLog* kernel_log() { return nullptr; }
  // Takes the tiles that a choice was made among, for who measures them; null where nobody asks.
  virtual std::vector<TileRequest>* tile_requests() { return nullptr; }
  // The output is the input's bytes: no command where the program can arrange it, else a copy.
  virtual void alias(TensorId output, TensorId input, size_t bytes) = 0;
};

struct LoweringContext {
  const NodeView& node;  // all shapes static; value inputs known
  const DevicePlan& plan;
  CommandSink& sink;

  Buffer input(size_t i) const { return {Buffer::Space::tensor, node.node().inputs[i]}; }
  Buffer output(size_t i = 0) const { return {Buffer::Space::tensor, node.node().outputs[i]}; }
};

struct Lowering {
  // Returns why the node is refused, if it is: judged before any run by dtypes, ranks and what is known of
  // shapes and values.
  Refusal (*refuse)(const NodeView&, const DevicePlan&);
  Status (*lower)(const LoweringContext&);
};

// Null where there is none.
const Lowering* lowering(Op op);

}  // namespace nnrt::vulkan
