#include "tools/plugins/tflite/host/host_reader.h"

#include "tools/plugins/base/chosen_device.h"
#include "tools/plugins/tflite/host/tensor_memory.h"

#include <gtest/gtest.h>
#include <tensorflow/lite/core/c/builtin_op_data.h>
#include <tensorflow/lite/core/c/common.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace nnrt::test {
namespace {

// A TfLiteContext without an interpreter behind it.
class FakeContext {
 public:
  FakeContext();

  TfLiteContext* get();
  TfLiteTensor& tensor(int32_t number) { return tensors_[static_cast<size_t>(number)]; }
  // Arrays live as long as this object.
  TfLiteIntArray* ints(const std::vector<int32_t>& values);
  TfLiteFloatArray* floats(const std::vector<float>& values);

  int32_t add_tensor(TfLiteType type, const std::vector<int32_t>& shape);
  int32_t add_constant(TfLiteType type, const std::vector<int32_t>& shape, const std::vector<char>& data);
  void quantize(int32_t tensor, const std::vector<float>& scales, const std::vector<int32_t>& zero_points,
                int32_t dimension);
  // Returns the node's number, which is not its position in the execution plan.
  int32_t add_node(int32_t code, const std::vector<int32_t>& inputs, const std::vector<int32_t>& outputs,
                   void* builtin_data = nullptr, int version = 1);
  TfLiteNode& node(int32_t number) { return nodes_[static_cast<size_t>(number)]; }
  TfLiteRegistration& registration(int32_t number) { return registrations_[static_cast<size_t>(number)]; }

