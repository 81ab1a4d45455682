#include "tests/import/tflite_writer.h"
#include "tools/import/load_network.h"
#include "tools/import/model_quantizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace nnrt::import {
namespace {

namespace format = tflite::format;
using format::ModelT;
using format::TensorT;
using test::BuiltinOperator;
using test::constant;
using test::Operand;
using test::TensorType;
using test::TfliteWriter;
using enum BuiltinOperator;

Operand real(Shape shape) { return test::floats(std::move(shape), {}); }

Operand filled(Shape shape, double value) {
  size_t count = 1;
  for (const int32_t length : shape) count *= static_cast<size_t>(length);
  return constant(test::floats(std::move(shape), std::vector<double>(count, value)));
}

// x [1, 4, 4, 2] through two convolutions, a concatenation, a pool, and a product with three classes.
TfliteWriter small_network() {
  TfliteWriter writer;
  const int32_t x = writer.input(real({1, 4, 4, 2}), "x");
  const int32_t w = writer.tensor(constant(test::floats({2, 1, 1, 2}, {1, -2, 0.25, 0.5})), "w");
  const int32_t b = writer.tensor(constant(test::floats({2}, {1, -1})), "b");
  const int32_t d = writer.tensor(constant(test::floats({1, 1, 1, 2}, {3, -0.5})), "d");
  const int32_t m = writer.tensor(filled({3, 4}, 0.5), "m");
  const int32_t shape = writer.tensor(constant(test::ints({2}, {1, 4})), "shape");
  const int32_t c = writer.tensor(real({1, 4, 4, 2}), "c"), e = writer.tensor(real({1, 4, 4, 2}), "e");
  const int32_t j = writer.tensor(real({1, 4, 4, 4}), "j"), p = writer.tensor(real({1, 1, 1, 4}), "p");
  const int32_t f = writer.tensor(real({1, 4}), "f"), y = writer.tensor(real({1, 3}), "y");
  const int32_t s = writer.tensor(real({1, 3}), "s");
  format::Conv2DOptionsT conv;
  conv.stride_h = conv.stride_w = 1;
  conv.activation = format::Activation::RELU;
  format::DepthwiseConv2DOptionsT depthwise;
  depthwise.stride_h = depthwise.stride_w = depthwise.depth_multiplier = 1;
  format::Pool2DOptionsT pool;
  pool.stride_h = pool.stride_w = pool.filter_height = pool.filter_width = 4;
  pool.padding = format::Padding::VALID;
  format::ConcatenationOptionsT joined;
  joined.axis = 3;
  writer.add(CONV_2D, {x, w, b}, {c}, test::with(conv));
  writer.add(DEPTHWISE_CONV_2D, {x, d}, {e}, test::with(depthwise));
  writer.add(CONCATENATION, {c, e}, {j}, test::with(joined));
  writer.add(AVERAGE_POOL_2D, {j}, {p}, test::with(pool));
  writer.add(RESHAPE, {p, shape}, {f});
  writer.add(FULLY_CONNECTED, {f, m}, {y}, test::with(format::FullyConnectedOptionsT()));
  format::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  writer.add(SOFTMAX, {y}, {s}, test::with(softmax));
  writer.output(s);
  return writer;
}

// The same with sparsely stored product weights, although none is 0.
TfliteWriter sparse_network() {
  TfliteWriter writer = small_network();
  auto& tensors = writer.graph().tensors;
  const auto weights = std::ranges::find(tensors, "m", [](const auto& it) { return it->name; });
  const auto number = static_cast<int32_t>(weights - tensors.begin());
  auto sparsity = std::make_unique<format::SparsityT>();
  sparsity->traversal_order = {0, 1};
  for (int i = 0; i < 2; ++i) sparsity->dimensions.push_back(std::make_unique<format::SparseDimensionT>());
  sparsity->dimensions[0]->dense_size = 3;
  format::Uint8VectorT segments, indices;
  segments.values = {0, 4, 8, 12};
  indices.values = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};
  sparsity->dimensions[1]->format = format::DimensionFormat::SPARSE_CSR;
  sparsity->dimensions[1]->segments.Set(std::move(segments));
  sparsity->dimensions[1]->indices.Set(std::move(indices));
  (*weights)->sparsity = std::move(sparsity);
  const int32_t dense = writer.tensor(real({3, 4}), "dense");
  for (const auto& op : writer.graph().operators) std::ranges::replace(op->inputs, number, dense);
  writer.add(DENSIFY, {number}, {dense});
  auto& operators = writer.graph().operators;
  std::rotate(operators.begin(), operators.end() - 1, operators.end());
  return writer;
}

