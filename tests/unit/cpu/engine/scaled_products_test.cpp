#include "backends/cpu/engine/cpu_device.h"
#include "backends/cpu/simd/isa.h"
#include "backends/cpu/simd/simd.h"
#include "core/device/device.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"
#include "tests/support/page_aligned_bytes.h"
#include "tests/support/tensor_views.h"
#include "tests/support/trace_file.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;

constexpr int64_t kRows = 13, kInner = 22;

std::vector<int8_t> codes(int64_t count, int seed) {
  std::vector<int8_t> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(int8_t((i * 73 + seed * 31 + i / 7 * 5) % 251 - 125));
  return all;
}
std::vector<float> floats(int64_t count) {
  std::vector<float> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(float((i * 37 % 41) - 20) * 0.0173f);
  return all;
}
std::vector<int32_t> zeros(int64_t count) {
  std::vector<int32_t> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(int32_t(i * 977 % 3001) - 1500);
  return all;
}

// FULL_CONNECTION of INT8 to INT32, and what may follow.
class ScaledProducts : public testing::TestWithParam<int64_t> {
 protected:
  void TearDown() override { unsetenv("NNRT_TEST_FUSE"); }

  int64_t columns() const { return GetParam(); }
  Shape shape() const { return {kRows, columns()}; }

  TensorId quantized(TensorId id, int32_t zero_point) {
    EXPECT_TRUE(make_.builder().set_quant(id, {{1.0}, {zero_point}}).ok());
    return id;
  }
  TensorId product() {
    const TensorId x = quantized(make_.input({kRows, kInner}, DType::i8), 3);
    const TensorId w =
        quantized(make_.constant({columns(), kInner}, DType::i8, codes(columns() * kInner, 2)), weight_zero_);
    views_.push_back(test::view_of<int8_t>({kRows, kInner}, codes(kRows * kInner, 1)));
    return make_.op(Op::full_connection, {x, w}, shape(), {}, DType::i32);
  }
  TensorId row(const Shape& shape) {
    views_.push_back(test::view_of(shape, floats(*element_count(shape))));
    return make_.input(shape);
  }
  TensorId int_row(const Shape& shape) {
    views_.push_back(test::view_of(shape, zeros(*element_count(shape))));
    return make_.input(shape, DType::i32);
  }
  TensorId op(Op op, const std::vector<TensorId>& inputs, DType dtype = DType::f32) {
    return make_.op(op, inputs, shape(), {}, dtype);
  }
  TensorId cast(TensorId x) { return op(Op::cast, {x, make_.ints({int32_t(DType::f32)})}); }

  std::vector<int32_t> sums() const {
    const auto x = codes(kRows * kInner, 1), w = codes(columns() * kInner, 2);
    std::vector<int32_t> all;
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t c = 0; c < columns(); ++c) {
        int32_t sum = 0;
        for (int64_t k = 0; k < kInner; ++k)
          sum += (x[size_t(r * kInner + k)] - 3) * (w[size_t(c * kInner + k)] - weight_zero_);
        all.push_back(sum);
      }
    }
    return all;
  }

  // Runs with and without fusion at each ISA, also from a cache. Returns the number of scaled products.
  int expect_results(TensorId y, const std::vector<float>& want) {
    const GraphPtr graph = normalize(make_.finish({y}));
    int steps = 0;
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512, Isa::vnni, Isa::dotprod}) {
      const IsaLimit limit(isa);
      steps = run(graph, want);
      EXPECT_TRUE(has_int8_dot() || steps == 0);
      EXPECT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0);
      EXPECT_EQ(run(graph, want), 0);
      unsetenv("NNRT_TEST_FUSE");
    }
    return steps;
  }

  GraphMaker make_;
  int32_t weight_zero_ = 0;

 private:
  int run(const GraphPtr& graph, const std::vector<float>& want) {
    const auto device = make_device();
    const auto model = device->prepare(graph, {}).value();
    const auto restored =
        device->restore(graph, {}, test::in_pages(model->export_cache(graph).value())).value();
    for (PreparedModel* const prepared : {model.get(), restored.get()}) {
      std::vector<OutputSlot> outputs(1, {{}, true});
      const auto work = test::traced_work([&] { EXPECT_TRUE(prepared->run(views_, outputs, {}).ok()); });
      EXPECT_EQ(work, work_.value_or(work));
      work_ = work;
      const std::vector<float> got = test::values_of<float>(outputs[0].view);
      EXPECT_EQ(got.size(), want.size());
      EXPECT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(float)), 0);
    }
    int steps = 0;
    for (const auto& operation : model->kernels(graph).operations)
      for (const auto& kernel : operation.kernels) steps += kernel.name == "scaled_product" ? 1 : 0;
    return steps;
  }

  std::vector<TensorView> views_;
  std::optional<test::TracedWork> work_;  // of every run
};