 private:
  TfLiteContext context_{};
  std::vector<TfLiteTensor> tensors_;
  std::deque<TfLiteNode> nodes_;
  std::deque<TfLiteRegistration> registrations_;
  std::vector<int32_t> order_;
  std::deque<std::unique_ptr<char[]>> memory_;
  std::deque<std::vector<char>> data_;
  std::deque<TfLiteAffineQuantization> quantizations_;
};

FakeContext& fake_of(TfLiteContext* context) { return *static_cast<FakeContext*>(context->impl_); }

FakeContext::FakeContext() {
  context_.impl_ = this;
  context_.GetExecutionPlan = [](TfLiteContext* context, TfLiteIntArray** plan) {
    *plan = fake_of(context).ints(fake_of(context).order_);
    return kTfLiteOk;
  };
  context_.GetNodeAndRegistration = [](TfLiteContext* context, int number, TfLiteNode** node,
                                       TfLiteRegistration** registration) {
    *node = &fake_of(context).node(number);
    *registration = &fake_of(context).registration(number);
    return kTfLiteOk;
  };
}

TfLiteContext* FakeContext::get() {
  context_.tensors = tensors_.data();
  context_.tensors_size = tensors_.size();
  return &context_;
}

TfLiteIntArray* FakeContext::ints(const std::vector<int32_t>& values) {
  memory_.push_back(std::make_unique<char[]>(sizeof(TfLiteIntArray) + values.size() * sizeof(int)));
  auto* array = reinterpret_cast<TfLiteIntArray*>(memory_.back().get());
  array->size = static_cast<int>(values.size());
  std::ranges::copy(values, array->data);
  return array;
}

TfLiteFloatArray* FakeContext::floats(const std::vector<float>& values) {
  memory_.push_back(std::make_unique<char[]>(sizeof(TfLiteFloatArray) + values.size() * sizeof(float)));
  auto* array = reinterpret_cast<TfLiteFloatArray*>(memory_.back().get());
  array->size = static_cast<int>(values.size());
  std::ranges::copy(values, array->data);
  return array;
}

int32_t FakeContext::add_tensor(TfLiteType type, const std::vector<int32_t>& shape) {
  TfLiteTensor tensor{};
  tensor.type = type;
  tensor.dims = ints(shape);
  tensor.allocation_type = kTfLiteArenaRw;
  tensors_.push_back(tensor);
  return static_cast<int32_t>(tensors_.size() - 1);
}

int32_t FakeContext::add_constant(TfLiteType type, const std::vector<int32_t>& shape,
                                  const std::vector<char>& data) {
  const int32_t number = add_tensor(type, shape);
  data_.push_back(data);
  tensor(number).allocation_type = kTfLiteMmapRo;
  tensor(number).data.raw = data_.back().data();
  tensor(number).bytes = data.size();
  return number;
}

void FakeContext::quantize(int32_t number, const std::vector<float>& scales,
                           const std::vector<int32_t>& zero_points, int32_t dimension) {
  quantizations_.push_back({floats(scales), ints(zero_points), dimension});
  tensor(number).quantization = {kTfLiteAffineQuantization, &quantizations_.back()};
}

int32_t FakeContext::add_node(int32_t code, const std::vector<int32_t>& inputs,
                              const std::vector<int32_t>& outputs, void* builtin_data, int version) {
  const auto number = static_cast<int32_t>(nodes_.size());
  TfLiteNode node{};
  node.inputs = ints(inputs);
  node.outputs = ints(outputs);
  node.builtin_data = builtin_data;
  nodes_.push_back(node);
  TfLiteRegistration registration{};
  registration.builtin_code = code;
  registration.version = version;
  registrations_.push_back(registration);
  order_.push_back(number);
  return number;
}

using tflite_plugin::HostGraph;
using tflite_plugin::HostNode;
namespace format = tflite_plugin::format;
using enum format::BuiltinOperator;

constexpr int32_t number_of(format::BuiltinOperator code) { return static_cast<int32_t>(code); }

HostGraph graph_of(FakeContext& context) {
  auto graph = tflite_plugin::read_host(context.get());
  if (graph.ok()) return std::move(graph).value();
  ADD_FAILURE() << graph.error().message;
  return {};
}

// The options that a node with this builtin data gets.
template <typename Options, typename Params>
Options options_of(format::BuiltinOperator code, Params params, int version = 1) {
  FakeContext context;
  const int32_t x = context.add_tensor(kTfLiteFloat32, {1}), y = context.add_tensor(kTfLiteFloat32, {1});
  context.add_node(number_of(code), {x}, {y}, &params, version);
  HostGraph graph = graph_of(context);
  const auto* options = static_cast<const Options*>(graph.nodes.at(0).table.builtin_options.value);
  EXPECT_NE(options, nullptr);
  return options ? *options : Options();
}

TEST(TfliteHost, ReadsTensors) {
  FakeContext context;
  const int32_t x = context.add_tensor(kTfLiteInt8, {2, 3});
  context.quantize(x, {0.5f}, {-3}, 0);
  context.tensor(x).dims_signature = context.ints({-1, 3});
  context.tensor(x).name = "x";
  const int32_t weights = context.add_constant(kTfLiteInt8, {2}, {1, 2});
  context.quantize(weights, {1, 2}, {0, 0}, 1);
  const int32_t y = context.add_tensor(kTfLiteFloat16, {2, 3});
  context.add_node(number_of(MUL), {x, weights, -1}, {y});
  const HostGraph graph = graph_of(context);
  ASSERT_EQ(graph.tensors.size(), 3u);
  EXPECT_EQ(graph.tensors[0].table.name, "x");
  EXPECT_EQ(graph.tensors[0].table.type, format::TensorType::INT8);
  EXPECT_EQ(graph.tensors[0].table.shape, (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(graph.tensors[0].table.quantization->scale, std::vector<float>{0.5f});
  EXPECT_EQ(graph.tensors[0].table.quantization->zero_point, std::vector<int64_t>{-3});
  EXPECT_TRUE(graph.tensors[0].is_open);
  EXPECT_FALSE(graph.is_constant(x));
  ASSERT_TRUE(graph.is_constant(weights));
  EXPECT_EQ(static_cast<const void*>(graph.tensors[1].data->data()), context.tensor(weights).data.raw);
  EXPECT_EQ(graph.tensors[1].table.quantization->quantized_dimension, 1);
  EXPECT_EQ(graph.tensors[2].table.type, format::TensorType::FLOAT16);
  EXPECT_EQ(graph.tensors[2].table.quantization, nullptr);
  EXPECT_EQ(graph.nodes[0].table.inputs, (std::vector<int32_t>{x, weights, -1}));
}

TEST(TfliteHost, ReadsSparseConstants) {
  FakeContext context;
  const int32_t x = context.add_constant(kTfLiteInt8, {2, 2}, {7});
  TfLiteDimensionMetadata dimensions[2] = {
      {kTfLiteDimDense, 2, nullptr, nullptr},
      {kTfLiteDimSparseCSR, 0, context.ints({0, 1, 1}), context.ints({1})}};
  TfLiteSparsity sparsity{context.ints({0, 1}), nullptr, dimensions, 2};
  context.tensor(x).sparsity = &sparsity;
  context.add_node(number_of(DENSIFY), {x}, {context.add_tensor(kTfLiteInt8, {2, 2})});
  const HostGraph graph = graph_of(context);
  const format::SparsityT& read = *graph.tensors[0].table.sparsity;
  EXPECT_EQ(read.traversal_order, (std::vector<int32_t>{0, 1}));
  ASSERT_EQ(read.dimensions.size(), 2u);
  EXPECT_EQ(read.dimensions[0]->dense_size, 2);
  EXPECT_EQ(static_cast<const format::Int32VectorT*>(read.dimensions[1]->segments.value)->values,
            (std::vector<int32_t>{0, 1, 1}));
}

TEST(TfliteHost, ListsUnsupportedNodes) {
  FakeContext context;
  const int32_t text = context.add_tensor(kTfLiteString, {1}),
                state = context.add_tensor(kTfLiteFloat32, {1});
  context.tensor(state).is_variable = true;
  TfLiteDelegate other{};
  const int32_t node = context.add_node(number_of(ABS), {text}, {state});
  context.node(node).delegate = &other;
  const HostGraph graph = graph_of(context);
  EXPECT_EQ(graph.tensors[0].fault, "has a tensor of strings, resources or another type that OH_NN lacks");
  EXPECT_TRUE(graph.tensors[1].table.is_variable);
  EXPECT_EQ(graph.nodes[0].fault, "runs in another delegate");
}

TEST(TfliteHost, ReadsCustomOperators) {
  FakeContext context;
  const int32_t x = context.add_tensor(kTfLiteFloat32, {1}), y = context.add_tensor(kTfLiteFloat32, {1});
  const int32_t node = context.add_node(number_of(CUSTOM), {x}, {y});
  context.registration(node).custom_name = "MaxPoolingWithArgmax2D";
  context.node(node).custom_initial_data = "abc";
  context.node(node).custom_initial_data_size = 3;
  const HostGraph graph = graph_of(context);
  EXPECT_EQ(graph.nodes[0].custom_name, "MaxPoolingWithArgmax2D");
  EXPECT_EQ(graph.nodes[0].table.custom_options, (std::vector<uint8_t>{'a', 'b', 'c'}));
}

TEST(TfliteHost, ReadsOptions) {
  const auto conv = options_of<format::Conv2DOptionsT>(
      CONV_2D, TfLiteConvParams{kTfLitePaddingValid, 2, 3, kTfLiteActRelu6, 4, 5});
  EXPECT_EQ(conv.padding, format::Padding::VALID);
  EXPECT_EQ(conv.stride_w, 2);
  EXPECT_EQ(conv.stride_h, 3);
  EXPECT_EQ(conv.activation, format::Activation::RELU6);
  EXPECT_EQ(conv.dilation_w, 4);
  EXPECT_EQ(conv.dilation_h, 5);
  EXPECT_EQ(options_of<format::MirrorPadOptionsT>(MIRROR_PAD,
                                                  TfLiteMirrorPaddingParams{kTfLiteMirrorPaddingSymmetric})
                .mode,
            format::MirrorPadMode::SYMMETRIC);
  EXPECT_EQ(options_of<format::ReshapeOptionsT>(RESHAPE, TfLiteReshapeParams{{4, -1}, 2}).new_shape,
            (std::vector<int32_t>{4, -1}));
  EXPECT_EQ(options_of<format::SqueezeOptionsT>(SQUEEZE, TfLiteSqueezeParams{{1, 2}, 2}).squeeze_dims,
            (std::vector<int32_t>{1, 2}));
}

// Structures of older interpreters lack members of later versions.
TEST(TfliteHost, ReadsMembersOfVersion) {
  const TfLiteStridedSliceParams slice{0, 0, 0, 0, 0, true};
  EXPECT_FALSE(options_of<format::StridedSliceOptionsT>(STRIDED_SLICE, slice, 4).offset);
  EXPECT_TRUE(options_of<format::StridedSliceOptionsT>(STRIDED_SLICE, slice, 8).offset);
  const TfLiteTransposeConvParams conv{kTfLitePaddingSame, 1, 1, kTfLiteActRelu};
  EXPECT_EQ(options_of<format::TransposeConvOptionsT>(TRANSPOSE_CONV, conv, 3).activation,
            format::Activation::NONE);
  EXPECT_EQ(options_of<format::TransposeConvOptionsT>(TRANSPOSE_CONV, conv, 4).activation,
            format::Activation::RELU);
}

class TfliteMemory : public testing::Test {
 protected:
  TfliteMemory() {
    number_ = context_.add_tensor(kTfLiteFloat32, {2});
    host().bytes = 8;
    declared_.type = OH_NN_FLOAT32;
  }
  TfLiteTensor& host() { return context_.tensor(number_); }
  plugins::SharedTensor attach(const import::Shape& shape) {
    return memory_.attach(context_.get(), number_, plugins::find_device("cpu").value().id, declared_, shape)
        .value();
  }
  void detach() { memory_.detach(context_.get(), number_); }

  FakeContext context_;
  int32_t number_ = 0;
  import::Tensor declared_;
  tflite_plugin::TensorMemory memory_;
};

TEST_F(TfliteMemory, IsSharedUntilTheLastUserLeaves) {
  const auto first = attach({2}), second = attach({2});
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first, second);
  EXPECT_EQ(host().allocation_type, kTfLiteCustom);
  EXPECT_EQ(host().data.data, OH_NNTensor_GetDataBuffer(first.get()));
  detach();
  EXPECT_EQ(host().allocation_type, kTfLiteCustom);
  detach();
  EXPECT_EQ(host().allocation_type, kTfLiteArenaRw);
  EXPECT_EQ(host().data.data, nullptr);
}

TEST_F(TfliteMemory, IsNewForAnotherShape) {
  const auto first = attach({2});
  host().bytes = 12;
  const auto second = attach({3});
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first, second);
  detach();
  EXPECT_EQ(host().data.data, OH_NNTensor_GetDataBuffer(second.get()));
  detach();
  EXPECT_EQ(host().data.data, nullptr);
}

TEST_F(TfliteMemory, LeavesTensorsOfTheClientAlone) {
  float own[2] = {};
  host().allocation_type = kTfLiteCustom;
  host().data.f = own;
  EXPECT_EQ(attach({2}), nullptr);
  detach();
  EXPECT_EQ(host().data.f, own);
  EXPECT_EQ(host().allocation_type, kTfLiteCustom);
}

}  // namespace
}  // namespace nnrt::test
