// Activations as exporters decompose them.
#include "tests/random_onnx/model_draft.h"

namespace nnrt::test {
namespace {

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

std::vector<Drawer> decomposed_drawers() {
  return {{2, gelu}, {1, tanh_gelu}, {2, silu}, {2, hard_swish}, {1, mish}, {1, squeeze_and_excite}};
}

}  // namespace nnrt::test