TEST_P(ScaledProducts, ZeroPointsScalesAndBiasesJoin) {
  weight_zero_ = 2;
  const TensorId sum = op(Op::sub, {product(), int_row({1, columns()})}, DType::i32);
  const TensorId scaled = op(Op::mul, {row({columns()}), cast(sum)});
  const TensorId biased = op(Op::add, {scaled, row({1, columns()})});
  std::vector<float> want;
  const std::vector<float> by = floats(columns());
  const std::vector<int32_t> zero = zeros(columns()), all = sums();
  for (size_t i = 0; i < all.size(); ++i) {
    const size_t c = i % by.size();
    const volatile float product = float(all[i] - zero[c]) * by[c];  // volatile: no FMA
    want.push_back(std::max(product + by[c], 0.0f));
  }
  EXPECT_EQ(expect_results(op(Op::relu, {biased}), want), int(has_int8_dot()));
}

TEST_P(ScaledProducts, OneScaleServesAllColumns) {
  const TensorId scale = row({1});
  const TensorId y = op(Op::mul, {cast(op(Op::sub, {product(), int_row({1})}, DType::i32)), scale});
  std::vector<float> want;
  for (const int32_t sum : sums()) want.push_back(float(sum - zeros(1)[0]) * floats(1)[0]);
  EXPECT_EQ(expect_results(y, want), int(has_int8_dot()));
}

TEST_P(ScaledProducts, FullTensorsStayApart) {
  const TensorId y = op(Op::mul, {cast(product()), row(shape())});
  std::vector<float> want;
  const std::vector<float> by = floats(kRows * columns());
  for (const int32_t sum : sums()) want.push_back(float(sum) * by[want.size()]);
  EXPECT_EQ(expect_results(y, want), int(has_int8_dot()));
}

TEST_P(ScaledProducts, StoreSharedSums) {
  const TensorId sum = product();
  const TensorId y = op(Op::mul, {cast(sum), cast(op(Op::sub, {sum, int_row({1})}, DType::i32))});
  std::vector<float> want;
  for (const int32_t s : sums()) want.push_back(float(s) * float(s - zeros(1)[0]));
  EXPECT_EQ(expect_results(y, want), 0);
}

// As the ONNX importer writes DynamicQuantizeLinear and several products with its codes.
class DynamicProducts : public testing::TestWithParam<int64_t> {
 protected:
  void TearDown() override { unsetenv("NNRT_TEST_FUSE"); }

  GraphPtr graph(int64_t rows) {
    make_ = {};
    const Shape shape{rows, kInner};
    const auto [codes, scale, zero] = quantized(make_.input(shape), shape);
    std::vector<TensorId> outputs{scale};
    for (const int64_t count : {64, 71, 5}) outputs.push_back(product(codes, scale, zero, rows, count));
    return normalize(make_.finish(outputs));
  }

