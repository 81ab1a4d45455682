// Builds the same random networks through OH_NN and NNAPI; results must be bit-identical.
#include "tests/nnapi/front_ends/paired_graph.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

namespace nnrt::front_ends {
namespace {

class RandomPair {
 public:
  RandomPair(Kind kind, unsigned seed) : graph_(kind), random_(seed) {
    input_ = current_ = graph_.tensor({1, number(4, 9), number(4, 9), number(1, 6)});
    const unsigned count = number(2, 8);
    for (unsigned i = 0; i < count; ++i) add_operation();
    graph_.finish(input_, current_);
  }

  PairedGraph& graph() { return graph_; }
  std::vector<std::byte> input() { return values(input_.elements()); }

 private:
  using Step = void (RandomPair::*)();

  unsigned number(unsigned from, unsigned to) {
    return std::uniform_int_distribution<unsigned>(from, to)(random_);
  }
  bool is_quantized() const { return graph_.kind() == Kind::quantized; }

  // Numbers in [-1, 1], or any INT8.
  std::vector<std::byte> values(size_t count) {
    std::vector<std::byte> bytes(count * graph_.element_bytes());
    for (size_t i = 0; i < count; ++i) {
      const float x = std::uniform_real_distribution<float>(-1, 1)(random_);
      if (is_quantized()) {
        bytes[i] = std::byte(uint8_t(int(x * 127)));
      } else {
        std::memcpy(&bytes[i * 4], &x, 4);
      }
    }
    return bytes;
  }

  void add_operation() {
    static constexpr Step kSteps[] = {&RandomPair::add_arithmetic, &RandomPair::add_activation,
                                      &RandomPair::add_conv,       &RandomPair::add_depthwise,
                                      &RandomPair::add_pool,       &RandomPair::add_concat,
                                      &RandomPair::add_transpose,  &RandomPair::add_softmax};
    (this->*kSteps[number(0, std::size(kSteps) - 1)])();
  }

  // None, RELU and RELU6, which the APIs number differently.
  struct Fused {
    int64_t oh;
    int32_t nn;
  };
  Fused fused() {
    static constexpr Fused kAll[] = {{0, 0}, {1, 1}, {2, 3}};
    return kAll[number(0, 2)];
  }

  Paired constant(const Shape& shape) {
    const Paired paired = graph_.tensor(shape, 0.02f, 0);
    graph_.set_data(paired, values(paired.elements()));
    return paired;
  }

  void add_arithmetic() {
    struct Row {
      OH_NN_OperationType oh;
      int32_t nn;
      OH_NN_TensorType role;
    };
    static constexpr Row kRows[] = {{OH_NN_OPS_ADD, ANEURALNETWORKS_ADD, OH_NN_ADD_ACTIVATIONTYPE},
                                    {OH_NN_OPS_SUB, ANEURALNETWORKS_SUB, OH_NN_SUB_ACTIVATIONTYPE},
                                    {OH_NN_OPS_MUL, ANEURALNETWORKS_MUL, OH_NN_MUL_ACTIVATION_TYPE}};
    const Row& row = kRows[number(0, 2)];
    const Fused activation = fused();
    const Paired other = constant(number(0, 1) == 0 ? Shape{current_.shape.back()} : current_.shape);
    const Paired output = graph_.tensor(current_.shape);
    graph_.add_oh(row.oh, {current_.oh, other.oh}, {{row.role, OH_NN_INT8, {activation.oh}}}, output);
    graph_.add_nn(row.nn, {current_.nn, other.nn, graph_.nn_scalar(activation.nn)}, output);
    current_ = output;
  }

