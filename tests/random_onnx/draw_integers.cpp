// Operators on integers inexact in float (including the lowest and highest) and on infinities. Their results
// are model outputs.
#include "tests/random_onnx/model_draft.h"

#include <algorithm>
#include <limits>

namespace nnrt::test {
namespace {

constexpr double kExact = 0;  // magnitude of results without rounding error

template <typename T>
constexpr int32_t kType = sizeof(T) == 4 ? OnnxModel::kInt32 : OnnxModel::kInt64;

template <typename T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

template <typename T>
std::vector<T> extremes() {
  using Limits = std::numeric_limits<T>;
  return {Limits::min(), T(Limits::min() + 1), -100,          -1,           0, 1, 7,
          16777217,      T(Limits::max() - 1), Limits::max(), T(-16777219), 3};
}

// A model input whose elements come from the pool.
template <typename T>
Drawn fed(Draft& draft, const Dimensions& shape, const std::vector<T>& pool) {
  Drawn value{draft.fresh("n"), shape, {}, kType<T>, kExact, 0};
  std::vector<T> numbers(static_cast<size_t>(value.count()));
  for (T& number : numbers) number = draft.random.of(pool);
  draft.feed(value, bytes_of(numbers));
  return value;
}

template <typename T>
std::string constant(Draft& draft, T number) {
  return draft.raw("n", kType<T>, {}, bytes_of(std::vector{number}));
}

Dimensions any_shape(Draft& draft) {
  const int64_t length = draft.random.of<int64_t>({1, 2, 3, 4, 7, 9, 33});
  if (draft.random.one_in(2)) return {length};
  return {draft.random.between(1, 4), length};
}

Drawn like(const Drawn& x, const Dimensions& shape) { return x.shaped(shape, {}); }

Drawn places_of(const Drawn& x, const Dimensions& shape) {
  Drawn made = like(x, shape);
  made.type = OnnxModel::kInt64;
  return made;
}

// ONNX Runtime has no INT64 version.
bool position(Draft& draft, const Drawn&) {
  const Drawn x = fed(draft, any_shape(draft), extremes<int32_t>());
  const auto axis = static_cast<int64_t>(x.rank()) - 1;
  Dimensions shape = x.shape;
  shape.back() = 1;
  draft.node(draft.random.one_in(3) ? "ArgMax" : "ArgMin", {x.name}, places_of(x, shape));
  draft.model.with("axis", axis).with("select_last_index", int64_t{draft.random.one_in(2)});
  return true;
}

template <typename T>
bool best(Draft& draft, const Drawn&) {
  const Drawn x = fed(draft, any_shape(draft), extremes<T>());
  Dimensions shape = x.shape;
  shape.back() = draft.random.between(1, shape.back());
  Drawn values = like(x, shape), places = places_of(x, shape);
  values.name = draft.fresh("best_");
  places.name = draft.fresh("places_");
  draft.nodes("TopK", {x.name, draft.integers({shape.back()})}, {values, places});
  draft.model.with("largest", int64_t{draft.random.one_in(3)});
  return true;
}

// Avoids division by 0 and the lowest integer by -1, which crash other runtimes. C's INT64 remainder is
// computed in double there.
template <typename T>
bool remainder(Draft& draft, const Drawn&) {
  const Drawn x = fed(draft, any_shape(draft), extremes<T>());
  using Limits = std::numeric_limits<T>;
  const std::vector<T> divisors{3, 100, -7, Limits::max(), T(Limits::max() - 1), Limits::min(), 16777217};
  const Drawn by = fed(draft, x.shape, divisors);
  draft.node("Mod", {x.name, by.name}, x);
  if (sizeof(T) == 4 && draft.random.one_in(3)) draft.model.with("fmod", 1);
  return true;
}

template <typename T>
bool power(Draft& draft, const Drawn&) {
  const Dimensions shape = any_shape(draft);
  const bool squares = draft.random.one_in(2);
  const std::vector<T> bases =
      squares ? std::vector<T>{46339, -46340, 12345, 4097} : std::vector<T>{-9, -2, -1, 0, 1, 3, 9};
  const std::vector<T> exponents = squares ? std::vector<T>{2, 1, 0} : std::vector<T>{0, 1, 2, 3, 8, 9};
  const Drawn x = fed(draft, shape, bases);
  const Drawn by = fed(draft, draft.random.one_in(2) ? shape : Dimensions{1}, exponents);
  draft.node("Pow", {x.name, by.name}, x);
  return true;
}

template <typename T>
bool padding(Draft& draft, const Drawn&) {
  const Drawn x = fed(draft, any_shape(draft), extremes<T>());
  Dimensions shape = x.shape, pads(2 * x.rank(), 0);
  for (size_t d = 0; d < x.rank(); ++d) {
    for (const size_t side : {d, d + x.rank()}) {
      pads[side] = draft.random.between(0, std::min<int64_t>(2, x.shape[d] - 1));
      shape[d] += pads[side];
    }
  }
  const auto mode = draft.random.of<std::string>({"constant", "constant", "edge", "reflect"});
  Names inputs{x.name, draft.integers(pads)};
  if (mode == "constant") inputs.push_back(constant(draft, draft.random.of(extremes<T>())));
  draft.node("Pad", inputs, like(x, shape));
  draft.model.with("mode", mode);
  return true;
}

template <typename T>
bool reduction(Draft& draft, const Drawn&) {
  const bool selects = draft.random.one_in(2);
  const std::vector<T> small{-3, -1, 1, 2, 16777217, 5};
  const auto type = draft.random.of<std::string>(selects ? Names{"ReduceMax", "ReduceMin"}
                                                         : Names{"ReduceSum", "ReduceProd"});
  const int64_t length = type == "ReduceProd" ? 2 : draft.random.of<int64_t>({1, 3, 8, 33});
  const std::vector<T> factors{-3, -1, 1, 2, 41, 5};
  const Drawn x = fed(draft, {draft.random.between(1, 3), length},
                      selects                ? extremes<T>()
                      : type == "ReduceProd" ? factors
                                             : small);
  draft.node(type, {x.name, draft.integers({1})}, like(x, {x.shape[0], 1}));
  return true;
}

template <typename T>
bool chosen(Draft& draft, const Drawn&) {
  const Drawn x = fed(draft, any_shape(draft), extremes<T>()), y = fed(draft, x.shape, extremes<T>());
  Drawn mask = x;
  mask.type = OnnxModel::kBool;
  mask = draft.node(draft.random.of<std::string>({"Greater", "Less", "Equal"}), {x.name, y.name}, mask);
  draft.node("Where", {mask.name, x.name, y.name}, x);
  return true;
}

template <typename T>
bool bounded(Draft& draft, const Drawn&) {
  const Drawn x = fed(draft, any_shape(draft), extremes<T>());
  draft.node("Clip", {x.name, constant(draft, T(-16777219)), constant(draft, T(16777217))}, x);
  return true;
}

bool one_hot(Draft& draft, const Drawn&) {
  const Drawn x = fed<int64_t>(draft, {draft.random.between(1, 7)}, {-3, -1, 0, 1, 2});
  Drawn made = like(x, {x.shape[0], 3});
  const std::vector<int64_t> values{draft.random.of(extremes<int64_t>()),
                                    draft.random.of(extremes<int64_t>())};
  const std::string both = draft.raw("v", OnnxModel::kInt64, {2}, bytes_of(values));
  draft.node("OneHot", {x.name, draft.integers({3}), both}, made);
  return true;
}

// Some rows contain a minus infinity, but none consists of it alone.
bool exponentials(Draft& draft, const Drawn&) {
  if (draft.type() != OnnxModel::kFloat32) return false;
  const int64_t rows = draft.random.between(1, 3), length = draft.random.of<int64_t>({2, 3, 9});
  Drawn value{draft.fresh("x"), {rows, length}, {}, OnnxModel::kFloat32, 1, 0};
  std::vector<float> numbers(static_cast<size_t>(value.count()));
  for (float& number : numbers) number = static_cast<float>(draft.random.real(-2, 2));
  for (size_t i = 0; i < numbers.size(); i += static_cast<size_t>(length))
    numbers[i] = -std::numeric_limits<float>::infinity();
  draft.feed(value, bytes_of(numbers));
  draft.values.pop_back();  // no other node may read an infinity
  Drawn made = value;
  made.shape.back() = 1;
  draft.node("ReduceLogSumExp", {value.name, draft.integers({1})}, made);
  return true;
}

bool hardmax(Draft& draft, const Drawn&) {
  if (draft.type() != OnnxModel::kFloat32) return false;
  const Dimensions shape = any_shape(draft);
  Drawn value{draft.fresh("x"), shape, {}, OnnxModel::kFloat32, 1, 0};
  std::vector<float> numbers(static_cast<size_t>(value.count()));
  for (float& number : numbers) number = static_cast<float>(draft.random.between(-2, 2));
  draft.feed(value, bytes_of(numbers));
  draft.node("Hardmax", {value.name}, value);
  return true;
}

}  // namespace

std::vector<Drawer> integer_drawers() {
  return {{1, position},           {1, best<int32_t>},
          {1, best<int64_t>},      {1, remainder<int32_t>},
          {1, remainder<int64_t>}, {1, power<int32_t>},
          {1, power<int64_t>},     {1, padding<int32_t>},
          {1, padding<int64_t>},   {1, reduction<int32_t>},
          {1, reduction<int64_t>}, {1, chosen<int32_t>},
          {1, chosen<int64_t>},    {1, bounded<int32_t>},
          {1, bounded<int64_t>},   {1, one_hot},
          {1, exponentials},       {1, hardmax}};
}

}  // namespace nnrt::test