std::string file_of(TfliteWriter writer) {
  const Bytes bytes = writer.finish();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

using Quantizer = Result<std::unique_ptr<ModelQuantizer>>;

Quantizer quantizer_of(const std::string& file, const std::vector<std::string>& float_nodes = {}) {
  NNRT_ASSIGN(const Network network, load(std::as_bytes(std::span(file)), {}));
  return ModelQuantizer::create(network, "x.tflite", file, float_nodes);
}

Quantizer quantizer_of(TfliteWriter writer, const std::vector<std::string>& float_nodes = {}) {
  return quantizer_of(file_of(std::move(writer)), float_nodes);
}

std::string message_of(const Quantizer& made) { return made.ok() ? "" : made.error().message; }

// With ranges of [-2, 2] for all values.
QuantizedModel quantized(TfliteWriter writer, const std::vector<std::string>& float_nodes = {}) {
  const auto quantizer = quantizer_of(std::move(writer), float_nodes).value();
  Ranges ranges;
  for (const import::TensorId value : quantizer->values()) ranges.emplace(value, ValueRange{-2, 2});
  return quantizer->quantize(ranges).value();
}

// The model as other readers see it, after verification.
std::unique_ptr<ModelT> parsed(const QuantizedModel& made) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(made.file.data());
  flatbuffers::Verifier verifier(bytes, made.file.size());
  if (!format::VerifyModelBuffer(verifier)) throw std::runtime_error("The file is damaged.");
  return std::unique_ptr<ModelT>(format::GetModel(bytes)->UnPack());
}

const TensorT& tensor(const ModelT& model, const char* name) {
  for (const auto& it : model.subgraphs[0]->tensors) {
    if (it->name == name) return *it;
  }
  throw std::runtime_error(std::string("no tensor ") + name);
}

std::vector<std::string> operators_of(const ModelT& model) {
  std::vector<std::string> names;
  for (const auto& op : model.subgraphs[0]->operators)
    names.emplace_back(format::EnumNameBuiltinOperator(
        BuiltinOperator(model.operator_numbers[op->opcode_index]->builtin_code)));
  return names;
}

template <typename T>
std::vector<T> elements(const ModelT& model, const TensorT& of) {
  const std::vector<uint8_t>& data = model.buffers[of.buffer]->data;
  std::vector<T> values(data.size() / sizeof(T));
  std::memcpy(values.data(), data.data(), data.size());
  return values;
}

using Names = std::vector<std::string>;

}  // namespace

TEST(TfliteQuantizer, ConvertsOnlyAtInputAndScores) {
  const QuantizedModel made = quantized(small_network());
  EXPECT_EQ(operators_of(*parsed(made)),
            (Names{"QUANTIZE", "CONV_2D", "DEPTHWISE_CONV_2D", "CONCATENATION", "AVERAGE_POOL_2D", "RESHAPE",
                   "FULLY_CONNECTED", "DEQUANTIZE", "SOFTMAX"}));
  EXPECT_EQ(made.layers.size(), 4u);
  EXPECT_EQ(made.layers[0].label, "CONV_2D c");
  EXPECT_EQ(made.float_layers, Names{"SOFTMAX s"});
}

TEST(TfliteQuantizer, KeepsInputsAndOutputsAsFloats) {
  const QuantizedModel made = quantized(small_network());
  const auto network = load(std::as_bytes(std::span(made.file)), {}).value();
  const Tensor& x = network.tensors[network.inputs[0]];
  const Tensor& s = network.tensors[network.outputs[0]];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.type, OH_NN_FLOAT32);
  EXPECT_EQ(s.name, "s");
  EXPECT_EQ(s.type, OH_NN_FLOAT32);
}

