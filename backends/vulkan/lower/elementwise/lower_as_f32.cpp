#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/elementwise/constants_as_float.h"
#include "backends/vulkan/lower/elementwise/lower_cast.h"
#include "backends/vulkan/lower/elementwise/lower_dequantized.h"
#include "backends/vulkan/lower/elementwise/requantization.h"
#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/pipeline/spirv/fp16_storage.h"
#include "core/base/fp16.h"
#include "core/base/text.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace nnrt::vulkan {
namespace {

constexpr size_t kBias = 2;

// R12: an INT32 bias has no quantization parameters.
bool is_quantized_bias(const NodeView& node, size_t i) {
  return i == kBias && node.schema().family == Family::gemm_conv && has_quantized(node);
}

// The quantization, by channel of dimension 0; empty if the operator computes on the raw values.
Quant quant_of(const NodeView& node, const Tensor& tensor) {
  return has_quantized(node) ? tensor.quant : Quant{};
}

Quant input_quant(const NodeView& node, size_t i) {
  if (has_quantized(node) && computes_on_steps(node))
    return is_quantized_bias(node, i) ? Quant{{1}, {0}} : steps_of(node.input(i).quant);
  if (!is_quantized_bias(node, i)) return quant_of(node, node.input(i));
  Quant quant = node.input(1).quant;
  for (double& scale : quant.scales) scale *= node.input(0).quant.scales[0];
  quant.zero_points.assign(quant.scales.size(), 0);
  return quant;
}

// Forms that only reorder elements keep fp16 values exact.
bool only_copies(std::string_view form) { return form.starts_with("vec4 "); }

// The bindings of an embedded shader that are float arrays; cached.
uint32_t bindings_of_floats(std::string_view shader) {
  static std::mutex mutex;
  static std::map<std::string_view, uint32_t> known;
  const auto shaders = embedded_shaders();
  const auto found = std::ranges::lower_bound(shaders, shader, {}, &EmbeddedShader::name);
  if (found == shaders.end() || found->name != shader) return 0;
  const std::lock_guard lock(mutex);
  if (const auto entry = known.find(found->name); entry != known.end()) return entry->second;
  return known.emplace(found->name, vulkan::bindings_of_floats(found->words)).first->second;
}

// A FLOAT32 copy of the node in a separate graph, whose tensors are the operands in order. It is also the
// sink for the copy's lowering, and maps those tensors to real buffers. On devices with fp16 storage, kernels
// that support it read FLOAT16 operands directly.
class FloatNode : public CommandSink {
 public:
  explicit FloatNode(const LoweringContext& outer)
      : outer_(outer), on_steps_(has_quantized(outer.node) && computes_on_steps(outer.node)) {
    const NodeView& node = outer.node;
    node_ = node.node();
    const bool multiplies = node.schema().family == Family::gemm_conv;
    if (on_steps_ && multiplies && !ends_in_steps(node_))
      node_.post_ops.push_back({Op::quant_dtype_cast, {}, {}, false});
    for (size_t i = 0; i < all_inputs(); ++i) add_input(i);
    for (size_t i = 0; i < node.output_count(); ++i) {
      const bool converts = is_converted(node.output(i).dtype);
      node_.outputs[i] = add_tensor(node.output(i), node.output_shape(i), converts);
      values_.push_back(nullptr);
    }
    buffers_.resize(graph_.tensors.size());
    has_fp16_.resize(graph_.tensors.size());
    floats_.resize(graph_.tensors.size());
    rows_.resize(graph_.tensors.size());
    is_rounded_.resize(graph_.tensors.size());
    has_rounded_.resize(graph_.tensors.size());
    take_floats();
  }

  Status lower(LowerFunction function) {
    const NodeView view(graph_, node_, graph_.shapes, values_);
    NNRT_TRY(function({view, outer_.plan, *this}));
    if (!can_use_)
      return Error{Code::failed, cat("A kernel of ", name(node_.op), " cannot use an fp16 buffer.")};
    for (size_t i = 0; i < outer_.node.output_count(); ++i) convert_output(i);
    return {};
  }

