#include "tests/support/random/random_node.h"

#include "core/base/text.h"
#include "core/schema/graph_builder.h"
#include "core/schema/infer.h"
#include "core/schema/validate.h"
#include "tests/support/random/random_node_draft.h"
#include "tests/support/random/random_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace nnrt::test {
namespace {

// Choices made once for all operands of a node.
struct Operands {
  Draft& draft;
  bool coded;         // 8-bit tensors have quantization parameters
  Quant quant;        // of the first input
  bool equal_quants;  // all inputs share them
  bool stray;         // other tensors may have meaningless ones

  bool may_be_coded(DType dtype) const { return coded && (dtype == DType::i8 || dtype == DType::u8); }

  Quant quant_of(DType dtype, size_t scales) const {
    if (!may_be_coded(dtype)) {
      const bool meant = dtype == DType::i8 && draft.row.quantized;
      return stray && !meant && draft.random.one_in(2) ? random_quant(draft.random) : Quant{};
    }
    return equal_quants && scales == 1 ? quant : random_quant(draft.random, scales);
  }

  DType dtype_of(size_t i, const std::vector<Tensor>& before) const {
    const std::vector<InputRow>& rows = draft.row.inputs;
    const InputRow& row = rows[std::min(i, rows.size() - 1)];
    if (i == 0 || row.many) return draft.dtype;
    if (const auto decided = draft.dtypes.find(i); decided != draft.dtypes.end()) return decided->second;
    if (row.same_as != kNone) {
      const DType dtype = before[size_t(row.same_as)].dtype;
      return row.dtypes.contains(dtype) ? dtype : DType::i32;
    }
    const bool like_first = row.dtypes == rows[0].dtypes && (coded || !draft.random.one_in(4));
    return like_first ? draft.dtype : random_dtype(draft.random, row.dtypes);
  }

  Tensor input(size_t i, const std::vector<Tensor>& before) const {
    const InputRow& row = draft.row.inputs[std::min(i, draft.row.inputs.size() - 1)];
    Tensor tensor;
    tensor.dtype = dtype_of(i, before);
    tensor.shape = draft.shapes[i];
    if (i == 0) tensor.format = draft.format;
    const bool per_channel = row.per_channel && draft.random.one_in(2);
    tensor.quant = quant_of(tensor.dtype, per_channel ? size_t(tensor.shape[0]) : 1);
    if (const auto decided = draft.quants.find(i); decided != draft.quants.end())
      tensor.quant = decided->second;
    return tensor;
  }

  DType promoted(const std::vector<Tensor>& inputs) const {
    constexpr std::array kOrder = {DType::boolean, DType::u8,  DType::i8,  DType::i16, DType::i32,
                                   DType::i64,     DType::u64, DType::f16, DType::f32, DType::f64};
    size_t max = 0;
    for (const Tensor& input : inputs) {
      max = std::max(max, size_t(std::find(kOrder.begin(), kOrder.end(), input.dtype) - kOrder.begin()));
    }
    return kOrder.at(max);
  }

