#include "core/memory/deferred_bytes.h"
#include "core/platform/log.h"
#include "tests/import/onnx/onnx_model_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace nnrt::test {
namespace {

using Types = std::vector<Op>;

TEST(OnnxConversion, FoldsConstants) {
  OnnxModel model = OnnxModel().input("x", {2}).floats("a", {2}, {1, 2}).floats("b", {2}, {3, 4}).output("y");
  model.node("Add", {"a", "b"}, {"c"}).node("Mul", {"c", "c"}, {"d"}).node("Sub", {"x", "d"});
  const import::Network network = model.network();
  EXPECT_EQ(operations(network), Types{Op::sub});
}

OnnxModel reshape_by_shape(int64_t batch) {
  OnnxModel model =
      OnnxModel().input("x", {batch, 3, 4}).integers("axes", {0}).integers("rest", {12}).output("y");
  model.constant("first", OnnxModel::kInt64, {}, std::string(8, '\0'));
  return model.node("Shape", {"x"}, {"s"})
      .node("Gather", {"s", "first"}, {"g"})
      .node("Unsqueeze", {"g", "axes"}, {"u"})
      .node("Concat", {"u", "rest"}, {"t"})
      .with("axis", 0)
      .node("Reshape", {"x", "t"});
}

TEST(OnnxConversion, FoldsTheArithmeticOfShapes) {
  const import::Network network = reshape_by_shape(5).network();
  EXPECT_EQ(operations(network), Types{Op::reshape});
  EXPECT_EQ(network.tensors[network.outputs[0]].shape, (import::Shape{5, 12}));
}

TEST(OnnxConversion, FoldsPartlyKnownShapes) {
  const import::Network network = reshape_by_shape(-1).network();
  EXPECT_EQ(operations(network), Types{Op::reshape});
  EXPECT_EQ(network.tensors[network.outputs[0]].shape, (import::Shape{-1, 12}));
}

OnnxModel convolution() {
  return OnnxModel()
      .input("x", {1, 1, 4, 4})
      .floats("w", {2, 1, 1, 1}, {1, 2})
      .node("Conv", {"x", "w"}, {"c"});
}

TEST(OnnxConversion, FusesActivations) {
  const import::Network network = convolution().node("Relu", {"c"}).output("y").network();
  EXPECT_EQ(operations(network), Types{Op::conv2d});
  EXPECT_EQ(network.operations[0].attributes.integer(Attr::activation), 1);
  EXPECT_EQ(network.layers.at(network.operations[0].layer.value()).fused, std::vector<std::string>{"Relu"});
}

TEST(OnnxConversion, ClipToSixIsAnActivation) {
  OnnxModel model = convolution()
                        .floats("low", {}, {0})
                        .floats("high", {}, {6})
                        .node("Clip", {"c", "low", "high"})
                        .output("y");
  const import::Network network = model.network();
  EXPECT_EQ(operations(network), Types{Op::conv2d});
  EXPECT_EQ(network.operations[0].attributes.integer(Attr::activation), 2);
}

TEST(OnnxConversion, KeepsActivationOfSharedInput) {
  const import::Network network = convolution().node("Relu", {"c"}).output("y").output("c").network();
  EXPECT_EQ(operations(network), (Types{Op::conv2d, Op::relu}));
}

// Whether CONV2D's weights are the bytes of the file's, which ADD reads as they are.
bool are_weights_shared(const Dimensions& shape, int64_t group) {
  const std::vector<float> values(size_t(shape[0] * shape[1] * shape[2] * shape[3]), 2);
  const auto network = OnnxModel()
                           .input("x", {1, 8, 5, 5})
                           .input("z", shape)
                           .floats("w", shape, values)
                           .node("Conv", {"x", "w"})
                           .with("group", group)
                           .output("y")
                           .node("Add", {"w", "z"}, {"s"})
                           .output("s")
                           .read()
                           .value();
  const std::byte *weights = nullptr, *stored = nullptr;
  for (const import::Operation& operation : network.operations) {
    const auto data = [&](size_t i) { return network.tensors[operation.inputs[i]].data->data(); };
    if (operation.type == Op::add) {
      stored = data(0);
    } else if (operation.inputs.size() == 3) {
      weights = data(1);
    }
  }
  EXPECT_TRUE(weights != nullptr && stored != nullptr);
  return weights == stored;
}

TEST(OnnxConversion, CopiesOnlyTransposedWeights) {
  EXPECT_TRUE(are_weights_shared({16, 8, 1, 1}, 1));  // pointwise
  EXPECT_TRUE(are_weights_shared({8, 1, 3, 3}, 8));   // depthwise
  EXPECT_TRUE(are_weights_shared({16, 1, 3, 1}, 8));  // groups of one channel
  EXPECT_FALSE(are_weights_shared({16, 8, 3, 3}, 1));
  EXPECT_FALSE(are_weights_shared({16, 2, 1, 3}, 4));
}

TEST(OnnxConversion, MayKeepConvolutionWeightLayout) {
  std::vector<float> values(16 * 8 * 9);
  std::iota(values.begin(), values.end(), 0.0f);
  const OnnxModel model = OnnxModel()
                              .input("x", {1, 8, 5, 5})
                              .floats("w", {16, 8, 3, 3}, values)
                              .node("Conv", {"x", "w"})
                              .output("y");
  const std::string file = model.file.serialize();
  const auto source = source_of(std::as_bytes(std::span(file)));
  const auto late = import::read_onnx_in_file_order(*source, {}, {}).value(),
             now = import::read_onnx(*source, {}, {}).value();
  const auto weights = [](const import::Network& network) {
    return network.tensors[network.operations[0].inputs[1]];
  };
  const import::Tensor deferred = weights(late), transposed = weights(now);
  EXPECT_EQ(deferred.shape, (import::Shape{16, 3, 3, 8}));
  EXPECT_EQ(deferred.shape, transposed.shape);
  const auto stored = stored_order(deferred.data);
  ASSERT_NE(stored, nullptr);
  EXPECT_TRUE(std::ranges::equal(*stored->data, std::as_bytes(std::span(values))));
  EXPECT_EQ(stored_order(transposed.data), nullptr);
  ASSERT_TRUE(ensure_read(deferred.data).ok());
  EXPECT_TRUE(std::ranges::equal(*deferred.data, *transposed.data));
}

TEST(OnnxConversion, RunsOnCodesWhatStandsBetweenThem) {
  OnnxModel model = OnnxModel()
                        .input("x", {1, 1, 4, 4})
                        .floats("s", {}, {0.5f})
                        .quantized("z", {}, {3})
                        .quantized("w", {2, 1, 1, 1}, {1, 2});
  model.floats("ws", {2}, {0.25f, 0.5f}).quantized("wz", {2}, {0, 0}).output("y");
  model.node("QuantizeLinear", {"x", "s", "z"}, {"q"}).node("DequantizeLinear", {"q", "s", "z"}, {"d"});
  model.node("DequantizeLinear", {"w", "ws", "wz"}, {"v"})
      .with("axis", 0)
      .node("Conv", {"d", "v"}, {"c"})
      .node("Relu", {"c"}, {"r"});
  model.node("QuantizeLinear", {"r", "s", "z"}, {"p"}).node("DequantizeLinear", {"p", "s", "z"});
  const import::Network network = model.network();
  EXPECT_EQ(operations(network), (Types{Op::quant_dtype_cast, Op::conv2d, Op::quant_dtype_cast}));
  const import::Operation& convolution = network.operations[1];
  const import::Tensor& weights = network.tensors[convolution.inputs[1]];
  EXPECT_EQ(weights.type, OH_NN_INT8);
  EXPECT_EQ(weights.quantization.scales, (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(network.tensors[convolution.inputs[2]].type, OH_NN_INT32);
}

TEST(OnnxConversion, SoftmaxSpansAllFurtherDimensionsBeforeOpset13) {
  const import::Network old =
      OnnxModel(12).input("x", {2, 3, 4}).node("Softmax", {"x"}).output("y").network();
  EXPECT_EQ(operations(old), (Types{Op::flatten, Op::softmax, Op::reshape}));
  const import::Network current =
      OnnxModel(13).input("x", {2, 3, 4}).node("Softmax", {"x"}).output("y").network();
  EXPECT_EQ(operations(current), Types{Op::softmax});
}

TEST(OnnxConversion, WarnsOfContradictoryOutputShape) {
  const auto warning = [](const Dimensions& declared, const import::Options& options = {}) {
    std::string logged;
    set_log_sink([&](LogLevel level, std::string_view message) {
      if (level == LogLevel::warning) logged += message;
    });
    OnnxModel model = OnnxModel().input("x", {2, -1}).node("Relu", {"x"});
    EXPECT_TRUE(model.output("y", declared, OnnxModel::kFloat32).read(options).ok());
    set_log_sink({});
    return logged;
  };
  EXPECT_EQ(warning({3, -1}),
            "The file declares the shape [3, -1] for output y, but its nodes give [2, -1].");
  EXPECT_EQ(warning({2, -1, 1}),
            "The file declares the shape [2, -1, 1] for output y, but its nodes give [2, -1].");
  EXPECT_EQ(warning({2, 7}), "");
  EXPECT_EQ(warning({2, 7}, {.input_shapes = {{"x", {2, 5}}}}),
            "The file declares the shape [2, 7] for output y, but its nodes give [2, 5].");
  EXPECT_EQ(warning({2, 7}, {.input_shapes = {{"x", {4, 7}}}}), "");  // as the client wants it
}

}  // namespace
}  // namespace nnrt::test
