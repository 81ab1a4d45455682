#include "tests/fuzz/nodes/node_drafts.h"
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace nnrt::test {
namespace {

using namespace onnx_file;

// Types of ONNX.
constexpr int32_t kFloat = 1, kInt64 = 7;

int32_t type_of(char letter) {
  switch (letter) {
    case 'h': return 10;
    case 'd': return 11;
    case 'b': return 9;
    case 'u': return 2;
    case 'c': return 3;
    case 'i': return 6;
    case 'l': return kInt64;
    default: return kFloat;
  }
}

size_t bytes_of(int32_t type) {
  switch (type) {
    case 1:
    case 6:
    case 12: return 4;
    case 7:
    case 11:
    case 13: return 8;
    case 4:
    case 5:
    case 10:
    case 16: return 2;
    default: return 1;
  }
}

// A node of ONNX Runtime's domain, of which ONNX's own tests have none: operands as type and dimensions,
// constants with a "!", missing ones "-"; attributes as integers, reals with a point, or texts.
struct Sketch {
  std::string_view type, operands, attributes{};
};
constexpr Sketch kSketches[] = {
    {"Attention", "f2x4x8 f8x24! f24! - f2x2x2x4x4", "num_heads=2 unidirectional=1"},
    {"BiasGelu", "f2x4x8 f8"},
    {"BiasSplitGelu", "f2x4x8 f8"},
    {"DequantizeLinear", "u2x4 f u", "axis=1"},
    {"DynamicQuantizeMatMul", "f2x4 c4x3! f! c! f3!"},
    {"EmbedLayerNormalization", "i2x4 i2x4 f16x8! f16x8! f2x8! f8! f8! i2x4", "epsilon=0.1"},
    {"FastGelu", "f2x4x8 f8"},
    {"FusedConv", "f1x2x5x5 f3x2x3x3! f3! f1x3x3x3", "activation=Relu"},
    {"FusedGemm", "f2x4 f4x3! f3!", "activation=LeakyRelu activation_alpha=0.1"},
    {"FusedMatMul", "f2x3x4 f2x3x4", "transA=1 alpha=2.0"},
    {"Gelu", "f2x4"},
    {"GroupNorm", "f1x4x4x8 f8! f8!", "groups=2 activation=1 channels_last=1"},
    {"GroupQueryAttention", "f1x2x16 f1x2x8 f1x2x8 f1x2x3x4 f1x2x3x4 i1 i1 f16x2! f16x2!",
     "num_heads=4 kv_num_heads=2 do_rotary=1"},
    {"MatMulIntegerToFloat", "u2x4 c4x3! f! f! u! c! f3!"},
    {"MatMulNBits", "f2x16 u3x1x8! f3!", "K=16 N=3 bits=4 block_size=16"},
    {"MultiHeadAttention", "f1x4x8 f1x4x8 f1x4x8 f24! b1x4 f1x2x4x6 f1x2x2x4 f1x2x2x4", "num_heads=2"},
    {"NhwcMaxPool", "c1x5x5x2", "kernel_shape=2,2 strides=1,1"},
    {"QLinearAdd", "u2x4 f! u! u2x4 f! u! f! u!"},
    {"QLinearAveragePool", "u1x2x5x5 f! u! f! u!", "kernel_shape=2,2"},
    {"QLinearConcat", "f! u! u2x4 f! u! u2x4 f! u!", "axis=1"},
    {"QLinearGlobalAveragePool", "u1x2x5x5 f! u! f! u!", "channels_last=0"},
    {"QLinearLeakyRelu", "u2x4 f! u! f! u!", "alpha=0.1"},
    {"QLinearMul", "u2x4 f! u! u2x4 f! u! f! u!"},
    {"QLinearSigmoid", "u2x4 f! u! f! u!"},
    {"QLinearSoftmax", "u2x4 f! u! f! u!", "axis=1 opset=13"},
    {"QuantizeLinear", "f2x4 f u", "axis=1"},
    {"QuickGelu", "f2x4", "alpha=1.7"},
    {"RotaryEmbedding", "f1x4x8 l1x4 f8x2! f8x2!", "num_heads=2"},
    {"SimplifiedLayerNormalization", "f2x4x8 f8", "axis=-1"},
    {"SkipLayerNormalization", "f2x4x8 f2x4x8 f8 f8 f8"},
    {"SkipSimplifiedLayerNormalization", "f2x4x8 f2x4x8 f8 f8"},
    {"TransposeMatMul", "f2x3x4 f2x3x4", "transB=1"},
};

void set_type(ValueInfo& value, int32_t type, const std::vector<int64_t>& shape) {
  auto& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape()->clear_dim();
  for (const int64_t length : shape) {
    Dimension& dimension = *tensor.mutable_shape()->add_dim();
    if (length >= 0) dimension.set_dim_value(length);
  }
}

void set_contents(TensorProto& tensor, int32_t type, const std::vector<int64_t>& shape, std::string bytes) {
  const std::string name = tensor.name();
  tensor = TensorProto();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const int64_t length : shape) tensor.add_dims(length);
  tensor.set_raw_data(std::move(bytes));
}

ModelProto model_of(std::string_view type, std::string_view domain) {
  ModelProto model;
  model.set_ir_version(8);
  OperatorSet& own = *model.add_opset_import();
  own.set_version(23);
  if (!domain.empty()) {
    OperatorSet& other = *model.add_opset_import();
    other.set_domain(std::string(domain));
    other.set_version(1);
  }
  NodeProto& node = *model.mutable_graph()->add_node();
  node.set_op_type(std::string(type));
  node.set_domain(std::string(domain));
  node.add_output("y");
  model.mutable_graph()->add_output()->set_name("y");
  return model;
}

void add_operand(ModelProto& model, std::string_view text) {
  GraphProto& graph = *model.mutable_graph();
  NodeProto& node = *graph.mutable_node(0);
  if (text == "-") return node.add_input("");
  const std::string name = "x" + std::to_string(node.input_size());
  node.add_input(name);
  const bool is_constant = text.ends_with('!');
  if (is_constant) text.remove_suffix(1);
  std::vector<int64_t> shape;
  for (size_t i = 1; i < text.size(); ++i) {
    if (i == 1 || text[i - 1] == 'x') shape.push_back(0);
    if (text[i] != 'x') shape.back() = shape.back() * 10 + text[i] - '0';
  }
  if (!is_constant) {
    ValueInfo& value = *graph.add_input();
    value.set_name(name);
    return set_type(value, type_of(text.front()), shape);
  }
  int64_t count = 1;
  for (const int64_t length : shape) count *= length;
  TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  const int32_t type = type_of(text.front());
  set_contents(tensor, type, shape, std::string(static_cast<size_t>(count) * bytes_of(type), '\1'));
}

void add_attribute(NodeProto& node, const std::string& text) {
  AttributeProto& attribute = *node.add_attribute();
  const size_t equals = text.find('=');
  attribute.set_name(text.substr(0, equals));
  const std::string value = text.substr(equals + 1);
  if (std::isalpha(static_cast<unsigned char>(value[0])) != 0) return attribute.set_s(value);
  if (value.find('.') != std::string::npos) return attribute.set_f(std::stof(value));
  if (value.find(',') == std::string::npos) return attribute.set_i(std::stoll(value));
  std::istringstream numbers(value);
  for (std::string number; std::getline(numbers, number, ',');) attribute.add_ints(std::stoll(number));
}

// ONNX's own tests, if they are installed, the sketches, and something for every other operator.
std::vector<ModelProto> read_seeds() {
  std::vector<ModelProto> seeds;
  std::set<std::pair<std::string, std::string>> seen;
  std::vector<std::filesystem::path> folders;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(NNRT_ONNX_NODE_TESTS, missing))
    folders.push_back(entry.path());
  std::ranges::sort(folders);
  constexpr size_t kMaxBytes = 16384;
  for (const auto& folder : folders) {
    std::ifstream file(folder / "model.onnx", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    ModelProto model;
    if (bytes.size() > kMaxBytes || !model.parse(bytes) || model.graph().node_size() == 0) continue;
    const NodeProto& node = model.graph().node(0);
    if (import::onnx::find_row(node.op_type(), node.domain()) == nullptr) continue;
    seen.emplace(node.op_type(), node.domain());
    seeds.push_back(std::move(model));
  }
  for (const Sketch& sketch : kSketches) {
    ModelProto model = model_of(sketch.type, "com.microsoft");
    std::istringstream operands{std::string(sketch.operands)}, attributes{std::string(sketch.attributes)};
    for (std::string text; operands >> text;) add_operand(model, text);
    for (std::string text; attributes >> text;) add_attribute(*model.mutable_graph()->mutable_node(0), text);
    seen.emplace(sketch.type, "com.microsoft");
    seeds.push_back(std::move(model));
  }
  for (const auto& [key, row] : import::onnx::all_rows()) {
    if (seen.contains({std::string(key.first), std::string(key.second)})) continue;
    ModelProto model = model_of(key.first, key.second);
    for (int i = 0; i < 3; ++i) add_operand(model, "f1x2x4x4");
    seeds.push_back(std::move(model));
  }
  return seeds;
}

const std::vector<ModelProto>& seeds() {
  static const std::vector<ModelProto> all = read_seeds();
  return all;
}

int32_t draw_type(Choices& choices) {
  return choices.of({1, 7, 6, 10, 11, 9, 2, 3, 4, 5, 12, 13, 16, 17, 8});
}

void edit_attribute(Choices& choices, NodeProto& node) {
  if (node.attribute_size() == 0 || choices.one_in(8)) {
    // An attribute of another operator.
    const NodeProto& other = seeds()[choices.below(seeds().size())].graph().node(0);
    if (other.attribute_size() > 0)
      *node.add_attribute() =
          other.attribute(static_cast<int>(choices.below(static_cast<size_t>(other.attribute_size()))));
    return;
  }
  const size_t place = choices.below(static_cast<size_t>(node.attribute_size()));
  AttributeProto& attribute = *node.mutable_attribute(static_cast<int>(place));
  switch (choices.below(4)) {
    case 0: {
      const auto it = node.mutable_attribute()->begin() + static_cast<std::ptrdiff_t>(place);
      node.mutable_attribute()->erase(it, it + 1);
      return;
    }
    case 1:
      if (attribute.has_i()) attribute.set_i(choices.integer());
      if (attribute.has_f()) attribute.set_f(choices.real());
      if (attribute.has_s())
        attribute.set_s(choices.of<std::string>({"", "forward", "reverse", "bidirectional", "SAME_UPPER",
                                                 "VALID", "linear", "cubic", "nearest", "mean", "none",
                                                 "constant", "wrap", "edge", "reflect", "x", "a,b->ab"}));
      for (int i = 0; i < attribute.ints_size(); ++i)
        if (choices.one_in(2)) attribute.set_ints(i, choices.integer());
      for (int i = 0; i < attribute.floats_size(); ++i)
        if (choices.one_in(2)) attribute.set_floats(i, choices.real());
      return;
    case 2: {
      const auto ints = choices.list<int64_t>([&] { return choices.integer(); });
      attribute.clear_ints();
      for (const int64_t value : ints) attribute.add_ints(value);
      return;
    }
    default: {
      const auto floats = choices.list<float>([&] { return choices.real(); });
      attribute.clear_floats();
      for (const float value : floats) attribute.add_floats(value);
      if (choices.one_in(2)) attribute.clear_strings();
      if (choices.one_in(2)) attribute.add_strings("Tanh");
    }
  }
}

std::string input_name(const NodeProto& node, size_t i) {
  return i < static_cast<size_t>(node.input_size()) ? node.input(static_cast<int>(i)) : std::string();
}

template <typename List>
auto find_named(List& list, const std::string& name) {
  return std::ranges::find_if(list, [&](const auto& it) { return it.name() == name; });
}

// Another shape or type of an operand, which may become constant or cease to be.
void edit_operand(Choices& choices, GraphProto& graph, const std::string& name) {
  if (name.empty()) return;
  const auto constant = find_named(*graph.mutable_initializer(), name);
  const auto fed = find_named(*graph.mutable_input(), name);
  const bool was_constant = constant != graph.mutable_initializer()->end();
  if (!was_constant && fed == graph.mutable_input()->end()) return;
  const bool is_constant = choices.one_in(4) ? !was_constant : was_constant;
  std::vector<int64_t> shape;
  int32_t type = kFloat;
  if (was_constant) {
    shape.assign(constant->dims().begin(), constant->dims().end());
    type = constant->data_type();
  } else {
    type = fed->type().tensor_type().elem_type();
    for (const Dimension& dimension : fed->type().tensor_type().shape().dim())
      shape.push_back(dimension.has_dim_value() ? dimension.dim_value() : -1);
  }
  switch (choices.below(6)) {
    case 0: shape = choices.shape(!is_constant); break;
    case 1: shape.clear(); break;
    case 2:
      if (!shape.empty()) shape[choices.below(shape.size())] = choices.of<int64_t>({0, 1, 2, 3, 5, -1});
      break;
    case 3:
      if (!shape.empty()) shape.pop_back();
      break;
    case 4:
      if (shape.size() < 8) shape.insert(shape.begin(), choices.of<int64_t>({1, 2}));
      break;
    default: type = draw_type(choices);
  }
  if (is_constant) std::ranges::replace(shape, -1, 1);
  int64_t count = 1;
  for (const int64_t length : shape) count *= std::max<int64_t>(length, 1);
  if (count > 65536) return;
  if (is_constant) {
    TensorProto& tensor = was_constant ? *constant : *graph.add_initializer();
    tensor.set_name(name);
    set_contents(tensor, type, shape, small_elements(choices, shape, bytes_of(type)));
    if (!was_constant) graph.mutable_input()->erase(fed, fed + 1);
  } else {
    ValueInfo& value = fed == graph.mutable_input()->end() ? *graph.add_input() : *fed;
    value.set_name(name);
    set_type(value, type, shape);
    if (was_constant) graph.mutable_initializer()->erase(constant, constant + 1);
  }
}

void edit_outputs(Choices& choices, GraphProto& graph, NodeProto& node) {
  if (choices.one_in(4)) return node.clear_output();
  const std::string name = "more" + std::to_string(node.output_size());
  node.add_output(name);
  graph.add_output()->set_name(name);
}

void edit(Choices& choices, ModelProto& model) {
  GraphProto& graph = *model.mutable_graph();
  NodeProto& node =
      *graph.mutable_node(static_cast<int>(choices.below(static_cast<size_t>(graph.node_size()))));
  const auto inputs = static_cast<size_t>(node.input_size());
  const size_t place = choices.below(inputs);
  switch (choices.below(12)) {
    case 0:
    case 1:
    case 2:
    case 3: return edit_operand(choices, graph, input_name(node, place));
    case 4:
    case 5:
    case 6: return edit_attribute(choices, node);
    case 7:
      if (inputs > 0) node.set_input(static_cast<int>(place), "");
      return;
    case 8:
      if (inputs > 0) node.set_input(static_cast<int>(place), input_name(node, choices.below(inputs)));
      return;
    case 9: node.mutable_input()->resize(choices.one_in(4) ? 0 : place); return;
    case 10:
      if (model.opset_import_size() > 0)
        model.mutable_opset_import(0)->set_version(
            choices.of<int64_t>({1, 6, 7, 9, 10, 11, 12, 13, 16, 18, 19, 21, 22, 23, 24, 25, 26, 5, 8}));
      return;
    default:
      if (choices.one_in(2)) return edit_outputs(choices, graph, node);
      // Another operator on the same operands.
      const NodeProto& other = seeds()[choices.below(seeds().size())].graph().node(0);
      node.set_op_type(other.op_type());
      node.set_domain(other.domain());
  }
}

}  // namespace

ModelProto draft_onnx(Choices& choices) {
  ModelProto model = seeds()[choices.below(seeds().size())];
  for (int edits = 0; edits < 8 && !choices.is_empty() && model.graph().node_size() > 0; ++edits)
    edit(choices, model);
  return model;
}

}  // namespace nnrt::test
