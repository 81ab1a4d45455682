// Elementwise operators with one or several broadcast operands.
#include "tests/random_onnx/model_draft.h"

#include <algorithm>
#include <cmath>

namespace nnrt::test {
namespace {

// The shape of a constant that broadcasts with x.
Dimensions constant_shape(Draft& draft, const Drawn& x) {
  std::vector<Dimensions> shapes{{}, {1}};
  if (x.rank() >= 1 && x.open != x.rank() - 1) shapes.push_back({x.shape.back()});
  if (x.is_image()) {
    shapes.insert(shapes.end(),
                  {{x.shape[1], 1, 1}, {1, x.shape[1], 1, 1}, {x.shape[2], x.shape[3]}, {1, 1, 1, 1}});
  }
  Dimensions some = x.shape;
  for (size_t d = 0; d < some.size(); ++d) {
    if (x.open == d || draft.random.one_in(2)) some[d] = 1;
  }
  shapes.push_back(some);
  if (some.size() > 1) shapes.emplace_back(some.begin() + 1, some.end());
  if (some.size() < 5 && draft.random.one_in(3)) {
    some.insert(some.begin(), 1);
    shapes.push_back(some);
  }
  return draft.random.of(shapes);
}

// The dynamic dimension of a broadcast result.
std::optional<size_t> open_of(const Drawn& a, const Drawn& b) {
  const size_t rank = std::max(a.rank(), b.rank());
  if (a.open) return rank - a.rank() + *a.open;
  if (b.open) return rank - b.rank() + *b.open;
  return {};
}

// True if dynamic dimensions are at the same index, and dynamic dimensions otherwise meet only 1.
bool open_meets_one(const Drawn& a, const Drawn& b) {
  if (a.open && b.open) return a.rank() - *a.open == b.rank() - *b.open;
  const Drawn& open = a.open ? a : b;
  const Drawn& other = a.open ? b : a;
  if (!open.open) return true;
  const size_t from_end = open.rank() - *open.open;
  return other.rank() < from_end || other.shape[other.rank() - from_end] == 1;
}

bool can_meet(const Drawn& a, const Drawn& b) {
  return a.type == b.type && can_broadcast(a.shape, b.shape) && open_meets_one(a, b) &&
         Draft::fits(broadcast(a.shape, b.shape));
}

Drawn combined(const Drawn& a, const Drawn& b, double scale, double error) {
  Drawn made = a;
  made.shape = broadcast(a.shape, b.shape);
  made.open = open_of(a, b);
  made.scale = scale;
  made.error = error;
  return made;
}

// Occasionally computed from constants, as exporters do.
Drawn constant_of(Draft& draft, const Dimensions& shape) {
  Drawn made{"", shape, {}, draft.type(), 1, 0};
  if (shape.size() >= 2 && draft.random.one_in(6)) {
    Dimensions order;
    for (size_t d = shape.size(); d-- > 0;) order.push_back(static_cast<int64_t>(d));
    made.name = draft.floats(permuted(shape, order), -1.5, 1.5);
    return draft.node("Transpose", {made.name}, made);
  }
  if (draft.random.one_in(6)) {
    made.name = draft.floats({made.count()}, -1.5, 1.5);
    return draft.node("Reshape", {made.name, draft.integers(shape)}, made);
  }
  made.name = draft.floats(shape, -1.5, 1.5);
  return made;
}

// |x| + 1/2, usable as a divisor.
Drawn away_from_zero(Draft& draft, const Drawn& x) {
  const Drawn size = draft.node("Abs", {x.name}, x);
  return draft.node("Add", {size.name, draft.scalar(0.5)}, size.mapped(x.scale + 0.5, 1));
}

// Functions that need positive arguments.
bool of_positive(Draft& draft, const Drawn& x) {
  const Drawn positive = away_from_zero(draft, x);
  switch (draft.random.below(5)) {
    case 0: draft.node("Sqrt", {positive.name}, positive.mapped(x.scale, 1)); break;
    case 1: draft.node("Log", {positive.name}, positive.mapped(x.scale, 2)); break;
    case 2: draft.node("Reciprocal", {positive.name}, positive.mapped(2, 4)); break;
    case 3: draft.node("Pow", {positive.name, draft.scalar(0.5)}, positive.mapped(x.scale, 1)); break;
    default: draft.node("Exp", {draft.node("Neg", {positive.name}, positive).name}, positive.mapped(1, 1));
  }
  return true;
}

bool binary(Draft& draft, const Drawn& x) {
  const std::string type =
      draft.random.of<std::string>({"Add", "Add", "Add", "Sub", "Mul", "Mul", "Mul", "Div", "Max", "Min"});
  Drawn a = x, b = operand_beside(draft, x);
  if (draft.random.one_in(3)) std::swap(a, b);
  double scale = std::max(a.scale, b.scale), error = a.error + b.error;
  if (type == "Add" || type == "Sub") scale = a.scale + b.scale;
  if (type == "Mul") {
    scale = a.scale * b.scale;
    error = 2 * (a.scale * b.error + b.scale * a.error);
  }
  if (type == "Div") {
    b = away_from_zero(draft, b);
    scale = 1.5 * a.scale;
    error = 2 * a.error + 4 * a.scale * b.error;
  }
  draft.node(type, {a.name, b.name}, combined(a, b, scale, error));
  return true;
}

bool several(Draft& draft, const Drawn& x) {
  Drawn made = x;
  Names names{x.name};
  for (int i = 0; i < 2; ++i) {
    const Drawn other = operand_beside(draft, x);
    if (!can_meet(made, other)) continue;
    made = combined(made, other, made.scale + other.scale, made.error + other.error);
    names.push_back(other.name);
  }
  draft.node(draft.random.of<std::string>({"Sum", "Mean", "Max", "Min"}), names, made);
  return true;
}

bool chosen(Draft& draft, const Drawn& x) {
  const Drawn other = operand_beside(draft, x);
  const Drawn made = combined(x, other, std::max(x.scale, other.scale), std::max(x.error, other.error));
  Dimensions mask = made.shape;
  for (size_t d = 0; d < mask.size(); ++d) {
    if (made.open == d || draft.random.one_in(3)) mask[d] = 1;
  }
  draft.node("Where", {draft.truths(mask), x.name, other.name}, made);
  return true;
}

// Another line below a threshold; the result is continuous.
bool compared(Draft& draft, const Drawn& x) {
  const std::string zero = draft.scalar(0);
  Drawn mask = x;
  mask.type = OnnxModel::kBool;
  mask = draft.node(draft.random.one_in(2) ? "Greater" : "GreaterOrEqual", {x.name, zero}, mask);
  const Drawn line = draft.node("Mul", {x.name, draft.scalar(0.25)}, x);
  draft.node("Where", {mask.name, x.name, line.name}, x);
  return true;
}

bool prelu(Draft& draft, const Drawn& x) {
  if (x.rank() < 2 || x.open.value_or(0) != 0) return false;
  Dimensions slopes(x.rank() - 1, 1);
  if (!draft.random.one_in(3)) slopes[0] = x.shape[1];
  draft.node("PRelu", {x.name, draft.floats(slopes, -0.5, 0.5)}, x);
  return true;
}

bool clip(Draft& draft, const Drawn& x) {
  const bool six = draft.random.one_in(3), relu = draft.random.one_in(6);
  Names inputs{x.name, draft.scalar(six || relu ? 0 : -1)};
  if (!relu) inputs.push_back(draft.scalar(six ? 6 : 1.5));
  if (!six && !relu && draft.random.one_in(3)) inputs[1] = "";
  draft.node("Clip", inputs, x);
  return true;
}

bool activation(Draft& draft, const Drawn& x) {
  const bool half = x.type == OnnxModel::kFloat16;  // ONNX Runtime has no FLOAT16 Celu
  const std::string type =
      draft.random.of<std::string>({"Relu",      "Relu",        "Relu",     "LeakyRelu",
                                    "HardSwish", "HardSigmoid", "Elu",      half ? "Elu" : "Celu",
                                    "Selu",      "Softplus",    "Softsign", "Gelu",
                                    "Mish",      "Abs",         "Neg",      "Tanh",
                                    "Sigmoid",   "Sin",         "Cos",      "Erf"});
  const bool bounded = type == "Tanh" || type == "Sigmoid" || type == "Sin" || type == "Cos" ||
                       type == "Erf" || type == "HardSigmoid" || type == "Softsign";
  draft.node(type, {x.name}, x.mapped(bounded ? 1 : x.scale + (type == "Softplus" ? 1 : 0), 1.2));
  if (type == "Gelu") draft.model.with("approximate", std::string(draft.random.one_in(2) ? "none" : "tanh"));
  if (type == "HardSigmoid" && draft.random.one_in(2)) draft.model.with("alpha", 1.0 / 6);
  return true;
}

// Activations as exporters decompose them.

Drawn times(Draft& draft, const Drawn& x, double factor) {
  return draft.node("Mul", {x.name, draft.scalar(factor)}, x.mapped(x.scale * factor, factor));
}

Drawn product(Draft& draft, const Drawn& a, const Drawn& b) {
  const bool swaps = draft.random.one_in(2);
  const double error = 2 * (a.scale * b.error + b.scale * a.error);
  Drawn made = a.mapped(a.scale * b.scale, 1);
  made.error = error;
  return draft.node("Mul", swaps ? Names{b.name, a.name} : Names{a.name, b.name}, made);
}

// x / 2 * (1 + erf(x / sqrt(2))), with the factor 1/2 at either end.
bool gelu(Draft& draft, const Drawn& x) {
  const bool first = draft.random.one_in(2);
  const Drawn inner = draft.random.one_in(2)
                          ? draft.node("Div", {x.name, draft.scalar(1.4142135381698608)}, x)
                          : times(draft, x, 0.7071067690849304);
  const Drawn erf = draft.node("Erf", {inner.name}, inner.mapped(1, 1.2));
  const Drawn gate = draft.node("Add", {erf.name, draft.scalar(1)}, erf);
  if (first) {
    const Drawn half = times(draft, x, 0.5);
    product(draft, half, gate);
  } else {
    times(draft, product(draft, x, gate), 0.5);
  }
  return true;
}

bool tanh_gelu(Draft& draft, const Drawn& x) {
  const Drawn low = draft.node("Tanh", {x.name}, x.mapped(1, 1));  // keeps its cube small
  const Drawn cube = draft.node("Pow", {low.name, draft.scalar(3)}, low.mapped(1, 3));
  const Drawn part = times(draft, cube, 0.044715);
  const Drawn sum = draft.node("Add", {low.name, part.name}, low);
  const Drawn inner = times(draft, sum, 0.7978845834732056);
  const Drawn tanh = draft.node("Tanh", {inner.name}, inner);
  const Drawn gate = draft.node("Add", {tanh.name, draft.scalar(1)}, tanh);
  product(draft, times(draft, low, 0.5), gate);
  return true;
}

bool silu(Draft& draft, const Drawn& x) {
  product(draft, x, draft.node("Sigmoid", {x.name}, x.mapped(1, 0.25)));
  return true;
}

bool hard_swish(Draft& draft, const Drawn& x) {
  if (draft.random.one_in(2)) {
    const Drawn gate = draft.node("HardSigmoid", {x.name}, x.mapped(1, 0.2));
    draft.model.with("alpha", 1.0 / 6).with("beta", 0.5);
    product(draft, x, gate);
    return true;
  }
  const Drawn sum = draft.node("Add", {x.name, draft.scalar(3)}, x.mapped(x.scale + 3, 1));
  const Drawn clipped = draft.node("Clip", {sum.name, draft.scalar(0), draft.scalar(6)}, sum.mapped(3, 1));
  if (draft.random.one_in(2)) {
    draft.node("Div", {product(draft, x, clipped).name, draft.scalar(6)}, x.mapped(x.scale, 2));
  } else {
    product(draft, x, draft.node("Div", {clipped.name, draft.scalar(6)}, clipped.mapped(1, 0.2)));
  }
  return true;
}

bool mish(Draft& draft, const Drawn& x) {
  const Drawn soft = draft.node("Softplus", {x.name}, x.mapped(x.scale + 1, 1));
  product(draft, x, draft.node("Tanh", {soft.name}, soft.mapped(1, 1)));
  return true;
}

// Squeeze-and-excitation: a mean over the image, two small convolutions, a gate.
bool squeeze_and_excite(Draft& draft, const Drawn& x) {
  if (!x.is_image()) return false;
  Drawn mean = x;
  mean.shape[2] = mean.shape[3] = 1;
  mean = draft.node("GlobalAveragePool", {x.name}, mean);
  const int64_t channels = x.shape[1], inner = draft.random.of<int64_t>({1, 2, 3});
  Drawn low = mean;
  low.shape[1] = inner;
  const std::string down = draft.floats({inner, channels, 1, 1}, -0.5, 0.5);
  low = draft.node("Conv", {mean.name, down}, low);
  low = draft.node("Relu", {low.name}, low);
  const std::string up = draft.floats({channels, inner, 1, 1}, -0.5, 0.5);
  const Drawn high = draft.node("Conv", {low.name, up}, mean);
  product(draft, x, draft.node("Sigmoid", {high.name}, high.mapped(1, 0.3)));
  return true;
}

}  // namespace

Drawn operand_beside(Draft& draft, const Drawn& x) {
  if (!draft.random.one_in(3)) {
    std::vector<Drawn> others;
    for (const Drawn& value : draft.values) {
      const bool larger = value.count() > 4 * x.count();
      if (value.is_float() && !larger && can_meet(x, value)) others.push_back(value);
    }
    if (!others.empty())
      return others[others.size() - 1 - draft.random.below(std::min<size_t>(others.size(), 6))];
  }
  const Dimensions shape = constant_shape(draft, x);
  if (draft.random.one_in(6) && !x.open) return draft.feed(shape, {});
  return constant_of(draft, shape);
}

std::vector<Drawer> element_drawers() {
  return {{10, binary}, {1, several}, {1, chosen},     {1, compared},
          {1, prelu},   {2, clip},    {8, activation}, {2, of_positive}};
}

std::vector<Drawer> decomposed_drawers() {
  return {{2, gelu}, {1, tanh_gelu}, {2, silu}, {2, hard_swish}, {1, mish}, {1, squeeze_and_excite}};
}

}  // namespace nnrt::test
