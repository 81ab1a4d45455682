#include "tests/support/random/random_node.h"

#include "core/base/fp16.h"
#include "core/base/text.h"
#include "core/schema/graph_builder.h"
#include "core/schema/infer.h"
#include "core/schema/validate.h"
#include "tests/support/random/random_node_draft.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace nnrt::test {
namespace {

template <typename T>
void append(Bytes& bytes, T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof value);
}

void append_number(Bytes& bytes, DType dtype, double real, int64_t integer) {
  switch (dtype) {
    case DType::f16: return append(bytes, to_half(real));
    case DType::f32: return append(bytes, float(real));
    case DType::f64: return append(bytes, real);
    default: break;
  }
  const auto* first = reinterpret_cast<const std::byte*>(&integer);
  bytes.insert(bytes.end(), first, first + size_of(dtype));
}

// Multiples of one half now and then, so that equal values and ties occur.
double random_real(Random& random, const Domain& domain) {
  for (;;) {
    const double drawn = random.real(domain.min, domain.max);
    const double value = random.one_in(4) ? std::round(2 * drawn) / 2 : drawn;
    const bool tiny = domain.nonzero && std::fabs(value) < 0.25;
    if (!tiny && value >= domain.min) return value;
  }
}

// Mostly small; one in eight of any size.
int64_t random_integer(Random& random, DType dtype) {
  if (dtype == DType::boolean) return random.of<int64_t>({0, 0, 1, 1, 255});
  return random.one_in(8) ? int64_t(random.bits()) : random.between(-9, 99);
}

std::vector<DType> members(DTypeSet set) {
  std::vector<DType> result;
  for (int dtype = 1; dtype < kDTypeCount; ++dtype) {
    if (set.contains(DType(dtype))) result.push_back(DType(dtype));
  }
  return result;
}

// FLOAT32 more often than the others.
DType random_dtype(Random& random, DTypeSet set) {
  if (set.contains(DType::f32) && random.one_in(3)) return DType::f32;
  return random.of(members(set));
}

Quant random_quant(Random& random, size_t scales = 1) {
  Quant quant;
  for (size_t i = 0; i < scales; ++i) {
    quant.scales.push_back(random.real(0.01, 0.1));
    quant.zero_points.push_back(int32_t(random.between(-20, 20)));
  }
  return quant;
}

// A spatial parameter: small, or now and then as large as an attribute can say, and as kernels can count.
int64_t spatial_number(Random& random, int64_t min, int64_t max) {
  if (!random.one_in(3)) return random.between(min, max);
  constexpr int64_t kOne = 1;
  return random.of<int64_t>(
      {(kOne << 15) - 1, kOne << 16, (kOne << 30) - 1, kOne << 30, (kOne << 31) - 2, (kOne << 31) - 1});
}

// Numbers for a parameter that no shape decides.
std::vector<double> numbers_for(Draft& draft, const ParamRow& row) {
  Random& random = draft.random;
  const auto some = [&](int64_t min, int64_t max) {
    std::vector<double> values(std::max<size_t>(row.count.min, 1));
    for (double& value : values) value = double(random.between(min, max));
    return values;
  };
  const auto spatial = [&](int64_t min, int64_t max) {
    std::vector<double> values = some(min, max);
    if (!draft.wild) return values;
    for (double& value : values) value = double(spatial_number(random, min, max));
    return values;
  };
  if (!row.closed_list.empty()) return {double(random.of(row.closed_list))};
  if (row.dtypes == DTypeSet(DType::boolean)) return some(0, 1);
  switch (row.attr) {
    case Attr::axis:
    case Attr::begin_param_axis: return {double(draft.axis(draft.rank()))};
    case Attr::axes: {
      const std::vector<int64_t> axes = draft.axes(draft.rank());
      return {axes.begin(), axes.end()};
    }
    case Attr::kernel: return spatial(1, 5);
    case Attr::stride: return spatial(1, 3);
    case Attr::dilation: return spatial(1, 2);
    case Attr::new_height:
    case Attr::new_width: return some(1, 17);
    case Attr::pad: return spatial(0, 1);
    case Attr::output_padding:
    case Attr::keep_dims:
    case Attr::exclude_outside: return some(0, 1);
    case Attr::radius: return some(0, 3);
    case Attr::base: return random.of<std::vector<double>>({{-1}, {2}, {10}});
    case Attr::epsilon: return random.of<std::vector<double>>({{1e-3}, {1e-2}});
    default: return {random.of<double>({0, 0.5, 1})};
  }
}

