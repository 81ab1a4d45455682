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
#include <optional>
#include <utility>

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
  const EmbeddedShader* const found = find_shader(shader);
  if (found == nullptr) return 0;
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
    for (size_t i = 0; i < all_inputs(); ++i) operands_.emplace_back().view = outer.view(i, floats_for(i));
    for (size_t i = 0; i < node.output_count(); ++i)
      operands_.emplace_back().view = outer.output_view(i, any_floats());
  }

  Status lower(LowerFunction function) {
    const NodeView view(graph_, node_, graph_.shapes, values_);
    NNRT_TRY(function({view, outer_.plan, *this, outer_.takes}));
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
  Buffer packed(TensorId tensor, std::string_view form, const Packing& packing, uint64_t bytes) override {
    const std::string name = cat("operand ", tensor, " ", form);
    if (!outer_.plan.fp16_storage || operands_[tensor].view.stored != DType::f16 || !only_copies(form))
      return outer_.sink.packed(outer_.node.node().outputs[0], name, packing, bytes);
    // Stored as float or fp16, depending on what the reading kernels support.
    const Buffer made = handle({.stored = DType::f16});
    operands_.back().constant = Constant{name, packing, bytes};
    return made;
  }
  KernelLog* kernel_log() override { return outer_.sink.kernel_log(); }
  std::vector<TileRequest>* tile_requests() override { return outer_.sink.tile_requests(); }
  View view(const View& own, View::Takes takes) override {
    const TensorId id = own.buffer.id;
    const bool is_fp16 = operands_[id].view.stored == DType::f16;
    const bool is_raw = is_fp16 && (takes & View::fp16) != 0;
    if (!is_raw && (is_fp16 ? !is_accessed_as_stored(id) : is_converted(original(id).dtype))) return own;
    // Its copy as floats has dense rows, and the words must have the same.
    if (is_fp16 && !is_accessed_as_stored(id)) takes = View::none;
    View found = is_output(id) ? outer_.output_view(id - all_inputs(), takes) : outer_.view(id, takes);
    if (found.buffer == operands_[id].view.buffer && !is_raw) {
      found.buffer = own.buffer;
      return found;
    }
    if (is_output(id)) operands_[id].is_written = true;
    const Buffer buffer = handle(found);
    operands_.back().is_raw = is_raw;
    found.buffer = buffer;
    return found;
  }
  bool elide(const Copy& copy) override {
    const Buffer &from = copy.from, &to = copy.to;
    const auto is_fp16 = [&](const Buffer& buffer) {
      return buffer.space == Buffer::Space::tensor && !operands_[buffer.id].view.rounds &&
             is_accessed_as_stored(buffer.id);
    };
    if (!is_fp16(from) || !is_fp16(to)) return false;
    Copy halves{stored(from.id), stored(to.id), copy.pieces};
    for (Copy::Piece& piece : halves.pieces) piece = {piece.from / 2, piece.to / 2, piece.bytes / 2};
    outer_.sink.add(std::move(halves));
    operands_[to.id].is_written = true;
    return true;
  }

 private:
  struct Constant {
    std::string name;
    Packing packing;
    uint64_t bytes = 0;
  };
  // A buffer that the lowering refers to: an operand of the node, or one that it got from this sink.
  struct Operand {
    View view;                              // where and how it is stored, in terms of the outer node
    std::optional<Constant> constant = {};  // packed on demand, as floats or as fp16
    bool is_raw = false;                    // the kernel reads what is stored
    bool is_written = false;                // a kernel wrote it as it is stored
    std::optional<Buffer> floats = {};      // as FLOAT32
  };

  // The buffer of a new operand.
  Buffer handle(const View& view) {
    operands_.emplace_back().view = view;
    return {Buffer::Space::tensor, TensorId(operands_.size() - 1)};
  }

  // The views of fp16 operands as FLOAT32.
  View::Takes any_floats() const {
    return outer_.plan.fp16_storage ? View::floats | View::rounded : View::floats;
  }
  // The operands of GEMMs and convolutions are read many times, so rounding on each read would not pay.
  View::Takes floats_for(size_t i) const {
    constexpr size_t kMultiplied = 2;
    const NodeView& node = outer_.node;
    if (node.input(i).is_constant() || is_for_matrices(node, i, outer_.plan)) return View::none;
    const bool reads_once = node.schema().family != Family::gemm_conv || i > kMultiplied;
    return reads_once ? any_floats() : View::floats;
  }

  // Kernels of floats access the operand as it is stored, by a conversion in their shader. An output that was
  // written as floats stays float.
  bool is_accessed_as_stored(TensorId id) const {
    const Operand& operand = operands_[id];
    const bool converts = operand.view.stored == DType::f16 || operand.view.rounds;
    return outer_.plan.fp16_storage && converts && !operand.is_raw && !(is_output(id) && operand.floats);
  }

  bool is_own(TensorId id) const { return id < graph_.tensors.size(); }
  bool is_output(TensorId id) const { return id >= all_inputs() && is_own(id); }
  const Tensor& original(TensorId id) const {
    return is_output(id) ? outer_.node.output(id - all_inputs()) : outer_.node.input(id);
  }

  Buffer stored(TensorId id) {
    const Operand& operand = operands_[id];
    if (!operand.constant) return operand.view.buffer;
    const Constant& constant = *operand.constant;
    return outer_.sink.packed(outer_.node.node().outputs[0], constant.name + " as fp16",
                              packed_as_fp16(constant.packing), constant.bytes / 2);
  }

  void place(Buffer& buffer) {
    if (buffer.space == Buffer::Space::tensor) buffer = as_floats(buffer.id);
  }
  void place(Dispatch& dispatch) {
    const bool may = outer_.plan.fp16_storage;
    const uint32_t possible = may ? bindings_of_floats(dispatch.shader) & ~dispatch.fp16_bindings : 0;
    for (size_t i = 0; i < dispatch.buffers.size(); ++i) {
      Buffer& buffer = dispatch.buffers[i];
      const TensorId id = buffer.id;
      const bool is_tensor = buffer.space == Buffer::Space::tensor;
      // Slices are of floats, those of a view of what it shows.
      const bool is_cut = i < dispatch.slices.size() && dispatch.slices[i] != Slice{} && is_tensor &&
                          (is_own(id) || operands_[id].constant);
      if (is_tensor && (possible >> i & 1) != 0 && is_accessed_as_stored(id) && !is_cut) {
        (operands_[id].view.rounds ? dispatch.rounded_bindings : dispatch.fp16_bindings) |= 1u << i;
        operands_[id].is_written = true;
        buffer = stored(id);
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
    const Operand& operand = operands_[id];
    if (!is_converted(output.dtype) || operand.is_written) return;
    if (operand.view.rounds) return add_rounding(as_floats(id), operand.view.buffer, id);
    if (operand.view.stored == DType::f32) return;
    const Quant quant = output_quant(output);
    QuantCast cast{as_floats(id), outer_.output(i), count_of(id), true, DType::f32, output.dtype, quant};
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
  Buffer as_floats(TensorId id) {
    if (const auto& known = operands_[id].floats) return *known;
    const Buffer made = make_floats(id);
    operands_[id].floats = made;
    return made;
  }

  Buffer make_floats(TensorId id) {
    const View view = operands_[id].view;
    if (!is_own(id)) {
      if (const auto& constant = operands_[id].constant) {
        return outer_.sink.packed(outer_.node.node().outputs[0], constant->name, constant->packing,
                                  constant->bytes);
      }
      can_use_ = can_use_ && (operands_[id].is_raw || (view.stored != DType::f16 && !view.rounds));
      return view.buffer;
    }
    if (view.stored == graph_.tensors[id].dtype && !view.rounds) return view.buffer;
    if (!is_output(id) && graph_.tensors[id].is_constant()) {
      const ByteView data = *graph_.tensors[id].data;
      const auto copy = [data](uint64_t offset, std::span<std::byte> to) {
        std::memcpy(to.data(), data.data() + offset, to.size());
      };
      return outer_.sink.packed(outer_.node.node().outputs[0],
                                cat("operand ", id, on_steps_ ? " as steps" : " as float"),
                                {data.size(), sizeof(float), copy}, uint64_t(count_of(id)) * sizeof(float));
    }
    const Buffer to = scratch(size_t(count_of(id)) * sizeof(float));
    // An output that an earlier kernel wrote is converted for one that cannot convert, or adds to it.
    const bool is_needed = !is_output(id) || std::exchange(operands_[id].is_written, false);
    if (!is_needed) return to;
    if (view.rounds && is_output(id)) {
      outer_.sink.add(Copy{view.buffer, to, {{0, 0, count_of(id) * sizeof(float)}}});
    } else if (view.rounds) {
      add_rounding(view.buffer, to, id);
    } else if (is_output(id)) {
      add_cast(outer_, view.buffer, DType::f16, to, DType::f32, count_of(id));
    } else {
      convert_input(id, to);
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
  std::vector<Operand> operands_;  // by tensor of the copy; then those that the lowering got
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