  void add_activation() {
    const bool is_relu = number(0, 1) == 0;
    const Paired output =
        is_relu ? graph_.tensor(current_.shape) : graph_.tensor(current_.shape, 1.f / 256, -128);
    // In NNAPI, RELU keeps its input's quantization, which a sigmoid's result has fixed.
    if (is_relu && is_quantized()) {
      const Paired other = zero();
      graph_.add_oh(OH_NN_OPS_MAXIMUM, {current_.oh, other.oh}, {}, output);
      graph_.add_nn(ANEURALNETWORKS_MAXIMUM, {current_.nn, other.nn}, output);
    } else {
      graph_.add_oh(is_relu ? OH_NN_OPS_RELU : OH_NN_OPS_SIGMOID, {current_.oh}, {}, output);
      graph_.add_nn(is_relu ? ANEURALNETWORKS_RELU : ANEURALNETWORKS_LOGISTIC, {current_.nn}, output);
    }
    current_ = output;
  }

  Paired zero() {
    const Paired paired = graph_.tensor({1}, 0.02f, 0);
    graph_.set_data(paired, {std::byte{0}});
    return paired;
  }

  // Scale of the bias: input scale times weight scale.
  Paired bias(uint32_t channels) {
    std::vector<int32_t> numbers(channels);
    for (int32_t& x : numbers) x = int32_t(number(0, 200)) - 100;
    return graph_.bias(numbers, input_scale_ * 0.02f);
  }

  // Convolutions need an input with known quantization.
  void make_readable() {
    if (!is_quantized()) return;
    const Paired output = graph_.tensor(current_.shape);
    const Paired other = zero();
    graph_.add_oh(OH_NN_OPS_ADD, {current_.oh, other.oh}, {}, output);
    graph_.add_nn(ANEURALNETWORKS_ADD, {current_.nn, other.nn, graph_.nn_scalar(int32_t{0})}, output);
    current_ = output;
  }

  void add_conv() {
    make_readable();
    const uint32_t kernel = number(1, 3), stride = number(1, 2), channels = number(1, 9);
    const Fused activation = fused();
    const Paired weight = constant({channels, kernel, kernel, current_.shape[3]});
    const Paired offset = bias(channels);
    const uint32_t height = (current_.shape[1] - 1) / stride + 1,
                   width = (current_.shape[2] - 1) / stride + 1;
    const Paired output = graph_.tensor({1, height, width, channels});
    graph_.add_oh(OH_NN_OPS_CONV2D, {current_.oh, weight.oh, offset.oh},
                  {{OH_NN_CONV2D_STRIDES, OH_NN_INT64, {stride, stride}},
                   {OH_NN_CONV2D_PAD_MODE, OH_NN_INT8, {0}},
                   {OH_NN_CONV2D_ACTIVATION_TYPE, OH_NN_INT8, {activation.oh}}},
                  output);
    const auto scalar = [&](uint32_t x) { return graph_.nn_scalar(int32_t(x)); };
    graph_.add_nn(ANEURALNETWORKS_CONV_2D,
                  {current_.nn, weight.nn, offset.nn, scalar(1), scalar(stride), scalar(stride),
                   graph_.nn_scalar(activation.nn)},
                  output);
    current_ = output;
  }

  void add_depthwise() {
    make_readable();
    const uint32_t kernel = number(1, 3), channels = current_.shape[3];
    // The same weights in both layouts: all cells of a channel are equal.
    const Paired oh_weight = graph_.tensor({channels, kernel, kernel, 1}, 0.02f, 0);
    const Paired nn_weight = graph_.tensor({1, kernel, kernel, channels}, 0.02f, 0);
    const std::vector<std::byte> one = values(1);
    std::vector<std::byte> all;
    for (uint32_t i = 0; i < channels * kernel * kernel; ++i) all.insert(all.end(), one.begin(), one.end());
    graph_.set_data(oh_weight, all);
    graph_.set_data(nn_weight, all);
    const Paired offset = bias(channels);
    const Paired output = graph_.tensor(current_.shape);
    graph_.add_oh(OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE, {current_.oh, oh_weight.oh, offset.oh},
                  {{OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD_MODE, OH_NN_INT8, {0}}}, output);
    const auto scalar = [&](int32_t x) { return graph_.nn_scalar(x); };
    graph_.add_nn(
        ANEURALNETWORKS_DEPTHWISE_CONV_2D,
        {current_.nn, nn_weight.nn, offset.nn, scalar(1), scalar(1), scalar(1), scalar(1), scalar(0)},
        output);
    current_ = output;
  }