Tensor param_of(Draft& draft, const ParamRow& row, const std::vector<double>& numbers) {
  Tensor tensor;
  tensor.role = row.type;
  tensor.dtype = draft.random.of(members(row.dtypes));
  tensor.shape = {int64_t(numbers.size())};
  if (row.rank == 2) tensor.shape = {2, int64_t(numbers.size()) / 2};
  Bytes bytes;
  for (const double number : numbers) append_number(bytes, tensor.dtype, number, int64_t(number));
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
  return tensor;
}

std::vector<Tensor> draw_params(Draft& draft) {
  std::vector<Tensor> params;
  for (const ParamRow& row : draft.row.params) {
    const auto decided = draft.attrs.find(row.attr);
    const bool open = decided == draft.attrs.end();
    // Without its epsilon a variance near 0 makes more of rounding than any tolerance.
    const bool given = row.required || row.attr == Attr::epsilon || !draft.random.one_in(3);
    if (open ? !given : decided->second.empty()) continue;
    params.push_back(param_of(draft, row, open ? numbers_for(draft, row) : decided->second));
  }
  draft.random.shuffle(params);
  return params;
}

// Choices that are drawn once for the operands of a node.
struct Operands {
  Draft& draft;
  bool coded;         // 8-bit tensors have quantization parameters
  Quant quant;        // of the first input
  bool equal_quants;  // and of all others
  bool stray;         // other tensors may have some too, which mean nothing

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
                                   DType::i64,     DType::f16, DType::f32, DType::f64};
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

// One element is declared without dimensions as well as with one (R6).
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

// Shows the node to inference as Finish sees it. The shapes of the outputs are declared here.
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
    if (!count || *count > kMaxElements) return invalid("An output has too many elements for a test.");
  }
  const auto agreed = infer_node(NodeView(graph, bare, graph.shapes, values));
  return agreed.ok() ? Status() : agreed.error();
}

std::string_view format_name(Format format) {
  constexpr std::array<std::string_view, 4> kNames = {"", " NCHW", " NHWC", " ND"};
  return kNames[size_t(format)];
}

// One element as text.
std::string element_text(DType dtype, const std::byte* at) {
  if (dtype == DType::f16) {
    Half half;
    std::memcpy(&half, at, sizeof half);
    return cat(to_float(half));
  }
  if (dtype == DType::f32) {
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return cat(value);
  }
  int64_t value = 0;
  std::memcpy(&value, at, size_of(dtype));
  const int unused = 64 - 8 * int(size_of(dtype));
  return cat(value << unused >> unused);
}

std::string describe_param(Op op, const Tensor& tensor) {
  const ParamRow* row = schema(op).param(tensor.role);
  std::string text =
      cat(row == nullptr ? "a foreign parameter" : row->type_name, " (", name(tensor.dtype), ") =");
  if (!tensor.data) return text + " no data";
  const size_t size = size_of(tensor.dtype);
  for (size_t at = 0; at < tensor.data->size(); at += size)
    text.append(" ").append(element_text(tensor.dtype, tensor.data->data() + at));
  return text;
}

}  // namespace

Bytes random_contents(Random& random, DType dtype, size_t count, Op op, size_t input) {
  if (random.is_steered()) {
    Random own(uint32_t(random.bits()));
    return random_contents(own, dtype, count, op, input);
  }
  const Domain domain = domain_of(op, input);
  Bytes bytes;
  for (size_t i = 0; i < count; ++i) {
    const bool real = is_float(dtype);
    append_number(bytes, dtype, real ? random_real(random, domain) : 0,
                  real ? 0 : random_integer(random, dtype));
  }
  return bytes;
}

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
  if (fed.empty()) {  // a model has an input
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

std::string describe(const Tensor& tensor) {
  std::string text = cat(name(tensor.dtype), " ", to_string(tensor.shape), format_name(tensor.format));
  if (!tensor.quant.empty()) {
    text += cat(" quantized (", tensor.quant.scales[0], ", ", tensor.quant.zero_points[0]);
    text += tensor.quant.scales.size() > 1 ? ", ...)" : ")";
  }
  return text;
}

std::string describe(const RandomNode& node) {
  std::string text = cat(name(node.op), ", seed ", node.seed, ":");
  for (const Tensor& tensor : node.inputs) {
    text += cat("\n  in  ", describe(tensor), tensor.is_constant() ? " constant" : " fed");
  }
  for (const Tensor& tensor : node.params) text += cat("\n  ", describe_param(node.op, tensor));
  for (const Tensor& tensor : node.outputs) text += cat("\n  out ", describe(tensor));
  return text;
}

}  // namespace nnrt::test
