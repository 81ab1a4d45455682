#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "mindspore/file/ms_file.h"
#include "mindspore/schema/enumerations.h"
#include "tests/import/inference_session.h"
#include "tools/import/load_network.h"
#include "tools/import/mindspore/writer/ms_serializer.h"
#include "tools/import/model_quantizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace nnrt::test {
namespace {

using import::ModelQuantizer;
using import::QuantizedModel;
using import::Ranges;
using import::ValueRange;
using mindspore::ActivationType;
using mindspore::Integers;
using mindspore::Primitive;
using mindspore::PrimitiveType;
using mindspore::SourceGraph;
using mindspore::SourceNode;
using mindspore::SourceTensor;
using Names = std::vector<std::string>;

class GraphMaker {
 public:
  uint32_t tensor(const std::string& name, nnrt::Shape dims) {
    SourceTensor made;
    made.name = name;
    made.type_id = mindspore::kTypeFloat32;
    made.dims = std::move(dims);
    made.format = mindspore::kNhwc;
    graph.tensors.push_back(std::move(made));
    return uint32_t(graph.tensors.size() - 1);
  }
  template <typename T>
  uint32_t constant(const std::string& name, nnrt::Shape dims, const std::vector<T>& values,
                    int64_t type_id) {
    const uint32_t id = tensor(name, std::move(dims));
    graph.tensors[id].data = std::make_shared<const Bytes>(bytes_of(values));
    graph.tensors[id].type_id = type_id;
    return id;
  }
  uint32_t floats(const std::string& name, nnrt::Shape dims, const std::vector<float>& values) {
    return constant(name, std::move(dims), values, mindspore::kTypeFloat32);
  }
  void node(Primitive primitive, std::vector<uint32_t> inputs, uint32_t output, int quant_type = 0) {
    SourceNode made;
    made.name = graph.tensors[output].name + "_node";
    made.primitive = std::move(primitive);
    made.inputs = std::move(inputs);
    made.outputs = {output};
    made.quant_type = quant_type;
    graph.nodes.push_back(std::move(made));
  }
  std::string file() const {
    const Bytes bytes = import::mindspore::serialize(graph).value();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  SourceGraph graph;
};

Primitive product() { return Primitive(PrimitiveType::mat_mul_fusion).set("transpose_b", int64_t{1}); }

// x [1, 4, 4, 2] through two convolutions, a concatenation, a pool, and a product with three classes.
GraphMaker small_network() {
  GraphMaker made;
  const uint32_t x = made.tensor("x", {1, 4, 4, 2});
  const uint32_t w = made.floats("w", {2, 1, 1, 2}, {1, -2, 0.25, 0.5}), b = made.floats("b", {2}, {1, -1});
  const uint32_t d = made.floats("d", {2, 1, 1, 1}, {3, -0.5});
  const uint32_t m = made.floats("m", {3, 4}, {.5, -.5, .25, 1, 1, .5, -.25, .125, -1, .75, .5, .25});
  const uint32_t shape = made.constant<int32_t>("shape", {2}, {1, 4}, int64_t{34});
  const uint32_t c = made.tensor("c", {1, 4, 4, 2}), e = made.tensor("e", {1, 4, 4, 2});
  const uint32_t j = made.tensor("j", {1, 4, 4, 4}), p = made.tensor("p", {1, 1, 1, 4});
  const uint32_t f = made.tensor("f", {1, 4}), y = made.tensor("y", {1, 3}), s = made.tensor("s", {1, 3});
  Primitive conv(PrimitiveType::conv2d_fusion);
  conv.set("activation_type", int64_t(ActivationType::relu)).set("group", int64_t{1});
  made.node(conv, {x, w, b}, c);
  made.node(Primitive(PrimitiveType::conv2d_fusion).set("group", int64_t{2}), {x, d}, e);
  made.node(Primitive(PrimitiveType::concat).set("axis", int64_t{3}), {c, e}, j);
  made.node(Primitive(PrimitiveType::avg_pool_fusion).set("global", int64_t{1}), {j}, p);
  made.node(Primitive(PrimitiveType::reshape), {p, shape}, f);
  made.node(product(), {f, m}, y);
  made.node(Primitive(PrimitiveType::softmax).set("axis", Integers{-1}), {y}, s);
  made.graph.inputs = {x};
  made.graph.outputs = {s};
  return made;
}

using Quantizer = Result<std::unique_ptr<ModelQuantizer>>;

Quantizer quantizer_of(const std::string& file, const Names& float_nodes = {}) {
  NNRT_ASSIGN(import::Network network, import::load(std::as_bytes(std::span(file)), {}));
  return import::ModelQuantizer::create(network, "x.ms", file, float_nodes);
}

QuantizedModel quantized(const std::string& file, double limit = 2, const Names& float_nodes = {}) {
  const auto quantizer = quantizer_of(file, float_nodes).value();
  Ranges ranges;
  for (const import::TensorId value : quantizer->values()) ranges.emplace(value, ValueRange{-limit, limit});
  return quantizer->quantize(ranges).value();
}

SourceGraph parsed(const std::string& file) {
  return mindspore::read_model_file(
             std::as_bytes(std::span(file)),
             [](ByteView part) {
               return SharedBytes(std::make_shared<const Bytes>(part.begin(), part.end()));
             })
      .value();
}

const SourceTensor& tensor(const SourceGraph& graph, std::string_view name) {
  const auto found = std::ranges::find(graph.tensors, name, &SourceTensor::name);
  if (found == graph.tensors.end()) throw std::runtime_error(cat("no tensor ", name));
  return *found;
}

Names primitives_of(const SourceGraph& graph) {
  Names names;
  for (const SourceNode& node : graph.nodes) names.emplace_back(node.primitive->row().name);
  return names;
}

template <typename T>
std::vector<T> elements(const SourceTensor& tensor) {
  std::vector<T> values(tensor.data->size() / sizeof(T));
  std::memcpy(values.data(), tensor.data->data(), tensor.data->size());
  return values;
}

std::vector<float> run(const std::string& file) {
  const auto network = import::load(std::as_bytes(std::span(file)), {}).value();
  std::vector<float> x(32);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(float(i));
  const auto shape_of = [&](import::TensorId id) { return network.tensors[id].shape; };
  const std::vector<Value> inputs{{shape_of(network.inputs[0]), bytes_of(x)}};
  const std::vector<Shape> shapes{shape_of(network.outputs[0])};
  const auto got = run_on_cpu(network, inputs, shapes).value();
  std::vector<float> values(got[0].bytes.size() / sizeof(float));
  std::memcpy(values.data(), got[0].bytes.data(), got[0].bytes.size());
  return values;
}

TEST(MsQuantizer, ConvertsOnlyAtInputAndScores) {
  const QuantizedModel made = quantized(small_network().file());
  EXPECT_EQ(primitives_of(parsed(made.file)),
            (Names{"QuantDTypeCast", "Conv2DFusion", "Conv2DFusion", "Concat", "AvgPoolFusion", "Reshape",
                   "MatMulFusion", "QuantDTypeCast", "Softmax"}));
  EXPECT_EQ(made.layers.size(), 4u);
  EXPECT_EQ(made.layers[0].label, "Conv2DFusion c_node");
  EXPECT_EQ(made.float_layers, Names{"Softmax s_node"});
}

TEST(MsQuantizer, ComputesNearlyTheSame) {
  const std::string file = small_network().file();
  const std::vector<float> want = run(file), got = run(quantized(file, 4).file);
  ASSERT_EQ(want.size(), got.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 0.02f) << i;
}

TEST(MsQuantizer, ScalesWeightsPerChannel) {
  const SourceGraph graph = parsed(quantized(small_network().file()).file);
  const SourceTensor &w = tensor(graph, "w"), &b = tensor(graph, "b");
  EXPECT_EQ(elements<int8_t>(w), (std::vector<int8_t>{64, -127, 64, 127}));
  ASSERT_EQ(w.quant.size(), 2u);
  EXPECT_NEAR(w.quant[0].scale, 2.0 / 127, 1e-7);
  EXPECT_NEAR(w.quant[1].scale, 0.5 / 127, 1e-7);
  EXPECT_EQ(tensor(graph, "d").quant.size(), 2u);
  EXPECT_EQ(tensor(graph, "m").quant.size(), 3u);
  EXPECT_EQ(mindspore::dtype_of(b.type_id), DType::i32);
  const double input = tensor(graph, "x_int8").quant[0].scale;
  for (size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(b.quant[c].scale, input * w.quant[c].scale, 1e-9);
    EXPECT_NEAR(double(elements<int32_t>(b)[c]) * b.quant[c].scale, c == 0 ? 1 : -1, 1e-4);
  }
  for (const SourceNode& node : graph.nodes)
    EXPECT_EQ(node.quant_type, node.primitive->type() == PrimitiveType::softmax ? 0 : mindspore::kQuantAll);
  for (const SourceTensor& it : graph.tensors)
    EXPECT_FALSE(it.has_data() && it.type_id == mindspore::kTypeFloat32) << it.name;
}

TEST(MsQuantizer, ReadsFloat16AndWeightOnlyInt8) {
  GraphMaker made;
  const uint32_t x = made.tensor("x", {1, 2}), a = made.tensor("a", {1, 2}), y = made.tensor("y", {1, 3});
  // 1, 2, 1, 0.5
  const uint32_t w =
      made.constant<uint16_t>("w", {2, 2}, {0x3c00, 0x4000, 0x3c00, 0x3800}, mindspore::kTypeFloat16);
  const uint32_t v = made.constant<int8_t>("v", {2, 3}, {100, 25, 50, -50, 0, 25}, mindspore::kTypeInt8);
  made.graph.tensors[v].quant = {{.scale = 0.01, .inited = true}};
  made.node(product(), {x, w}, a);
  made.node(Primitive(PrimitiveType::mat_mul_fusion), {a, v}, y, mindspore::kQuantWeight);
  made.graph.inputs = {x};
  made.graph.outputs = {y};
  const SourceGraph graph = parsed(quantized(made.file()).file);
  EXPECT_EQ(primitives_of(graph),
            (Names{"QuantDTypeCast", "MatMulFusion", "MatMulFusion", "QuantDTypeCast"}));
  EXPECT_EQ(elements<int8_t>(tensor(graph, "w")), (std::vector<int8_t>{64, 127, 127, 64}));
  EXPECT_EQ(tensor(graph, "v").dims, (nnrt::Shape{3, 2})) << "transposed, so that channels come first";
  EXPECT_EQ(elements<int8_t>(tensor(graph, "v")), (std::vector<int8_t>{127, -64, 127, 0, 127, 64}));
}

TEST(MsQuantizer, LeavesOutNodesByPrimitiveAndByName) {
  const std::string file = small_network().file();
  EXPECT_EQ(quantized(file, 2, {"Conv2DFusion"}).float_layers,
            (Names{"Conv2DFusion c_node", "Conv2DFusion e_node", "Concat j_node", "Softmax s_node"}));
  EXPECT_EQ(quantized(file, 2, {"y"}).float_layers, (Names{"MatMulFusion y_node", "Softmax s_node"}));
  EXPECT_EQ(quantized(file, 2, {"y_node"}).float_layers, (Names{"MatMulFusion y_node", "Softmax s_node"}));
}

}  // namespace
}  // namespace nnrt::test
