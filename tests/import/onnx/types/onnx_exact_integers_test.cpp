// UINT64 beyond INT64, and products of integer matrices.
#include "tests/import/onnx/onnx_runs.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using Longs = std::vector<uint64_t>;
using Indices = std::vector<int64_t>;

constexpr int32_t kUint32 = 12, kUint64 = 13, kFloat64 = 11;
constexpr uint64_t kTop = uint64_t{1} << 63, kMost = UINT64_MAX;

template <typename T>
void expect(OnnxModel& model, const std::vector<Value>& inputs, const std::vector<T>& want,
            const std::string& name = "y") {
  const List<Value> made = results_of(model.output(name), inputs, {{static_cast<int32_t>(want.size())}});
  EXPECT_EQ(elements_of<T>(made[0]), want);
}

const Longs kDrawn{5, kTop, kMost, 0, kTop - 1};

OnnxModel of_longs(const std::string& type, int64_t rows = 1) {
  OnnxModel model(18);
  const Names inputs = type.starts_with("Reduce") ? Names{"x", "axes"} : Names{"x"};
  model.input("x", {rows, static_cast<int64_t>(kDrawn.size())}, kUint64).integers("axes", {1});
  model.node(type, inputs, {"y"});
  return type.starts_with("Reduce") ? model.with("keepdims", int64_t{0}) : model.with("axis", int64_t{1});
}

const std::vector<Value> kInputs{value_of({1, 5}, kDrawn)};

}  // namespace

TEST(OnnxExactIntegers, Uint64IsReduced) {
  constexpr uint64_t kSum = uint64_t{5} + kTop + kMost + kTop - 1;  // modulo 2^64
  const std::pair<const char*, uint64_t> kCases[] = {
      {"ReduceMax", kMost}, {"ReduceMin", 0},          {"ReduceSum", kSum},      {"ReduceProd", 0},
      {"ReduceL1", kSum},   {"ReduceL2", 5},           {"ReduceMean", kSum / 5}, {"ReduceSumSquare", 27},
      {"ReduceLogSum", 1},  {"ReduceLogSumExp", kMost}};
  for (const auto& [type, want] : kCases) {
    OnnxModel model = of_longs(type);
    expect(model, kInputs, Longs{want});
  }
}

TEST(OnnxExactIntegers, RootsOfSumsBeyondFloat32) {
  constexpr int64_t kRoot = 3037000499;  // the largest whose square is an INT64
  OnnxModel model(18);
  model.input("x", {1}, OnnxModel::kInt64).node("ReduceL2", {"x"}).with("keepdims", int64_t{1});
  expect(model, {value_of({1}, Indices{kRoot})}, Indices{kRoot});
}

TEST(OnnxExactIntegers, Uint64IsComputed) {
  const Longs a{kTop + 1, 5, kMost, 7}, b{7, kTop, kTop + 2, 0};
  const std::pair<const char*, Longs> kCases[] = {{"Add", {kTop + 8, kTop + 5, kTop + 1, 7}},
                                                  {"Sub", {kTop - 6, kTop + 5, kTop - 3, 7}},
                                                  {"Mul", {kTop + 7, kTop, kTop - 2, 0}},
                                                  {"Div", {(kTop + 1) / 7, 0, 1, 0}},
                                                  {"Mod", {(kTop + 1) % 7, 5, kTop - 3, 0}},
                                                  {"Max", {kTop + 1, kTop, kMost, 7}},
                                                  {"Min", {7, 5, kTop + 2, 0}}};
  const std::vector<Value> inputs{value_of({4}, a), value_of({4}, b)};
  const auto model = [](const char* type) {
    OnnxModel made(18);
    made.input("a", {4}, kUint64).input("b", {4}, kUint64).node(type, {"a", "b"}, {"y"});
    return made;
  };
  for (const auto& [type, want] : kCases) {
    OnnxModel made = model(type);
    expect(made, inputs, want);
  }
  OnnxModel less = model("Less"), reals = model("Max");
  expect(less, inputs, std::vector<uint8_t>{0, 1, 0, 0});
  reals.node("Cast", {"y"}, {"z"}).with("to", int64_t{OnnxModel::kFloat32});
  expect(reals, inputs, std::vector<float>{0x1p63f, 0x1p63f, 0x1p64f, 7}, "z");
}

