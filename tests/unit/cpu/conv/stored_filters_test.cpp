// Convolutions whose weights are packed in the order of ONNX files.
#include "backends/cpu/conv/stored_filters.h"

#include "backends/cpu/engine/cpu_device.h"
#include "core/passes/normalize.h"
#include "core/runtime/compile.h"
#include "core/runtime/execution.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/tensor_views.h"

#include <cmath>
#include <limits>

namespace nnrt::test {
namespace {

constexpr int kStrides = 11, kPadMode = 14, kGroup = 16;  // of CONV2D

struct StoredCase {
  const char* name;
  Shape x, weights;  // NHWC; [out, height, width, in / group]
  int64_t stride = 1, group = 1;
};
std::ostream& operator<<(std::ostream& out, const StoredCase& c) { return out << c.name; }

// What the values are: kernels multiply by padding, and Winograd transforms, only what is finite and even.
enum class Values : uint8_t { plain, infinite_weight, uneven_weights, huge_inputs };

std::vector<float> values(const Shape& shape, float step) {
  std::vector<float> made(size_t(*element_count(shape)));
  for (size_t i = 0; i < made.size(); ++i) made[i] = std::sin(float(i) * step);
  return made;
}

std::vector<float> weights_of(const StoredCase& c, Values kind) {
  std::vector<float> made = values(c.weights, 1.7f);
  if (kind == Values::infinite_weight) made[made.size() / 2] = std::numeric_limits<float>::infinity();
  if (kind == Values::uneven_weights) made[made.size() / 2] = 1e6f;
  return made;
}

Shape result_of(const StoredCase& c) {
  return {c.x[0], (c.x[1] - 1) / c.stride + 1, (c.x[2] - 1) / c.stride + 1, c.weights[0]};
}

// [out, height, width, in] as [out, in, height, width].
Bytes as_stored(const StoredCase& c, const std::vector<float>& weights) {
  const int64_t taps = c.weights[1] * c.weights[2], in = c.weights[3];
  Bytes bytes(weights.size() * sizeof(float));
  for (int64_t i = 0; i < int64_t(weights.size()); ++i) {
    const int64_t to = i / (taps * in) * (taps * in) + i % in * taps + i / in % taps;
    std::memcpy(bytes.data() + size_t(to) * sizeof(float), &weights[size_t(i)], sizeof(float));
  }
  return bytes;
}

GraphPtr network(const StoredCase& c, Values kind, bool is_stored, int readers = 1) {
  GraphMaker maker;
  const TensorId x = maker.input(c.x, DType::f32, Format::nhwc);
  const std::vector<float> weights = weights_of(c, kind);
  TensorId w = 0;
  if (is_stored) {
    w = maker.tensor(c.weights);
    constexpr uint32_t kOrder[]{0, 2, 3, 1};
    EXPECT_TRUE(maker.builder()
                    .lend_transposed(w, std::make_shared<const Bytes>(as_stored(c, weights)), kOrder)
                    .ok());
  } else {
    w = maker.floats(c.weights, weights);
  }
  const TensorId bias = maker.floats({c.weights[0]}, values({c.weights[0]}, 0.3f));
  std::vector<TensorId> outputs;
  for (int i = 0; i < readers; ++i) {
    const std::vector<TensorId> parameters{
        maker.parameter<int64_t>(kStrides, DType::i64, {c.stride, c.stride}),
        maker.parameter<int8_t>(kPadMode, DType::i8, {0}),
        maker.parameter<int64_t>(kGroup, DType::i64, {c.group})};
    outputs.push_back(maker.op(Op::conv2d, {x, w, bias}, result_of(c), parameters, DType::f32, Format::nhwc));
  }
  return maker.finish(outputs);
}

std::vector<float> run(const StoredCase& c, Values kind, const GraphPtr& graph) {
  const auto device = cpu::make_device();
  const auto model = compile(graph, *device, nullptr, {}).value();
  std::vector<float> data = values(c.x, 0.9f);
  if (kind == Values::huge_inputs) data[data.size() / 3] = 1e30f;
  const TensorView x = view_of<float>(c.x, data);
  std::vector<OutputSlot> y;
  for (size_t i = 0; i < graph->outputs.size(); ++i)
    y.push_back({view_of<float>(result_of(c), std::vector<float>(size_t(*element_count(result_of(c)))))});
  const Status status = Execution(model).run({&x, 1}, y, {});
  EXPECT_TRUE(status.ok()) << status.error().message;
  return values_of<float>(y.back().view);
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class StoredFilters : public testing::TestWithParam<StoredCase> {};

TEST_P(StoredFilters, GiveTheBitsOfTransposedOnes) {
  for (const Values kind :
       {Values::plain, Values::infinite_weight, Values::uneven_weights, Values::huge_inputs}) {
    SCOPED_TRACE(int(kind));
    const auto compare = [&] {
      EXPECT_TRUE(same_bits(run(GetParam(), kind, network(GetParam(), kind, true)),
                            run(GetParam(), kind, network(GetParam(), kind, false))));
    };
    compare();
    for_each_implementation(Op::conv2d, compare);
  }
}

TEST_P(StoredFilters, MayBeSharedAndTransposedLater) {
  const GraphPtr shared = network(GetParam(), Values::huge_inputs, true, 2);
  const std::vector<float> want =
      run(GetParam(), Values::huge_inputs, network(GetParam(), Values::huge_inputs, false));
  EXPECT_TRUE(same_bits(run(GetParam(), Values::huge_inputs, shared), want));
  ASSERT_TRUE(ensure_read(shared->tensors[1].data).ok());
  EXPECT_TRUE(same_bits(run(GetParam(), Values::huge_inputs, shared), want));
}

INSTANTIATE_TEST_SUITE_P(Shapes, StoredFilters,
                         testing::Values(StoredCase{"winograd", {1, 19, 21, 16}, {16, 3, 3, 16}},
                                         StoredCase{"winograd_uneven", {2, 13, 15, 37}, {71, 3, 3, 37}},
                                         StoredCase{"strided", {1, 17, 15, 24}, {40, 3, 3, 24}, 2},
                                         StoredCase{"few_channels", {1, 21, 23, 3}, {33, 7, 7, 3}, 2},
                                         StoredCase{"grouped", {1, 9, 11, 24}, {34, 3, 2, 12}, 1, 2},
                                         StoredCase{"shared_vectors", {1, 9, 11, 16}, {16, 3, 3, 4}, 1, 4},
                                         StoredCase{"uneven_vectors", {1, 9, 11, 33}, {11, 3, 3, 3}, 1, 11},
                                         StoredCase{"one_row", {1, 9, 11, 20}, {5, 1, 5, 20}},
                                         StoredCase{"one_output", {1, 11, 9, 64}, {1, 3, 3, 64}}));

// Only sums without these kernels (of infinite weights, or huge inputs) read the weights in another order.
TEST(StoredFilterUses, WinogradAndGemmNeedNoTranspose) {
  for (const StoredCase& c : {StoredCase{"winograd", {1, 19, 21, 16}, {16, 3, 3, 16}},
                              StoredCase{"strided", {1, 17, 15, 24}, {40, 3, 3, 24}, 2}}) {
    const GraphPtr graph = network(c, Values::plain, true);
    run(c, Values::plain, graph);
    EXPECT_NE(stored_order(graph->tensors[1].data), nullptr) << c.name;
  }
}

}  // namespace
}  // namespace nnrt::test