  static std::vector<Bytes> results(PreparedModel& model, const Graph& graph, int64_t rows) {
    std::vector<float> x = floats(rows * kInner);
    x.push_back(0);  // there is no memory of no bytes
    std::vector<OutputSlot> slots(graph.outputs.size(), {{}, true});
    EXPECT_TRUE(model.run(std::vector{test::view_of<float>({rows, kInner}, x)}, slots, {}).ok());
    std::vector<Bytes> outputs;
    for (const OutputSlot& slot : slots) {
      const size_t bytes = size_t(*element_count(slot.view.shape)) * sizeof(float);
      outputs.emplace_back(slot.view.data(), slot.view.data() + bytes);
    }
    return outputs;
  }

 private:
  std::array<TensorId, 3> quantized(TensorId x, const Shape& shape) {
    GraphBuilder& builder = make_.builder();
    const std::array made{make_.tensor(shape, DType::i8), make_.tensor({}), make_.tensor({}, DType::i32)};
    EXPECT_TRUE(builder.set_quant(made[0], {{1.0}, {0}}).ok());
    EXPECT_TRUE(builder.add_operation(int(Op::dynamic_quantize), {}, std::vector{x}, made).ok());
    return made;
  }
  TensorId product(TensorId x, TensorId scale, TensorId zero, int64_t rows, int64_t columns) {
    const std::vector<int8_t> weights = codes(columns * kInner, 2);
    std::vector<int32_t> sums(size_t(columns), 0);
    for (size_t i = 0; i < weights.size(); ++i) sums[i / size_t(kInner)] += weights[i];
    const TensorId w = make_.constant({columns, kInner}, DType::i8, weights);
    EXPECT_TRUE(make_.builder().set_quant(w, {{1.0}, {0}}).ok());
    const Shape shape{rows, columns};
    const TensorId all = make_.constant({1, columns}, DType::i32, sums);
    const TensorId minus = make_.op(Op::mul, {zero, all}, {1, columns}, {}, DType::i32);
    const TensorId sum =
        make_.op(Op::sub, {make_.op(Op::full_connection, {x, w}, shape, {}, DType::i32), minus}, shape, {},
                 DType::i32);
    const TensorId real = make_.op(Op::cast, {sum, make_.ints({int32_t(DType::f32)})}, shape);
    const TensorId by = make_.op(Op::mul, {scale, make_.floats({columns}, floats(columns))}, {columns});
    return make_.op(Op::add, {make_.floats({columns}, floats(columns)), make_.op(Op::mul, {real, by}, shape)},
                    shape);
  }

  GraphMaker make_;
};

TEST_P(DynamicProducts, HaveOneStepEach) {
  const int64_t rows = GetParam();
  for (const int64_t declared : {rows, kUnknown}) {
    if (declared == 0) continue;
    const GraphPtr graph = this->graph(declared);
    EXPECT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0);
    const std::vector<Bytes> want = results(*make_device()->prepare(graph, {}).value(), *graph, rows);
    unsetenv("NNRT_TEST_FUSE");
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512, Isa::vnni, Isa::amx, Isa::dotprod}) {
      const IsaLimit limit(isa);
      const auto device = make_device();
      const auto model = device->prepare(graph, {}).value();
      const auto restored =
          device->restore(graph, {}, test::in_pages(model->export_cache(graph).value())).value();
      EXPECT_EQ(results(*model, *graph, rows), want);
      EXPECT_EQ(results(*restored, *graph, rows), want);
      int steps = 0;
      for (const auto& operation : model->kernels(graph).operations)
        steps += operation.kernels.empty() ? 0 : 1;
      EXPECT_TRUE(steps == 4 || !has_int8_dot());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, DynamicProducts, testing::Values(0, 1, 4, 128),
                         [](const auto& c) { return std::to_string(c.param); });

INSTANTIATE_TEST_SUITE_P(Columns, ScaledProducts, testing::Values(5, 32, 71),
                         [](const auto& c) { return std::to_string(c.param); });

}  // namespace
}  // namespace nnrt::cpu
