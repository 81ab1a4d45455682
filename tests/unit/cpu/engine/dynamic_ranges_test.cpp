#include "backends/cpu/engine/steps/dynamic_ranges.h"

#include "backends/cpu/engine/cpu_device.h"
#include "backends/cpu/simd/isa.h"
#include "backends/cpu/simd/simd.h"
#include "core/device/device.h"
#include "core/passes/normalize.h"
#include "tests/support/graph_maker.h"
#include "tests/support/page_aligned_bytes.h"
#include "tests/support/tensor_views.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace nnrt::cpu {
namespace {

using test::GraphMaker;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> wave(int64_t count, float scale, float shift) {
  std::vector<float> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(scale * float((i * 37 % 101) - 50) + shift);
  return all;
}

TEST(RangeOf, FindsTheRangeAtEveryWidth) {
  ThreadPool pool(3);
  for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::amx}) {
    const IsaLimit limit(isa);
    for (const int64_t count : {1, 5, 63, 64, 65, 200, 70001}) {
      std::vector<float> x = wave(count, 0.01f, 0.0f);
      x[size_t(count / 2)] = kNan;
      x[0] = 3;
      x[size_t(count - 1)] = -1.5f;
      const DynamicRange range = range_of(x.data(), count, pool);
      const float high = count > 1 ? 3.0f : 0.0f;
      EXPECT_EQ(range.scale, (high + 1.5f) / 255.0f) << count;
      EXPECT_EQ(range.zero_point, std::nearbyint(1.5f / range.scale)) << count;
    }
  }
}

// DynamicQuantizeLinear and products as the ONNX importer writes them.
class DynamicRanges : public testing::Test {
 protected:
  struct Coded {
    TensorId codes, scale, zero, low;
  };
  static constexpr int64_t kInner = 70;

  void TearDown() override { unsetenv("NNRT_TEST_FUSE"); }

  TensorId number(float value) { return make_.floats({}, {value}); }
  TensorId op(Op op, const std::vector<TensorId>& inputs, const Shape& shape, DType dtype = DType::f32) {
    return make_.op(op, inputs, shape, {}, dtype);
  }
  TensorId cast(TensorId x, const Shape& shape, DType to) {
    return op(Op::cast, {x, make_.ints({int32_t(to)})}, shape, to);
  }

  TensorId rounded(TensorId x, const Shape& shape) {
    const TensorId below = op(Op::floor, {x}, shape), rest = op(Op::sub, {x, below}, shape);
    const TensorId halved = op(Op::mul, {below, number(0.5f)}, shape);
    const TensorId is_odd =
        op(Op::not_equal, {halved, op(Op::floor, {halved}, shape)}, shape, DType::boolean);
    const TensorId is_tie = op(Op::equal, {rest, number(0.5f)}, shape, DType::boolean);
    const TensorId tie_up = op(Op::logical_and, {is_tie, is_odd}, shape, DType::boolean);
    const TensorId more = op(Op::greater, {rest, number(0.5f)}, shape, DType::boolean);
    const TensorId up = op(Op::logical_or, {more, tie_up}, shape, DType::boolean);
    return op(Op::where, {up, op(Op::ceil, {x}, shape), below}, shape);
  }
  TensorId clipped(TensorId x, const Shape& shape) {
    constexpr int kClipMax = 103, kClipMin = 104;
    const std::vector bounds{make_.parameter<float>(kClipMin, DType::f32, {0}),
                             make_.parameter<float>(kClipMax, DType::f32, {255})};
    return make_.op(Op::clip, {x}, shape, bounds);
  }