  Tensor output(const OutputRow& row, const std::vector<Tensor>& inputs) const {
    Tensor tensor;
    switch (row.rule) {
      case DTypeRule::same_as: tensor.dtype = inputs[size_t(row.same_as)].dtype; break;
      case DTypeRule::promoted: tensor.dtype = promoted(inputs); break;
      case DTypeRule::fixed: tensor.dtype = random_dtype(draft.random, row.dtypes); break;
      case DTypeRule::from_attrs: tensor.dtype = draft.output_dtype; break;
    }
    tensor.format = draft.format;
    tensor.quant = quant_of(tensor.dtype, 1);
    return tensor;
  }
};

Bytes contents_of(Draft& draft, const Tensor& tensor, size_t input) {
  const size_t count = size_t(*element_count(tensor.shape));
  const auto decided = draft.integers.find(input);
  if (decided == draft.integers.end()) {
    return random_contents(draft.random, tensor.dtype, count, draft.row.op, input);
  }
  Bytes bytes;
  for (const int64_t value : decided->second) append_number(bytes, tensor.dtype, double(value), value);
  return bytes;
}

// A single element may be declared with or without a dimension (R6).
void flip_rank(Shape& shape) { shape = shape.empty() ? Shape{1} : Shape{}; }

void draw_operands(Draft& draft, const First& first, RandomNode& node) {
  Random& random = draft.random;
  const bool must = draft.row.inputs[0].quantized_only || draft.row.family == Family::cast;
  const bool may = draft.row.quantized || draft.row.copy;
  Operands operands{draft, may && (must || random.one_in(2)), random_quant(random), random.one_in(2),
                    random.one_in(6)};
  if (first) {
    operands.coded = may && !first->quant.empty();
    operands.quant = first->quant;
  }
  for (size_t i = 0; i < draft.shapes.size(); ++i) {
    Tensor tensor = operands.input(i, node.inputs);
    const InputRow& row = draft.row.inputs[std::min(i, draft.row.inputs.size() - 1)];
    const bool is_first = i == 0 && first.has_value();
    if (is_first) tensor.quant = first->quant;
    node.contents.push_back(contents_of(draft, tensor, i));
    const bool wanted = row.value || row.constant || (random.one_in(3) && !draft.fed.contains(i));
    if (wanted && !is_first) tensor.data = std::make_shared<const Bytes>(node.contents.back());
    const bool flips = tensor.shape == Shape{1} && (is_first ? first->shape.empty() : random.one_in(4));
    if (flips) flip_rank(tensor.shape);
    node.inputs.push_back(std::move(tensor));
  }
  const std::vector<OutputRow>& rows = draft.row.outputs;
  const size_t outputs = rows.back().many ? draft.outputs : rows.size();
  for (size_t i = 0; i < outputs; ++i) {
    node.outputs.push_back(operands.output(rows[std::min(i, rows.size() - 1)], node.inputs));
    if (const auto decided = draft.output_quants.find(i); decided != draft.output_quants.end())
      node.outputs.back().quant = decided->second;
  }
}

constexpr int64_t kMaxElements = 1 << 20;

// Infers the node as Finish does, and declares the output shapes.
Status declare_outputs(Random& random, RandomNode& node) {
  Graph graph;
  Node bare;
  bare.op = node.op;
  std::vector<uint32_t> params;
  for (auto [group, ids] : {std::pair(&node.inputs, &bare.inputs), std::pair(&node.outputs, &bare.outputs),
                            std::pair(&node.params, &params)}) {
    for (const Tensor& tensor : *group) {
      ids->push_back(TensorId(graph.tensors.size()));
      graph.tensors.push_back(tensor);
      graph.shapes.push_back(tensor.shape);
    }
  }
  const OpSchema& row = schema(node.op);
  NNRT_ASSIGN(bare.attrs, check_operation(row, graph.tensors, params, bare.inputs, bare.outputs));
  const auto values = constant_values(graph);
  NNRT_ASSIGN(std::vector<Shape> shapes, row.infer(NodeView(graph, bare, graph.shapes, values)));
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (compatible(shapes[i], {}) && random.one_in(2)) flip_rank(shapes[i]);
    graph.shapes[bare.outputs[i]] = graph.tensors[bare.outputs[i]].shape = node.outputs[i].shape = shapes[i];
  }
  for (const Tensor& output : node.outputs) {
    const auto count = element_count(output.shape);
    // Models cannot declare empty tensors.
    if (!count || *count == 0 || *count > kMaxElements)
      return invalid("An output has no elements, or too many for a test.");
  }
  const auto agreed = infer_node(NodeView(graph, bare, graph.shapes, values));
  return agreed.ok() ? Status() : agreed.error();
}

}  // namespace

Result<RandomNode> draw_node(Op op, uint32_t seed, const First& first) {
  Random random(seed);
  auto node = draw_node(op, random, first);
  if (node.ok()) node.value().seed = seed;
  return node;
}

Result<RandomNode> draw_node(Op op, Random& random, const First& first) {
  const OpSchema& row = schema(op);
  Draft draft{.row = row, .random = random};
  draft.dtype = random_dtype(random, row.inputs[0].dtypes);
  draft.output_dtype = random_dtype(random, row.outputs[0].dtypes);
  if (row.layout_dependent) draft.format = Format(random.below(4));
  draft.wild = random.one_in(8);
  if (first) {
    draft.first = first->shape.empty() ? Shape{1} : first->shape;
    draft.dtype = first->dtype;
    draft.format = first->format;
  }
  draw_shapes(draft);
  RandomNode node{.op = op};
  node.params = draw_params(draft);
  draw_operands(draft, first, node);
  NNRT_TRY(declare_outputs(random, node));
  return node;
}

RandomNode valid_node(Op op, uint32_t seed, size_t& refused, const First& first) {
  std::string reason;
  for (uint32_t attempt = 0; attempt < 100; ++attempt) {
    auto node = draw_node(op, seed + attempt * 0x9e3779b9u, first);
    if (node.ok()) return std::move(node).value();
    reason = node.error().message;
    ++refused;
  }
  ADD_FAILURE() << "No valid " << name(op) << " from seed " << seed << " on: " << reason;
  return {};
}

Result<GraphPtr> graph_of(const RandomNode& node) {
  GraphBuilder builder;
  std::vector<uint32_t> params, inputs, outputs, fed;
  for (auto [group, ids] : {std::pair(&node.inputs, &inputs), std::pair(&node.params, &params),
                            std::pair(&node.outputs, &outputs)}) {
    for (const Tensor& tensor : *group) {
      ids->push_back(uint32_t(builder.tensor_count()));
      if (group == &node.inputs && !tensor.is_constant()) fed.push_back(ids->back());
      NNRT_TRY(builder.add_tensor(tensor));
    }
  }
  if (fed.empty()) {  // a model needs an input
    fed.push_back(uint32_t(builder.tensor_count()));
    Tensor unused;
    unused.dtype = DType::f32;
    NNRT_TRY(builder.add_tensor(std::move(unused)));
  }
  NNRT_TRY(builder.add_operation(int(node.op), params, inputs, outputs));
  NNRT_TRY(builder.specify(fed, outputs));
  NNRT_TRY(builder.finish());
  return builder.graph();
}

}  // namespace nnrt::test