  void add(Command command) override {
    std::visit([&](auto& kind) { place(kind); }, command);
    outer_.sink.add(std::move(command));
  }
  Buffer scratch(size_t bytes) override { return outer_.sink.scratch(bytes); }
  Buffer scratch_of(size_t i, size_t elements) override {
    if (!can_be_fp16(TensorId(i))) return scratch(elements * sizeof(float));
    return known(scratch(elements * sizeof(Half)), Stored::fp16);
  }
  Buffer packed(TensorId tensor, std::string_view form, const Packing& packing, uint64_t bytes) override {
    const std::string name = cat("operand ", tensor, " ", form);
    if (!can_be_fp16(tensor) || !only_copies(form)) {
      return outer_.sink.packed(outer_.node.node().outputs[0], name, packing, bytes);
    }
    // Stored as float or fp16, depending on what the reading kernels support.
    packed_.push_back({name, packing, bytes});
    buffers_.emplace_back();
    return {Buffer::Space::tensor, TensorId(buffers_.size() - 1)};
  }
  LoopTrial* loop_trial() override { return outer_.sink.loop_trial(); }
  KernelLog* kernel_log() override { return outer_.sink.kernel_log(); }
  std::vector<TileRequest>* tile_requests() override { return outer_.sink.tile_requests(); }
  std::optional<Buffer> fp16_input(size_t i) override {
    if (outer_.node.dtype(i) != DType::f16 || floats_[i]) return std::nullopt;
    return known(rows_[i].value_or(outer_.input(i)));
  }
  std::optional<RowPlaces> input_rows(TensorId input, uint32_t unit) override {
    if (!can_be_fp16(input)) return std::nullopt;
    std::optional<RowPlaces> rows = outer_.sink.input_rows(outer_.input(input).id, unit);
    if (!rows) return std::nullopt;
    rows_[input] = rows->buffer;
    rows->buffer = known(rows->buffer, Stored::fp16);
    return rows;
  }
  std::optional<RowPlaces> output_rows(TensorId output, uint32_t unit) override {
    if (!is_fp16_now(output)) return std::nullopt;
    std::optional<RowPlaces> rows = outer_.sink.output_rows(outer_.output(output - all_inputs()).id, unit);
    if (!rows) return std::nullopt;
    has_fp16_[output] = true;
    rows->buffer = known(rows->buffer, Stored::fp16);
    return rows;
  }
  Image image(TensorId input) override {
    const Image own{{Buffer::Space::tensor, input}};
    const bool is_fp16 = original(input).dtype == DType::f16;
    const bool is_readable = is_fp16 ? outer_.plan.fp16_storage : !is_converted(original(input).dtype);
    if (!is_readable || floats_[input]) return own;
    Image image = outer_.sink.image(outer_.input(input).id);
    // The image may be the CAST of floats, or the TRANSPOSE of such a CAST.
    bool is_rounded = false;
    const auto floats = is_fp16 ? floats_of(image.buffer, true, is_rounded) : std::nullopt;
    if (!image.has_planes && !floats) return own;
    const Stored stored = is_rounded ? Stored::rounded : is_fp16 && !floats ? Stored::fp16 : Stored::as_is;
    image.buffer = known(floats.value_or(image.buffer), stored);
    return image;
  }
  std::optional<ConcatSlice> concat_slice(TensorId output) override {
    if (!is_output(output)) return std::nullopt;
    const bool converts = is_converted(original(output).dtype);
    if (converts && !is_fp16_now(output)) return std::nullopt;
    std::optional<ConcatSlice> concat_slice =
        outer_.sink.concat_slice(outer_.node.node().outputs[output - all_inputs()]);
    if (!concat_slice) return std::nullopt;
    concat_slice->buffer = known(concat_slice->buffer, converts ? Stored::fp16 : Stored::as_is);
    has_fp16_[output] = converts;
    return concat_slice;
  }
  void alias(TensorId output, TensorId input, size_t bytes) override {
    if (is_fp16_now(output) && is_fp16_now(input)) {
      outer_.sink.add(Copy{fp16_buffer(input), fp16_buffer(output), {{0, 0, bytes / 2}}});
      has_fp16_[output] = true;
    } else {
      outer_.sink.add(Copy{buffer_of(input), buffer_of(output), {{0, 0, bytes}}});
    }
  }

 private:
  // How a buffer that the lowering refers to is stored for kernels: as it is, as fp16, or as floats that are
  // rounded to fp16 on every read and write.
  enum class Stored : uint8_t { as_is, fp16, rounded };
  struct Packed {  // or a buffer to use as it is, without a packing
    std::string name;
    std::optional<Packing> packing;
    uint64_t bytes = 0;
    Stored stored = Stored::as_is;
    Buffer buffer = {};
  };

