// Operators whose results each read some elements of the input and no others.
#pragma once

#include "core/base/text.h"
#include "core/device/device.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"
#include "tests/support/random/random.h"
#include "tests/support/tensor_views.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace nnrt::test {

class WindowedNetwork {
 public:
  // `spoiled_weight` replaces the first weight of each operator with weights.
  explicit WindowedNetwork(std::optional<float> spoiled_weight = {}) : spoiled_weight_(spoiled_weight) {
    const TensorId x = input({1, kHeight, kWidth, kChannels}, Format::nhwc);
    for (const int64_t pad : {0, 1, 2}) convolution(x, 3, 1, pad, 1, kChannels);
    convolution(x, 3, 2, 1, 1, 12);
    convolution(x, 3, 1, 2, 2, 8);
    convolution(x, 1, 1, 0, 1, 8);
    convolution(x, 5, 1, 2, 1, 7);
    convolution(x, 3, 1, 1, 1, 8, 2);
    for (const int64_t kernel : {3, 5, 7})
      for (const int64_t stride : {1, 2}) depthwise(x, kernel, stride);
    transposed(x, 2);
    average(x);
    rows({40, 24}, Op::full_connection);
    rows({3, 24}, Op::full_connection);
    rows({9, 10}, Op::full_connection);
    graph_ = normalize(make_.finish(outputs_));
  }

  const GraphPtr& graph() const { return graph_; }
  const std::string& label(size_t output) const { return labels_[output]; }
  size_t inputs() const { return values_.size(); }

  // Replaces one element of one input.
  std::vector<std::vector<float>> run(PreparedModel& model, size_t input = 0, size_t place = 0,
                                      std::optional<float> element = {}) const {
    std::vector<TensorView> views;
    for (size_t i = 0; i < values_.size(); ++i) {
      std::vector<float> values = values_[i];
      if (element && i == input) values[place % values.size()] = *element;
      views.push_back(view_of<float>(shapes_[i], values));
    }
    std::vector<OutputSlot> outputs(outputs_.size(), OutputSlot{{}, true});
    const Status status = model.run(views, outputs, {});
    EXPECT_TRUE(status.ok()) << status.error().message;
    std::vector<std::vector<float>> results;
    for (const OutputSlot& output : outputs) results.push_back(values_of<float>(output.view));
    return results;
  }

 private:
  static constexpr int64_t kHeight = 13, kWidth = 18, kChannels = 16;

  // No value is close to 0, so that every element read affects the result.
  std::vector<float> drawn(const Shape& shape) {
    std::vector<float> values(size_t(*element_count(shape)));
    for (float& value : values)
      value = (0.25f + float(random_.below(1000)) / 2000) * (random_.one_in(2) ? 1 : -1);
    return values;
  }
  TensorId input(const Shape& shape, Format format) {
    shapes_.push_back(shape);
    values_.push_back(drawn(shape));
    return make_.input(shape, DType::f32, format);
  }
  TensorId weights(const Shape& shape) {
    std::vector<float> values = drawn(shape);
    if (spoiled_weight_) values[0] = *spoiled_weight_;
    return make_.floats(shape, values);
  }
  TensorId pair(int role, int64_t value) {
    return make_.parameter<int64_t>(role, DType::i64, {value, value});
  }
  TensorId pads(int role, int64_t pad) {
    return make_.parameter<int64_t>(role, DType::i64, {pad, pad, pad, pad});
  }
  void give(Op op, const std::vector<TensorId>& inputs, const Shape& shape,
            const std::vector<TensorId>& parameters, Format format = Format::nhwc) {
    labels_.push_back(cat(name(op), ", output ", outputs_.size()));
    outputs_.push_back(make_.op(op, inputs, shape, parameters, DType::f32, format));
  }