TEST(TfliteQuantizer, ScalesWeightsPerChannel) {
  const auto model = parsed(quantized(small_network()));
  const TensorT &w = tensor(*model, "w"), &b = tensor(*model, "b"), &d = tensor(*model, "d"),
                &m = tensor(*model, "m");
  EXPECT_EQ(elements<int8_t>(*model, w), (std::vector<int8_t>{64, -127, 64, 127}));
  EXPECT_EQ(w.quantization->quantized_dimension, 0);
  EXPECT_FLOAT_EQ(w.quantization->scale[0], 2.0f / 127);
  EXPECT_FLOAT_EQ(w.quantization->scale[1], 0.5f / 127);
  EXPECT_EQ(w.quantization->zero_point, (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(d.quantization->quantized_dimension, 3);
  EXPECT_EQ(d.quantization->scale.size(), 2u);
  EXPECT_EQ(m.quantization->quantized_dimension, 0);
  EXPECT_EQ(m.quantization->scale.size(), 3u);
  const float input = tensor(*model, "x_int8").quantization->scale[0];
  EXPECT_EQ(b.type, TensorType::INT32);
  for (size_t c = 0; c < 2; ++c) {
    EXPECT_FLOAT_EQ(b.quantization->scale[c], input * w.quantization->scale[c]);
    EXPECT_NEAR(double(elements<int32_t>(*model, b)[c]) * double(b.quantization->scale[c]), c == 0 ? 1 : -1,
                1e-4);
  }
  for (const auto& it : model->subgraphs[0]->tensors) {
    const bool is_empty = it->type != TensorType::FLOAT32 || model->buffers[it->buffer]->data.empty();
    EXPECT_TRUE(is_empty) << it->name;
  }
}

// Concatenations, pools and data movement share one scale between operands and result.
TEST(TfliteQuantizer, SharesRequiredScales) {
  const auto model = parsed(quantized(small_network()));
  for (const char* name : {"c", "e", "p", "f"}) {
    EXPECT_EQ(tensor(*model, name).quantization->scale, tensor(*model, "j").quantization->scale) << name;
    EXPECT_EQ(tensor(*model, name).quantization->zero_point, tensor(*model, "j").quantization->zero_point);
  }
}

TEST(TfliteQuantizer, RequantizesWhatAJoinSharesWithOthers) {
  TfliteWriter writer;
  const int32_t x = writer.input(real({1, 2}), "x"), w = writer.tensor(filled({2, 2}, 0.5), "w");
  const int32_t a = writer.tensor(real({1, 2}), "a"), t = writer.tensor(real({1, 2}), "t");
  const int32_t j = writer.tensor(real({1, 4}), "j"), v = writer.tensor(filled({2, 4}, 1), "v");
  const int32_t y = writer.tensor(real({1, 2}), "y");
  format::ConcatenationOptionsT joined;
  joined.axis = 1;
  writer.add(FULLY_CONNECTED, {x, w}, {a}, test::with(format::FullyConnectedOptionsT()));
  writer.add(TANH, {a}, {t});
  writer.add(CONCATENATION, {a, t}, {j}, test::with(joined));
  writer.add(FULLY_CONNECTED, {j, v}, {y}, test::with(format::FullyConnectedOptionsT()));
  writer.output(y);
  const auto quantizer = quantizer_of(std::move(writer)).value();
  const auto network = quantizer->network({}, {}).value();
  const std::map<std::string, ValueRange> by_name{
      {"x", {-1, 1}}, {"a", {-2, 2}}, {"t", {-0.5, 0.5}}, {"j", {-3, 3}}, {"y", {-1, 1}}};
  Ranges ranges;
  for (TensorId id = 0; id < network.tensors.size(); ++id) {
    const auto found = by_name.find(network.tensors[id].name);
    if (found != by_name.end()) ranges.emplace(id, found->second);
  }
  const auto made = quantizer->quantize(ranges).value();
  const auto model = parsed(made);
  EXPECT_EQ(operators_of(*model), (Names{"QUANTIZE", "FULLY_CONNECTED", "TANH", "QUANTIZE", "QUANTIZE",
                                         "CONCATENATION", "FULLY_CONNECTED", "DEQUANTIZE"}));
  EXPECT_EQ(tensor(*model, "t").quantization->scale[0], 1.0f / 128) << "whatever the range is";
  EXPECT_EQ(tensor(*model, "t").quantization->zero_point[0], 0);
  for (const char* name : {"a_requantized", "t_requantized"})
    EXPECT_EQ(tensor(*model, name).quantization->scale, tensor(*model, "j").quantization->scale);
}

TEST(TfliteQuantizer, KeepsMetadataAndSignatures) {
  TfliteWriter writer = small_network();
  writer.model().description = "made by hand";
  auto metadata = std::make_unique<format::MetadataT>();
  metadata->name = "min_runtime_version";
  metadata->buffer = static_cast<uint32_t>(writer.model().buffers.size());
  writer.model().buffers.push_back(std::make_unique<format::BufferT>());
  writer.model().buffers.back()->data = {'1', '.', '5'};
  writer.model().metadata.push_back(std::move(metadata));
  auto signature = std::make_unique<format::SignatureDefT>();
  signature->signature_key = "serving_default";
  signature->inputs.push_back(std::make_unique<format::TensorMapT>());
  signature->inputs[0]->name = "image";
  writer.model().signature_defs.push_back(std::move(signature));
  const auto model = parsed(quantized(std::move(writer)));
  EXPECT_EQ(model->description, "made by hand");
  EXPECT_EQ(model->buffers[model->metadata[0]->buffer]->data, (std::vector<uint8_t>{'1', '.', '5'}));
  const auto number = model->signature_defs[0]->inputs[0]->tensor_index;
  EXPECT_EQ(model->subgraphs[0]->tensors[number]->name, "x");
  const auto& codes = model->operator_numbers;
  const auto conv = std::ranges::find(codes, static_cast<int32_t>(CONV_2D),
                                      [](const auto& it) { return it->builtin_code; });
  ASSERT_NE(conv, codes.end());
  EXPECT_EQ((*conv)->version, 3) << "of INT8";
}

TEST(TfliteQuantizer, ReadsFloat16AndWeightOnlyInt8) {
  TfliteWriter writer;
  const int32_t x = writer.input(real({1, 2}), "x"), a = writer.tensor(real({1, 2}), "a");
  const int32_t narrow = writer.tensor(
      constant({TensorType::FLOAT16, {2, 2}, {0x3c00, 0x4000, 0x3c00, 0x3800}}), "narrow");  // 1, 2, 1, 0.5
  const int32_t w = writer.tensor(real({2, 2}), "w"), y = writer.tensor(real({1, 2}), "y");
  const int32_t v = writer.tensor(constant(test::int8({2, 2}, {100, -50, 25, 0}, 0.01f, 0)), "v");
  writer.add(DEQUANTIZE, {narrow}, {w});
  writer.add(FULLY_CONNECTED, {x, w}, {a}, test::with(format::FullyConnectedOptionsT()));
  writer.add(FULLY_CONNECTED, {a, v}, {y}, test::with(format::FullyConnectedOptionsT()));
  writer.output(y);
  const auto model = parsed(quantized(std::move(writer)));
  EXPECT_EQ(operators_of(*model), (Names{"QUANTIZE", "FULLY_CONNECTED", "FULLY_CONNECTED", "DEQUANTIZE"}));
  EXPECT_EQ(elements<int8_t>(*model, tensor(*model, "narrow")), (std::vector<int8_t>{64, 127, 127, 64}));
  EXPECT_EQ(elements<int8_t>(*model, tensor(*model, "v")), (std::vector<int8_t>{127, -64, 127, 0}));
}

TEST(TfliteQuantizer, LeavesOutOperatorsByTypeAndByName) {
  EXPECT_EQ(quantized(small_network(), {"CONV_2D", "DEPTHWISE_CONV_2D"}).float_layers,
            (Names{"CONV_2D c", "DEPTHWISE_CONV_2D e", "CONCATENATION j", "SOFTMAX s"}));
  EXPECT_EQ(quantized(small_network(), {"y"}).float_layers, (Names{"FULLY_CONNECTED y", "SOFTMAX s"}));
}

TEST(TfliteQuantizer, SparseWeightsBecomeDense) {
  const auto dense = parsed(quantized(small_network())), sparse = parsed(quantized(sparse_network()));
  EXPECT_EQ(operators_of(*sparse), operators_of(*dense));
  EXPECT_EQ(elements<int8_t>(*sparse, tensor(*sparse, "m")), elements<int8_t>(*dense, tensor(*dense, "m")));
}

TEST(TfliteQuantizer, RefusesInOneSentence) {
  const std::string again = quantized(small_network()).file;
  EXPECT_NE(message_of(quantizer_of(again)).find("already quantized: its tensor ("), std::string::npos);
  EXPECT_NE(message_of(quantizer_of(small_network(), {"nobody"})).find("no node or operator named (nobody)"),
            std::string::npos);
  EXPECT_NE(message_of(quantizer_of(small_network(), {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"}))
                .find("to quantize."),
            std::string::npos);
  EXPECT_NE(message_of(quantizer_of(again.substr(0, 100))).find("The file is damaged"), std::string::npos);
  TfliteWriter stray = small_network();
  stray.graph().operators[0]->inputs[1] = 99;
  EXPECT_NE(message_of(quantizer_of(std::move(stray))).find("does not exist"), std::string::npos);
  TfliteWriter rest = small_network();
  const int32_t r = rest.tensor(real({1, 3}), "r");
  rest.add(FLOOR_MOD, {rest.graph().outputs[0], rest.tensor(filled({1, 3}, 0.5))}, {r});
  rest.output(r);
  EXPECT_NE(message_of(quantizer_of(std::move(rest))).find("a .tflite file cannot express: FLOOR_MOD"),
            std::string::npos);
  const auto quantizer = quantizer_of(small_network()).value();
  EXPECT_FALSE(quantizer->quantize({}).ok());
  EXPECT_FALSE(quantizer->network(std::vector<TensorId>{99}, {}).ok());
}

TEST(TfliteQuantizer, NamesObservedValues) {
  const auto quantizer = quantizer_of(small_network()).value();
  const std::vector<TensorId> values = quantizer->values();
  const auto network = quantizer->network(values, {}).value();
  EXPECT_EQ(network.outputs.size(), values.size());
}

}  // namespace nnrt::import