  // `between` makes a node that reads the scale before the codes are made.
  Coded quantized(TensorId x, const Shape& shape, float levels = 255, bool between = false) {
    std::vector<int64_t> axes;
    for (size_t d = 0; d < shape.size(); ++d) axes.push_back(int64_t(d));
    const TensorId all = make_.constant({int64_t(axes.size())}, DType::i64, axes), zero = number(0);
    const TensorId high = op(Op::maximum, {op(Op::reduce_max, {x, all}, {}), zero}, {});
    const TensorId low = op(Op::minimum, {op(Op::reduce_min, {x, all}, {}), zero}, {});
    const TensorId range = op(Op::div, {op(Op::sub, {high, low}, {}), number(levels)}, {});
    const TensorId is_zero = op(Op::equal, {range, number(0)}, {}, DType::boolean);
    const TensorId scale = op(Op::where, {is_zero, number(1), range}, {});
    if (between) outputs_.push_back(op(Op::exp, {scale}, {}));
    const TensorId quotient = op(Op::neg, {op(Op::div, {low, scale}, {})}, {});
    const TensorId addend = clipped(rounded(quotient, {}), {});
    const TensorId code = op(Op::add, {rounded(op(Op::div, {x, scale}, shape), shape), addend}, shape);
    const TensorId codes = cast(clipped(code, shape), shape, DType::u8);
    return {codes, scale, cast(addend, {}, DType::u8), low};
  }

  // What all products of the same codes share.
  struct Left {
    TensorId codes, zero;
  };
  Left left_of(const Coded& coded, const Shape& shape) {
    const TensorId minus = make_.constant<int32_t>({}, DType::i32, {128});
    const TensorId zero = op(Op::sub, {cast(coded.zero, {}, DType::i32), minus}, {}, DType::i32);
    constexpr int kSourceType = 72, kTargetType = 73;
    const std::vector types{make_.parameter<int64_t>(kSourceType, DType::i64, {int64_t(DType::u8)}),
                            make_.parameter<int64_t>(kTargetType, DType::i64, {int64_t(DType::i8)})};
    const TensorId signed_codes = make_.op(Op::quant_dtype_cast, {coded.codes}, shape, types, DType::i8);
    EXPECT_TRUE(make_.builder().set_quant(signed_codes, {{1.0}, {0}}).ok());
    return {signed_codes, zero};
  }
  TensorId product(const Left& left, TensorId scale, Shape shape, int64_t columns, bool per_column) {
    std::vector<int8_t> weights;
    for (int64_t i = 0; i < columns * kInner; ++i) weights.push_back(int8_t(i * 73 % 251 - 125));
    std::vector<int32_t> sums;
    for (int64_t c = 0; c < columns; ++c) {
      int32_t sum = 0;
      for (int64_t k = 0; k < kInner; ++k) sum += weights[size_t(c * kInner + k)];
      sums.push_back(sum);
    }
    const TensorId w = make_.constant({columns, kInner}, DType::i8, weights);
    EXPECT_TRUE(make_.builder().set_quant(w, {{1.0}, {0}}).ok());
    shape.back() = columns;
    const TensorId product = make_.op(Op::full_connection, {left.codes, w}, shape, {}, DType::i32);
    const TensorId all = make_.constant({1, columns}, DType::i32, sums);
    const TensorId minus = op(Op::mul, {left.zero, all}, {1, columns}, DType::i32);
    const Shape of_scale = per_column ? Shape{columns} : Shape{};
    const TensorId by = make_.floats(of_scale, wave(per_column ? columns : 1, 0.003f, 0.2f));
    const TensorId real = cast(op(Op::sub, {product, minus}, shape, DType::i32), shape, DType::f32);
    const TensorId scaled = op(Op::mul, {real, op(Op::mul, {scale, by}, of_scale)}, shape);
    if (!per_column) return scaled;
    return op(Op::add, {make_.floats({columns}, wave(columns, -0.1f, 0.0f)), scaled}, shape);
  }