  // A buffer of the outer node. If it is not `as_is`, only kernels with float array bindings can use it.
  Buffer known(Buffer buffer, Stored stored = Stored::as_is) {
    buffers_.push_back(stored == Stored::as_is ? std::optional(buffer) : std::nullopt);
    packed_.push_back({.name = {}, .packing = {}, .stored = stored, .buffer = buffer});
    return {Buffer::Space::tensor, TensorId(buffers_.size() - 1)};
  }

  // The floats that an fp16 input is CAST from. If the client made the CAST, they must be rounded.
  std::optional<Buffer> floats_of(Buffer fp16, bool can_round, bool& is_rounded) {
    std::optional<Buffer> floats = outer_.sink.float_input(fp16.id, false);
    if (floats || !can_round || !outer_.plan.fp16_storage) return floats;
    floats = outer_.sink.float_input(fp16.id, true);
    is_rounded = floats.has_value();
    return floats;
  }

  // Replaces operands by the FLOAT32 tensors on the other side of a CAST. The operands of GEMMs and
  // convolutions are read many times, so rounding on each read would not pay.
  void take_floats() {
    constexpr size_t kMultiplied = 2;
    for (size_t i = 0; i < all_inputs(); ++i) {
      const bool is_fp16 = outer_.node.dtype(i) == DType::f16 && !outer_.node.input(i).is_constant();
      if (!is_fp16 || is_for_matrices(outer_.node, i, outer_.plan)) continue;
      const bool reads_once = outer_.node.schema().family != Family::gemm_conv || i > kMultiplied;
      bool is_rounded = false;
      floats_[i] = floats_of(outer_.input(i), reads_once, is_rounded);
      is_rounded_[i] = is_rounded;
    }
    for (size_t i = 0; i < outer_.node.output_count(); ++i) {
      if (outer_.node.output(i).dtype != DType::f16) continue;
      const TensorId id = node_.outputs[i], outer = outer_.output(i).id;
      floats_[id] = outer_.sink.float_output(outer, false);
      if (floats_[id] || !outer_.plan.fp16_storage) continue;
      floats_[id] = outer_.sink.float_output(outer, true);
      is_rounded_[id] = floats_[id].has_value();
    }
  }

  bool can_be_fp16(TensorId id) const {
    if (!outer_.plan.fp16_storage) return false;
    if (id >= graph_.tensors.size()) {
      const Packed& packed = packed_[id - graph_.tensors.size()];
      return packed.packing.has_value() || packed.stored == Stored::fp16;
    }
    if (floats_[id]) return false;
    return original(id).dtype == DType::f16;
  }
  bool is_known_fp16(const Buffer& buffer) const {
    if (buffer.space != Buffer::Space::tensor || buffer.id < graph_.tensors.size()) return false;
    return packed_[buffer.id - graph_.tensors.size()].stored == Stored::fp16;
  }
  // An output that was written as floats stays float.
  bool is_fp16_now(TensorId id) const {
    return can_be_fp16(id) && !(is_output(id) && buffers_[id].has_value());
  }

  // Kernels that can round keep the tensor as floats. An output written by others is rounded at the end.
  bool rounds(TensorId id) const {
    if (id >= graph_.tensors.size()) return packed_[id - graph_.tensors.size()].stored == Stored::rounded;
    return is_rounded_[id] && !(is_output(id) && buffers_[id].has_value());
  }

  bool is_output(TensorId id) const { return id >= all_inputs() && id < graph_.tensors.size(); }
  const Tensor& original(TensorId id) const {
    return is_output(id) ? outer_.node.output(id - all_inputs()) : outer_.node.input(id);
  }

  Buffer fp16_buffer(TensorId id) {
    if (id >= graph_.tensors.size()) {
      const Packed& packed = packed_[id - graph_.tensors.size()];
      if (packed.stored == Stored::fp16) return packed.buffer;
      return outer_.sink.packed(outer_.node.node().outputs[0], packed.name + " as fp16",
                                packed_as_fp16(*packed.packing), packed.bytes / 2);
    }
    return is_output(id) ? outer_.output(id - all_inputs()) : outer_.input(id);
  }