  void add_pool() {
    if (current_.shape.size() != 4) return;
    make_readable();
    const bool is_max = number(0, 1) == 0;
    const uint32_t kernel = number(1, std::min(current_.shape[1], current_.shape[2]));
    const Paired output =
        graph_.tensor({1, current_.shape[1] - kernel + 1, current_.shape[2] - kernel + 1, current_.shape[3]});
    graph_.add_oh(
        is_max ? OH_NN_OPS_MAX_POOL : OH_NN_OPS_AVG_POOL, {current_.oh},
        {{is_max ? OH_NN_MAX_POOL_KERNEL_SIZE : OH_NN_AVG_POOL_KERNEL_SIZE, OH_NN_INT64, {kernel, kernel}},
         {is_max ? OH_NN_MAX_POOL_PAD_MODE : OH_NN_AVG_POOL_PAD_MODE, OH_NN_INT8, {1}}},
        output);
    const auto scalar = [&](uint32_t x) { return graph_.nn_scalar(int32_t(x)); };
    graph_.add_nn(is_max ? ANEURALNETWORKS_MAX_POOL_2D : ANEURALNETWORKS_AVERAGE_POOL_2D,
                  {current_.nn, scalar(2), scalar(1), scalar(1), scalar(kernel), scalar(kernel), scalar(0)},
                  output);
    current_ = output;
  }

  void add_concat() {
    Shape shape = current_.shape;
    shape.back() = number(1, 4);
    const Paired other = constant(shape);
    shape.back() += current_.shape.back();
    const Paired output = graph_.tensor(shape);
    graph_.add_oh(OH_NN_OPS_CONCAT, {current_.oh, other.oh}, {{OH_NN_CONCAT_AXIS, OH_NN_INT64, {3}}}, output);
    graph_.add_nn(ANEURALNETWORKS_CONCATENATION, {current_.nn, other.nn, graph_.nn_scalar(int32_t{3})},
                  output);
    current_ = output;
  }

  void add_transpose() {
    make_readable();
    const Paired output =
        graph_.tensor({current_.shape[0], current_.shape[2], current_.shape[1], current_.shape[3]});
    graph_.add_oh(OH_NN_OPS_TRANSPOSE, {current_.oh, graph_.oh_integers({0, 2, 1, 3})}, {}, output);
    graph_.add_nn(ANEURALNETWORKS_TRANSPOSE, {current_.nn, graph_.nn_integers({0, 2, 1, 3})}, output);
    current_ = output;
  }

  void add_softmax() {
    const Paired output = graph_.tensor(current_.shape, 1.f / 256, -128);
    graph_.add_oh(OH_NN_OPS_SOFTMAX, {current_.oh}, {{OH_NN_SOFTMAX_AXIS, OH_NN_INT64, {-1}}}, output);
    graph_.add_nn(ANEURALNETWORKS_SOFTMAX, {current_.nn, graph_.nn_scalar(1.f)}, output);
    current_ = output;
  }

  static constexpr float input_scale_ = 0.05f;
  PairedGraph graph_;
  std::mt19937 random_;
  Paired input_, current_;
};

class FrontEnds : public testing::TestWithParam<Kind> {};

TEST_P(FrontEnds, GiveTheSameBytes) {
  const char* const device = std::getenv("FRONT_ENDS_DEVICE");
  const bool on_gpu = device != nullptr && std::string(device) == "gpu";
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomPair pair(GetParam(), seed);
    const std::vector<std::byte> input = pair.input();
    const auto by_oh = pair.graph().run_oh(input, on_gpu), by_nn = pair.graph().run_nn(input, on_gpu);
    ASSERT_FALSE(by_oh.empty());
    ASSERT_EQ(by_oh, by_nn);
    if (HasFailure()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FrontEnds, testing::Values(Kind::floats, Kind::quantized),
                         [](const auto& kind) {
                           return kind.param == Kind::floats ? "Floats" : "Quantized";
                         });

}  // namespace
}  // namespace nnrt::front_ends
