// Operands at the limits of kernels: rows of up to 200,000 elements, vectors, scalars and infinities.
#include "tests/random_onnx/model_draft.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nnrt::test {
namespace {

// A model input that no other node reads.
Drawn hidden(Draft& draft, const Dimensions& shape) {
  Drawn value = draft.feed(shape, {});
  draft.values.pop_back();
  return value;
}

Drawn result(const Drawn& x, const Dimensions& shape, double scale, double error) {
  return {{}, shape, {}, x.type, scale, error};
}

// Products of which at least one factor is a vector; two vectors give a scalar.
bool vector_product(Draft& draft, const Drawn&) {
  const int64_t inner = draft.random.of<int64_t>({1, 2, 3, 5, 8, 16, 33, 64}), other = any_channels(draft);
  const Dimensions vector{inner};
  struct Shapes {
    Dimensions a, b, y;
  };
  const auto [a, b, made] = draft.random.of<Shapes>({{vector, vector, {}},
                                                     {vector, {inner, other}, {other}},
                                                     {{other, inner}, vector, {other}},
                                                     {vector, {2, inner, other}, {2, other}},
                                                     {{3, 2, inner}, vector, {3, 2}}});
  const Drawn left = hidden(draft, a);
  const std::string right = draft.random.one_in(2) ? draft.floats(b, -1, 1) : hidden(draft, b).name;
  const auto terms = static_cast<double>(inner);
  const Drawn y = draft.node("MatMul", {left.name, right},
                             result(left, made, 2 * std::sqrt(terms), draft.unit() * terms));
  const auto function = draft.random.of<std::string>({"", "Relu", "Tanh", "Sigmoid", "Neg"});
  if (!function.empty()) draft.node(function, {y.name}, y.mapped(y.scale, 1));
  if (draft.random.one_in(2))
    draft.node("Add", {draft.values.back().name, draft.scalar(0.5)}, draft.values.back());
  return true;
}

// Some elements of long rows, the first and last ones included.
bool some_of(Draft& draft, const std::string& rows, const Drawn& x, double scale, double error) {
  const int64_t length = x.shape.back();
  Dimensions places{0, length - 1, 65534, 65535, 65536, 131072};
  for (int64_t& place : places) place = std::min(place, length - 1);
  for (int i = 0; i < 10; ++i) places.push_back(draft.random.between(0, length - 1));
  draft.node("Gather", {rows, draft.integers(places)},
             result(x, {x.shape[0], static_cast<int64_t>(places.size())}, scale, error));
  draft.model.with("axis", 1);
  return true;
}

Drawn long_rows(Draft& draft) {
  const auto length = draft.random.of<int64_t>({4096, 21845, 50257, 65535, 65536, 65537, 100004, 200000});
  return hidden(draft, {length > 60000 ? 1 : draft.random.between(1, 3), length});
}

bool normalized_row(Draft& draft, const Drawn&) {
  if (draft.type() != OnnxModel::kFloat32 || !draft.random.one_in(6)) return false;
  const Drawn x = long_rows(draft);
  const auto length = static_cast<double>(x.shape[1]);
  const auto type = draft.random.of<std::string>({"Softmax", "Softmax", "LogSoftmax", "LayerNormalization"});
  if (type == "LayerNormalization") {
    const std::string y = draft.constant_node(type, {x.name, draft.floats({x.shape[1]}, 0.5, 1)});
    return some_of(draft, y, x, 2, 20 * draft.unit());
  }
  const bool is_log = type == "LogSoftmax";
  const double scale = is_log ? 14 : 4 / length;
  const std::string y = draft.constant_node(type, {x.name});
  draft.model.with("axis", -1);
  return some_of(draft, y, x, scale, 20 * draft.unit() * scale);
}

bool reduced_row(Draft& draft, const Drawn&) {
  if (draft.type() != OnnxModel::kFloat32 || !draft.random.one_in(6)) return false;
  struct Kind {
    std::string type;
    double scale, error;  // in units
  };
  const Drawn x = long_rows(draft);
  const auto length = static_cast<double>(x.shape[1]), root = std::sqrt(length);
  const Kind kind = draft.random.of<Kind>({{"ReduceSum", 2 * root, length / 20},
                                           {"ReduceMean", 0.1, 1},
                                           {"ReduceMax", 2, 0},
                                           {"ReduceMin", 2, 0},
                                           {"ReduceL2", 1.2 * root, 20 * root},
                                           {"ReduceLogSumExp", 13, 40}});
  draft.node(kind.type, {x.name, draft.integers({-1})},
             result(x, {x.shape[0], 1}, kind.scale, kind.error * draft.unit()));
  return true;
}

bool searched_row(Draft& draft, const Drawn&) {
  if (draft.type() != OnnxModel::kFloat32 || !draft.random.one_in(6)) return false;
  const Drawn x = long_rows(draft);
  if (draft.random.one_in(2)) {
    Drawn place = result(x, {x.shape[0], 1}, 0, 0);
    place.type = OnnxModel::kInt64;
    draft.node(draft.random.one_in(2) ? "ArgMax" : "ArgMin", {x.name}, place);
    draft.model.with("axis", -1);
    return true;
  }
  Drawn values = result(x, {x.shape[0], 3}, 2, 0);
  values.name = draft.fresh("best_");
  draft.model.node("TopK", {x.name, draft.integers({3})}, {values.name, draft.fresh("places_")});
  draft.values.push_back(values);
  return true;
}

bool long_product(Draft& draft, const Drawn&) {
  if (draft.type() != OnnxModel::kFloat32 || !draft.random.one_in(6)) return false;
  const Drawn x = long_rows(draft);
  const auto length = static_cast<double>(x.shape[1]);
  const int64_t columns = draft.random.of<int64_t>({1, 2, 4});
  const Drawn y = hidden(draft, {x.shape[1], columns});
  draft.node("MatMul", {x.name, y.name},
             result(x, {x.shape[0], columns}, 2 * std::sqrt(length), draft.unit() * length / 20));
  return true;
}

bool large_pool(Draft& draft, const Drawn&) {
  if (draft.type() != OnnxModel::kFloat32 || !draft.random.one_in(6)) return false;
  const Drawn x = hidden(
      draft, {1, draft.random.between(1, 2), draft.random.between(250, 300), draft.random.between(250, 300)});
  const bool is_max = draft.random.one_in(2);
  draft.node(is_max ? "GlobalMaxPool" : "GlobalAveragePool", {x.name},
             result(x, {1, x.shape[1], 1, 1}, is_max ? 2 : 0.1, is_max ? 0 : draft.unit()));
  return true;
}

// Functions whose results are finite though some of their arguments are not.
bool infinities(Draft& draft, const Drawn&) {
  if (draft.type() != OnnxModel::kFloat32) return false;
  struct Kind {
    std::string type;
    bool positive, negative;
  };
  const Kind kind = draft.random.of<Kind>({{"Sigmoid", true, true},
                                           {"Tanh", true, true},
                                           {"HardSigmoid", true, true},
                                           {"Erf", true, true},
                                           {"Clip", true, true},
                                           {"Min", true, false},
                                           {"Max", false, true},
                                           {"Relu", false, true},
                                           {"Exp", false, true},
                                           {"Elu", false, true},
                                           {"Softplus", false, true},
                                           {"Softmax", false, true}});
  Drawn x{draft.fresh("x"),
          {draft.random.between(1, 4), draft.random.of<int64_t>({2, 3, 4, 8, 9, 33})},
          {},
          draft.type(),
          1,
          0};
  std::string bytes;
  for (int64_t i = 0; i < x.count(); ++i) {
    auto number = static_cast<float>(draft.random.real(-2, 2));
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const bool is_first = i % x.shape[1] == 0;  // stays finite: a row of -inf has no softmax
    if (!is_first && kind.positive && draft.random.one_in(4)) number = kInfinity;
    if (!is_first && kind.negative && draft.random.one_in(4)) number = -kInfinity;
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  draft.feed(x, bytes);
  draft.values.pop_back();
  Names inputs{x.name};
  if (kind.type == "Min" || kind.type == "Max") inputs.push_back(draft.floats(x.shape, -2, 2));
  if (kind.type == "Clip") inputs = {x.name, draft.scalar(-1.5), draft.scalar(1)};
  draft.node(kind.type, inputs, result(x, x.shape, kind.type == "Exp" ? 8 : 2, 4 * draft.unit()));
  if (kind.type == "Softmax") draft.model.with("axis", -1);
  return true;
}

}  // namespace

std::vector<Drawer> limit_drawers() {
  return {{2, vector_product}, {1, normalized_row}, {1, reduced_row}, {1, searched_row},
          {1, long_product},   {1, large_pool},     {2, infinities}};
}

}  // namespace nnrt::test