  // There is no memory of no bytes.
  static TensorView view_of_rows(const Shape& shape, std::vector<float> x) {
    x.push_back(0);
    return test::view_of(shape, x);
  }
  void expect_same(const std::vector<float>& x, const Shape& shape, std::string_view gone, int left = 0) {
    expect_same({view_of_rows(shape, x)}, gone, left);
  }
  void expect_same(const std::vector<TensorView>& inputs, std::string_view gone, int left = 0) {
    const GraphPtr graph = normalize(make_.finish(outputs_));
    EXPECT_EQ(setenv("NNRT_TEST_FUSE", "off", 1), 0);
    const std::vector<Bytes> want = run(graph, inputs).outputs;
    unsetenv("NNRT_TEST_FUSE");
    for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512, Isa::vnni, Isa::amx, Isa::dotprod}) {
      const IsaLimit limit(isa);
      const Results got = run(graph, inputs);
      EXPECT_EQ(got.outputs, want);
      const auto is_gone = [&](std::string_view name) { return name == gone; };
      EXPECT_EQ(std::ranges::count_if(got.kernels, is_gone), left) << gone;
    }
  }
  // A quantization of x and products with its codes. The graph may leave the number of rows open.
  void expect_products(const std::vector<float>& x, const std::vector<int64_t>& columns, bool per_column) {
    const int64_t rows = int64_t(x.size()) / kInner;
    for (const int64_t declared : {rows, kUnknown}) {
      if (declared == 0) continue;
      const Shape shape{declared, kInner};
      make_ = {};
      outputs_.clear();
      const Coded coded = quantized(make_.input(shape), shape);
      const Left left = left_of(coded, shape);
      for (const int64_t count : columns)
        outputs_.push_back(product(left, coded.scale, shape, count, per_column));
      outputs_.push_back(coded.scale);
      expect_same(x, {rows, kInner}, "row_reduce");
    }
  }

  GraphMaker make_;
  std::vector<TensorId> outputs_;

 private:
  struct Results {
    std::vector<Bytes> outputs;
    std::vector<std::string> kernels;
  };
  static Results run(const GraphPtr& graph, const std::vector<TensorView>& inputs) {
    const auto device = make_device();
    const auto model = device->prepare(graph, {}).value();
    const auto restored =
        device->restore(graph, {}, test::in_pages(model->export_cache(graph).value())).value();
    Results results;
    for (PreparedModel* const prepared : {model.get(), restored.get(), model.get()}) {
      std::vector<OutputSlot> slots(graph->outputs.size(), {{}, true});
      EXPECT_TRUE(prepared->run(inputs, slots, {}).ok());
      std::vector<Bytes> outputs;
      for (size_t i = 0; i < slots.size(); ++i) {
        const TensorView& view = slots[i].view;
        const size_t bytes =
            size_t(*element_count(view.shape)) * size_of(graph->tensors[graph->outputs[i]].dtype);
        outputs.emplace_back(view.data(), view.data() + bytes);
      }
      if (results.outputs.empty()) results.outputs = outputs;
      EXPECT_EQ(outputs, results.outputs);
    }
    for (const auto& operation : model->kernels(graph).operations)
      results.kernels.push_back(operation.kernels[0].name);
    return results;
  }
};

TEST_F(DynamicRanges, RowsOfAllKindsGiveTheSameProducts) {
  for (const int64_t rows : {1, 4, 19}) {
    const int64_t count = rows * kInner;
    std::vector<float> partly = wave(count, 0.02f, 0.1f);
    for (size_t i = 0; i < partly.size(); i += 3) partly[i] = kNan;
    std::vector<float> infinite = wave(count, 0.02f, 0.1f);
    infinite[1] = kInfinity;
    infinite.back() = -kInfinity;
    for (const std::vector<float>& x :
         {wave(count, 0.037f, 0.0f), wave(count, 0.01f, 2), wave(count, 0.01f, -2), wave(count, 0, 0.0f),
          wave(count, 0, -0.0f), wave(count, 0, kNan), partly, infinite, wave(count, 1e-42f, 0.0f),
          wave(count, 3e36f, 0.0f)})
      expect_products(x, {33}, false);
  }
}

TEST_F(DynamicRanges, ProductsShareOneQuantization) {
  for (const int64_t rows : {0, 1, 4, 128})
    expect_products(wave(rows * kInner, 0.03f, 0.2f), {64, 71, 5}, true);
}