  void place(Buffer& buffer) {
    if (buffer.space == Buffer::Space::tensor) buffer = buffer_of(buffer.id);
  }
  void place(Dispatch& dispatch) {
    const bool may = outer_.plan.fp16_storage;
    const uint32_t possible = may ? bindings_of_floats(dispatch.shader) & ~dispatch.fp16_bindings : 0;
    for (size_t i = 0; i < dispatch.buffers.size(); ++i) {
      Buffer& buffer = dispatch.buffers[i];
      const bool is_whole = i >= dispatch.slices.size() || dispatch.slices[i] == Slice{} ||
                            is_known_fp16(buffer);  // slices of the outer node are fp16
      const bool is_array = buffer.space == Buffer::Space::tensor && (possible >> i & 1) != 0 && is_whole;
      const TensorId id = buffer.id;
      if (is_array && rounds(id)) {
        dispatch.rounded_bindings |= 1u << i;
        if (is_output(id)) has_rounded_[id] = true;
        buffer = id < graph_.tensors.size() ? *floats_[id] : packed_[id - graph_.tensors.size()].buffer;
      } else if (is_array && is_fp16_now(id)) {
        dispatch.fp16_bindings |= 1u << i;
        if (is_output(id)) has_fp16_[id] = true;
        buffer = fp16_buffer(id);
      } else {
        place(buffer);
      }
    }
  }
  void place(Copy& copy) {
    place(copy.from);
    place(copy.to);
  }
  void place(Fill& fill) { place(fill.to); }

  void add_input(size_t i) {
    const NodeView& node = outer_.node;
    const bool converts = is_converted(node.dtype(i)) || is_quantized_bias(node, i);
    node_.inputs[i] = add_tensor(node.input(i), node.shape(i), converts);
    Tensor& tensor = graph_.tensors.back();
    if (converts && tensor.is_constant()) {
      tensor.data = outer_.sink.wants_data() ? constant_as_float(node.input(i), input_quant(node, i))
                                             : std::make_shared<const Bytes>();
    }
    values_.push_back(tensor.is_constant() ? tensor.data->data() : node.data(i));
  }

  void convert_output(size_t i) {
    const Tensor& output = outer_.node.output(i);
    const TensorId id = node_.outputs[i];
    if (!is_converted(output.dtype) || has_fp16_[id] || has_rounded_[id]) return;
    if (is_rounded_[id]) return add_rounding(buffer_of(id), *floats_[id], id);
    if (floats_[id]) return;
    const Quant quant = output_quant(output);
    QuantCast cast{buffer_of(id), outer_.output(i), count_of(id), true, DType::f32, output.dtype, quant};
    if (on_steps_) cast.form = ends_in_steps(node_) ? "steps" : "steps of the input";
    add_conversion(cast, outer_.node.node().outputs[i]);
  }

  // Products are steps of the output, pools are steps of the input.
  Quant output_quant(const Tensor& output) const {
    Quant quant = quant_of(outer_.node, output);
    if (!on_steps_) return quant;
    if (ends_in_steps(node_)) return steps_of(quant);
    quant.scales[0] /= outer_.node.input(0).quant.scales[0];
    return quant;
  }

  TensorId add_tensor(const Tensor& original, const Shape& shape, bool converts) {
    Tensor tensor = original;
    if (converts) tensor.dtype = DType::f32;
    if (converts && !on_steps_) tensor.quant = {};
    graph_.tensors.push_back(std::move(tensor));
    graph_.shapes.push_back(shape);
    return TensorId(graph_.tensors.size() - 1);
  }

  // Created on demand: an operand that gets packed is not needed unpacked.
  Buffer buffer_of(TensorId id) {
    if (!buffers_[id]) buffers_[id] = make_buffer(id);
    return *buffers_[id];
  }