TEST(OnnxExactIntegers, Uint64IsRanked) {
  OnnxModel most = of_longs("ArgMax"), least = of_longs("ArgMin");
  expect(most.with("keepdims", int64_t{0}), kInputs, Indices{2});
  expect(least.with("keepdims", int64_t{0}), kInputs, Indices{3});
  for (const int64_t largest : {1, 0}) {
    for (const char* output : {"y", "at"}) {
      OnnxModel model(11);
      model.input("x", {5}, kUint64).integers("k", {3}).node("TopK", {"x", "k"}, {"y", "at"});
      model.with("largest", largest);
      const std::vector<Value> inputs{value_of({5}, kDrawn)};
      if (output == std::string("y"))
        expect(model, inputs, largest ? Longs{kMost, kTop, kTop - 1} : Longs{0, 5, kTop - 1}, output);
      else
        expect(model, inputs, largest ? Indices{2, 1, 4} : Indices{3, 0, 4}, output);
    }
  }
}

TEST(OnnxExactIntegers, TheBestNoneAreEmpty) {
  OnnxModel model(11);
  model.input("x", {2, -1}).integers("k", {0}).node("TopK", {"x", "k"}, {"y", "at"}).output("y").output("at");
  const List<Value> made = results_of(model, {value_of({2, 3}, std::vector<float>(6))}, {{2, 0}, {2, 0}});
  for (const Value& value : made) EXPECT_EQ(value.shape, (import::Shape{2, 0}));
}

// 2 A' B + 3 C modulo 2^bits.
template <typename T>
void check_gemm(int32_t type) {
  const std::vector<T> a{1, 2, T(-3), 4, T(1) << 20, 6}, b{7, 8, 9, T(-1), 2, T(1) << 15}, c{1, 2};
  OnnxModel model(13);
  model.input("a", {3, 2}, type).input("b", {3, 2}, type).input("c", {2}, type);
  model.node("Gemm", {"a", "b", "c"}).with("transA", int64_t{1}).with("alpha", 2.0).with("beta", 3.0);
  std::vector<T> want;
  for (size_t i = 0; i < 2; ++i) {
    for (size_t k = 0; k < 2; ++k) {
      T sum = 0;
      for (size_t n = 0; n < 3; ++n) sum = static_cast<T>(sum + a[2 * n + i] * b[2 * n + k]);
      want.push_back(static_cast<T>(2 * sum + 3 * c[k]));
    }
  }
  const List<Value> made =
      results_of(model, {value_of({3, 2}, a), value_of({3, 2}, b), value_of({2}, c)}, {{2, 2}});
  EXPECT_EQ(elements_of<T>(made[0]), want);
}

TEST(OnnxExactIntegers, Gemm) {
  check_gemm<uint32_t>(kUint32);
  check_gemm<int64_t>(OnnxModel::kInt64);
  check_gemm<uint64_t>(kUint64);
  check_gemm<int32_t>(OnnxModel::kInt32);
}

TEST(OnnxExactIntegers, FractionsOfAnIntegerGemmAreRefused) {
  for (const auto& [type, message] : {std::pair{OnnxModel::kInt32,
                                                "A factor (0.5) that is not an integer is not supported for "
                                                "integers. While converting Gemm (node 0)."},
                                      {kFloat64, ""}}) {
    OnnxModel model(13);
    model.input("a", {3, 2}, type).input("b", {2, 2}, type).node("Gemm", {"a", "b"}).with("alpha", 0.5);
    EXPECT_EQ(test::message(model.read()), message);
  }
}

}  // namespace nnrt::test