TEST_F(DynamicRanges, ProductsHaveTwoSteps) {
  if (!has_int8_dot()) GTEST_SKIP() << "Without INT8 dot products, a product takes several steps.";
  for (const int64_t rows : {int64_t{1}, kUnknown}) {
    const Shape shape{rows, kInner};
    make_ = {};
    const Coded coded = quantized(make_.input(shape), shape);
    outputs_ = {product(left_of(coded, shape), coded.scale, shape, 64, true)};
    const GraphPtr graph = normalize(make_.finish(outputs_));
    std::vector<std::string> steps;
    for (const auto& operation : make_device()->prepare(graph, {}).value()->kernels(graph).operations)
      if (operation.kernels[0].name != "folded") steps.push_back(operation.kernels[0].name);
    EXPECT_EQ(steps, (std::vector<std::string>{"quantization", "scaled_product"}));
  }
}

TEST_F(DynamicRanges, OutputsAreWritten) {
  const Shape shape{7, 11};
  const Coded coded = quantized(make_.input(shape), shape);
  outputs_ = {coded.codes, coded.scale, coded.zero};
  expect_same(wave(77, 0.3f, 1), shape, "row_reduce");
}

TEST_F(DynamicRanges, LongTensorsAreSplit) {
  const Shape shape{3, 200, 123};
  const Coded coded = quantized(make_.input(shape), shape);
  const TensorId real = cast(coded.codes, shape, DType::f32);
  outputs_ = {op(Op::mul, {real, coded.scale}, shape), coded.zero};
  expect_same(wave(3 * 200 * 123, -0.07f, 1), shape, "row_reduce");
}

TEST_F(DynamicRanges, ScalesReadBeforeStayApart) {
  const Shape shape{2, 40};
  const TensorId codes = quantized(make_.input(shape), shape, 255, true).codes;
  outputs_.push_back(codes);
  expect_same(wave(80, 0.3f, 1), shape, "row_reduce", 2);
}

TEST_F(DynamicRanges, RangesThatOthersReadAreComputed) {
  const Shape shape{2, 40};
  const Coded coded = quantized(make_.input(shape), shape);
  outputs_ = {coded.codes, op(Op::exp, {coded.low}, {})};
  expect_same(wave(80, 0.3f, 1), shape, "row_reduce", 2);
}

TEST_F(DynamicRanges, OtherLevelsStayApart) {
  const Shape shape{2, 40};
  outputs_ = {quantized(make_.input(shape), shape, 127).codes};
  expect_same(wave(80, 0.3f, 1), shape, "row_reduce", 2);
}

// DIV and SUB promote operands to one type.
TEST_F(DynamicRanges, ZeroPointsLessOtherTypesAreComputed) {
  const Shape shape{7, 11};
  const Coded coded = quantized(make_.input(shape), shape);
  const TensorId minus = make_.constant<int8_t>({}, DType::i8, {-7});
  const TensorId zero = op(Op::sub, {cast(coded.zero, {}, DType::i32), minus}, {}, DType::i32);
  outputs_ = {zero, left_of(coded, shape).codes};
  expect_same(wave(77, 0.3f, 1), shape, "row_reduce", 2);
}

TEST_F(DynamicRanges, QuotientsOfIntegersAreComputed) {
  const Shape shape{7, 11};
  const TensorId whole = cast(make_.input(shape), shape, DType::i32);
  const TensorId quotient = op(Op::div, {whole, make_.input({})}, shape);
  const TensorId code = op(Op::add, {rounded(quotient, shape), number(3)}, shape);
  outputs_ = {cast(clipped(code, shape), shape, DType::u8)};
  std::vector<float> scale{0.3f};
  expect_same({view_of_rows(shape, wave(77, 0.9f, 40)), test::view_of({}, scale)}, "quantization");
}

}  // namespace
}  // namespace nnrt::cpu