  Buffer make_buffer(TensorId id) {
    if (id >= graph_.tensors.size()) {
      const Packed& packed = packed_[id - graph_.tensors.size()];
      can_use_ = can_use_ && packed.stored == Stored::as_is;
      if (packed.stored != Stored::as_is) return packed.buffer;
      return outer_.sink.packed(outer_.node.node().outputs[0], packed.name, *packed.packing, packed.bytes);
    }
    if (floats_[id] && !is_rounded_[id]) return *floats_[id];
    if (graph_.tensors[id].dtype == original(id).dtype) {
      return is_output(id) ? outer_.output(id - all_inputs()) : outer_.input(id);
    }
    if (!is_output(id) && graph_.tensors[id].is_constant()) {
      const ByteView data = *graph_.tensors[id].data;
      const auto copy = [data](uint64_t offset, std::span<std::byte> to) {
        std::memcpy(to.data(), data.data() + offset, to.size());
      };
      return packed(id, on_steps_ ? "as steps" : "as float", {data.size(), sizeof(float), copy},
                    uint64_t(count_of(id)) * sizeof(float));
    }
    const Buffer to = scratch(size_t(count_of(id)) * sizeof(float));
    if (is_rounded_[id] && is_output(id)) {
      // For a kernel that cannot round its output, after others that could.
      if (has_rounded_[id]) outer_.sink.add(Copy{*floats_[id], to, {{0, 0, count_of(id) * sizeof(float)}}});
      has_rounded_[id] = false;
      return to;
    }
    if (is_rounded_[id]) {
      add_rounding(*floats_[id], to, id);
      return to;
    }
    if (!is_output(id)) convert_input(id, to);
    // Converts earlier fp16 results for a kernel that cannot read fp16 or add to it.
    if (is_output(id) && has_fp16_[id]) {
      add_cast(outer_, fp16_buffer(id), DType::f16, to, DType::f32, count_of(id));
      has_fp16_[id] = false;
    }
    return to;
  }

  void add_rounding(Buffer from, Buffer to, TensorId id) {
    const Buffer fp16 = scratch(size_t(count_of(id)) * sizeof(Half));
    add_cast(outer_, from, DType::f32, fp16, DType::f16, count_of(id));
    add_cast(outer_, fp16, DType::f16, to, DType::f32, count_of(id));
  }

  // The quantization of a bias follows from the node, and is stored as the node's parameters.
  void convert_input(size_t i, Buffer to) {
    const NodeView& node = outer_.node;
    const Quant quant = input_quant(node, i);
    QuantCast cast{outer_.input(i), to, count_of(TensorId(i)), false, DType::f32, node.dtype(i), quant};
    if (on_steps_) cast.form = "steps";
    if (!is_quantized_bias(node, i)) return add_conversion(cast, node.node().inputs[i]);
    cast.form = "quantization of the bias";
    add_conversion(cast, node.node().outputs[0]);
  }

  // Including operands of post-ops.
  size_t all_inputs() const { return outer_.node.node().inputs.size(); }
  uint32_t count_of(TensorId id) const { return uint32_t(*element_count(graph_.shapes[id])); }

  void add_conversion(QuantCast cast, TensorId owner) {
    if (cast.quant.empty()) {
      const DType from = cast.to_quantized ? cast.real : cast.quantized;
      const DType to = cast.to_quantized ? cast.quantized : cast.real;
      add_cast(outer_, cast.x, from, cast.y, to, cast.count);
    } else {
      const auto channels = uint32_t(cast.quant.scales.size());
      if (channels > 1) cast.inner = cast.count / channels;
      add_quant_cast(outer_, cast, owner);
    }
  }

  const LoweringContext& outer_;
  const bool on_steps_;  // quantized operands become steps (requantization.h)
  Graph graph_;
  Node node_;
  std::vector<const std::byte*> values_;
  std::vector<std::optional<Buffer>> buffers_;  // as floats; packed constants follow the tensors
  std::vector<bool> has_fp16_, has_rounded_;    // outputs: how they were written
  std::vector<std::optional<Buffer>> floats_;   // FLOAT32 tensors behind the CASTs of inputs and outputs
  std::vector<std::optional<Buffer>> rows_;     // tensors that contain the rows of inputs
  std::vector<bool> is_rounded_;                // the CAST would have rounded
  std::vector<Packed> packed_;
  bool can_use_ = true;
};

}  // namespace

Status lower_as_f32(const LoweringContext& context, LowerFunction lower) {
  for (size_t i = 0; i < context.node.node().inputs.size(); ++i) {
    NNRT_TRY(vulkan::count_of(context.node.shape(i)));
  }
  for (size_t i = 0; i < context.node.output_count(); ++i) {
    NNRT_TRY(vulkan::count_of(context.node.output_shape(i)));
  }
  FloatNode node(context);
  return node.lower(lower);
}

}  // namespace nnrt::vulkan
