#include "tools/import/onnx/onnx_emitter.h"

#include "core/base/element_types.h"
#include "core/base/text.h"
#include "core/memory/deferred_bytes.h"
#include "core/memory/pages.h"
#include "core/schema/infer.h"
#include "core/schema/rules.h"
#include "core/schema/validate.h"
#include "tools/import/network/constant_folding.h"
#include "tools/import/network/core_network.h"
#include "tools/import/network/shape_inference.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

// Elements are read one by one only from lists; as doubles they take eight times the space.
constexpr size_t kMaxListed = size_t{1} << 24;

// Returns whether the transpose has the same bytes.
bool moves_only_ones(const Dims& shape, const List<int64_t>& order) {
  int64_t last = -1;
  for (const int64_t axis : order) {
    if (shape[static_cast<size_t>(axis)] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

OH_NN_Format format_of(size_t rank) { return rank >= 3 ? OH_NN_FORMAT_NCHW : OH_NN_FORMAT_NONE; }

}  // namespace

TensorId Emitter::add(nnrt::Tensor tensor) {
  check_size(tensor);
  return add_temporary(from_core(std::move(tensor)));
}

TensorId Emitter::add_temporary(Tensor tensor) {
  tensor.format = format_of(tensor.shape.size());
  if (tensor.name.empty()) tensor.name = cat(origin(), " #", tensor_count());
  return add(std::move(tensor));
}

void Emitter::give_name(TensorId id, const std::string& name) {
  if (tensor(id).name.ends_with(cat(" #", id))) tensor(id).name = name;
}

bool Emitter::is_list(TensorId id) const {
  return is_constant(id) && tensor(id).data->size() <= kMaxListed * size_of(dtype(id));
}

std::optional<List<int64_t>> Emitter::known_integers(TensorId id) const {
  if (!is_list(id) || is_float(dtype(id))) return {};
  return numbers_of<int64_t>(dtype(id), *tensor(id).data);
}

std::optional<List<int64_t>> Emitter::partly_known_integers(TensorId id) const {
  const auto found = partly_known_.find(id);
  if (found == partly_known_.end()) return known_integers(id);
  return numbers_of<int64_t>(dtype(id), *found->second);
}

std::optional<List<double>> Emitter::known_numbers(TensorId id) const {
  if (!is_list(id)) return {};
  return numbers_of<double>(dtype(id), *tensor(id).data);
}

// Values that are moved keep their quantization.
void Emitter::quantize(Draft& draft, const Outputs& outputs) const {
  const nnrt::Tensor& first = draft.graph.tensors[draft.node.inputs[0]];
  const bool is_moved = draft.schema.copy && draft.node.op != Op::concat;
  for (size_t i = 0; i < outputs.count; ++i) {
    nnrt::Tensor& output = draft.output(i);
    const bool is_given = i == 0 && outputs.quant;
    if (output.dtype != DType::i8) continue;
    if (sums_ && draft.schema.outputs[0].sums) {
      output.dtype = DType::i32;
      if (!is_given) output.quant = {};
    } else if (target_ && !is_given && !is_moved && !first.quant.empty()) {
      output.quant = {target_->scales, target_->zero_points};
    }
  }
}

// ONNX rounds to quantized values with ties to even (R12).
void Emitter::round_ties_to_even(Draft& draft, Attrs& attributes) {
  const nnrt::Tensor& from = draft.graph.tensors[draft.node.inputs[0]];
  const nnrt::Tensor& to = draft.output(0);
  const bool moves = draft.schema.copy || (from.quant.empty() && !is_float(from.dtype));
  const bool is_moved = moves && (from.quant.empty() || from.quant == to.quant);
  if (!draft.schema.rounds() || to.dtype != DType::i8 || to.quant.empty() || is_moved) return;
  for (Attrs* const each : {&attributes, &draft.node.attrs})
    each->set(Attr::ties_to_even, {.dtype = DType::boolean, .integers = {1}, .floats = {}});
  for (const TensorId id : draft.node.outputs) draft.graph.tensors[id].quant.ties_to_even = true;
}

// Returns whether the outputs became constants.
bool Emitter::compute(Draft& draft, const Ids& inputs) {
  const auto constant = [&](TensorId id) { return is_constant(id); };
  if (!computes_ || !std::ranges::all_of(inputs, constant) || !worth_computing(draft.graph, draft.node))
    return false;
  for (const TensorId id : draft.node.outputs)
    required(budget().take(*nnrt::byte_size(draft.graph.tensors[id].dtype, draft.graph.shapes[id])));
  for (const TensorId id : inputs) required(ensure_read(tensor(id).data));
  std::vector<SharedBytes> results = required(evaluate(draft.graph, draft.node));
  for (size_t i = 0; i < results.size(); ++i) draft.output(i).data = std::move(results[i]);
  return true;
}

Ids Emitter::emit_many(Op type, const Ids& inputs, const Settings& settings, const Outputs& outputs) {
  constexpr size_t kMaxTensors = size_t{1} << 20;
  if (tensor_count() > kMaxTensors)
    fail(unsupported("The model expands to more than ", kMaxTensors, " tensors."));
  Attrs attributes = required(attrs_of(type, settings));
  Draft draft = described(*this, type, inputs, attributes, outputs);
  quantize(draft, outputs);
  for (const TensorId id : draft.node.outputs) {
    nnrt::Tensor& output = draft.graph.tensors[id];
    output.format = static_cast<Format>(format_of(output.shape.size()));
  }
  required(infer_node(draft.view(constant_values(draft.graph))));
  round_ties_to_even(draft, attributes);
  const bool is_known = compute(draft, inputs);

  Ids made;
  for (size_t i = 0; i < outputs.count; ++i) made.push_back(add_temporary(from_core(draft.output(i))));
  if (is_known) return made;
  if (computes_) reveal(draft, inputs);
  if (const auto part = computes_ ? evaluate_partly(draft.graph, draft.node, kHidden) : std::nullopt) {
    if (part->complete) {
      set_data(made[0], part->data);
      return made;
    }
    budget().count(part->data->size());
    partly_known_[made[0]] = part->data;
  }
  operation({type, inputs, made, std::move(attributes), origin(), layer()});
  return made;
}

// Sets the known contents of the draft's inputs. Indices and the like must be known completely.
void Emitter::reveal(Draft& draft, const Ids& inputs) {
  const bool joins = draft.node.op == Op::concat || draft.node.op == Op::stack;
  for (size_t i = 0; i < (joins ? inputs.size() : 1); ++i) {
    const auto found = partly_known_.find(inputs[i]);
    if (found != partly_known_.end()) draft.graph.tensors[i].data = found->second;
  }
}

TensorId Emitter::transposed_weights(TensorId id, const List<int64_t>& order) {
  const Dims shape = this->shape(id);
  if (!keeps_order_ || !is_constant(id) || dtype(id) != DType::f32 || moves_only_ones(shape, order))
    return emit(Op::transpose, {id, vector(order)});
  const SharedBytes data = tensor(id).data;
  required(budget().take(data->size()));
  StoredOrder stored{data, shape, {order.begin(), order.end()}, sizeof(float)};
  if (reinterpret_cast<uintptr_t>(data->data()) % stored.element_bytes != 0)
    stored.data = copy_in_pages(*data);
  nnrt::Tensor made;
  made.dtype = DType::f32;
  for (const int64_t axis : order) made.shape.push_back(shape[static_cast<size_t>(axis)]);
  made.data = deferred_transpose(std::move(stored));
  return add(std::move(made));
}

TensorId Emitter::copy(TensorId id) {
  computes_ = false;
  const TensorId made = NetworkBuilder::copy(id);
  computes_ = true;
  return made;
}

}  // namespace nnrt::import::onnx