  void convolution(TensorId x, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation, int64_t out,
                   int64_t groups = 1) {
    const auto length = [&](int64_t in) { return (in + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1; };
    give(Op::conv2d,
         {x, weights({out, kernel, kernel, kChannels / groups}), make_.floats({out}, drawn({out}))},
         {1, length(kHeight), length(kWidth), out},
         {pair(11, stride), pads(12, pad), pair(13, dilation),
          make_.parameter<int64_t>(16, DType::i64, {groups})});
  }
  void depthwise(TensorId x, int64_t kernel, int64_t stride) {
    give(Op::depthwise_conv2d_native,
         {x, weights({kChannels, kernel, kernel, 1}), make_.floats({kChannels}, drawn({kChannels}))},
         {1, (kHeight - 1) / stride + 1, (kWidth - 1) / stride + 1, kChannels},
         {pair(24, stride), pads(25, kernel / 2)});
  }
  void transposed(TensorId x, int64_t stride) {
    give(Op::conv2d_transpose, {x, weights({8, 3, 3, kChannels}), make_.floats({8}, drawn({8}))},
         {1, (kHeight - 1) * stride + 1, (kWidth - 1) * stride + 1, 8}, {pair(17, stride), pads(18, 1)});
  }
  void average(TensorId x) {
    give(Op::avg_pool, {x}, {1, kHeight, kWidth, kChannels}, {pair(2, 3), pair(3, 1), pads(5, 1)});
  }
  void rows(const Shape& shape, Op op) {
    const TensorId x = input(shape, Format::none);
    give(op, {x, weights({20, shape[1]}), make_.floats({20}, drawn({20}))}, {shape[0], 20}, {}, Format::none);
  }

  std::optional<float> spoiled_weight_;
  Random random_{11};
  GraphMaker make_;
  std::vector<Shape> shapes_;
  std::vector<std::vector<float>> values_;
  std::vector<TensorId> outputs_;
  std::vector<std::string> labels_;
  GraphPtr graph_;
};

// Compares the results with an element or weight replaced by each of `spoiled`, with +8 in its place, and
// unchanged.
inline void expect_only_readers_differ(const WindowedNetwork& network,
                                       const std::vector<std::vector<float>>& got,
                                       const std::vector<std::vector<float>>& base,
                                       const std::vector<std::vector<float>>& changed, float spoiled) {
  for (size_t output = 0; output < got.size(); ++output) {
    for (size_t i = 0; i < got[output].size(); ++i) {
      const float value = got[output][i], before = base[output][i], step = (changed[output][i] - before) / 8;
      if (std::abs(step) < 1e-3f) {
        ASSERT_NEAR(value, before, 2e-4f * std::max(1.0f, std::abs(before)))
            << network.label(output) << ", element " << i << " does not read it";
      } else if (std::isnan(spoiled)) {
        ASSERT_TRUE(std::isnan(value)) << network.label(output) << ", element " << i << ": " << value;
      } else if (std::isinf(spoiled)) {
        ASSERT_EQ(value, step * spoiled) << network.label(output) << ", element " << i;
      } else {
        ASSERT_NEAR(value / (step * spoiled), 1, 1e-3f) << network.label(output) << ", element " << i;
      }
    }
  }
}

// Spoils elements at the corners and in the middle with values that swamp everything added to them.
inline void expect_no_spread(Device& device) {
  const WindowedNetwork network;
  const auto model = device.prepare(network.graph(), {}).value();
  const auto base = network.run(*model);
  for (size_t input = 0; input < network.inputs(); ++input) {
    for (const size_t place : {size_t{0}, size_t{1717}, size_t{5} * 18 * 16 + 9 * 16 + 7}) {
      const auto changed = network.run(*model, input, place, 8 + 0.5f);
      const auto small = network.run(*model, input, place, 0.5f);
      constexpr float kInfinity = std::numeric_limits<float>::infinity();
      for (const float spoiled : {kInfinity, -kInfinity, std::nanf(""), 1e30f, -1e6f}) {
        SCOPED_TRACE(cat("element ", place, " of input ", input, " is ", spoiled));
        const auto got = network.run(*model, input, place, spoiled);
        expect_only_readers_differ(network, got, small, changed, spoiled);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace nnrt::test
