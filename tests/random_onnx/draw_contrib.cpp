// Operators of ONNX Runtime's domain, as its tools and language model exporters write them. Not in half
// precision, for which ONNX Runtime has few CPU kernels.
#include "tests/random_onnx/model_draft.h"

#include <algorithm>
#include <cmath>

namespace nnrt::test {
namespace {

bool gelu_of_sum(Draft& draft, const Drawn& x) {
  if (!is_plain(x, 2)) return false;
  const std::string bias = draft.floats({x.shape.back()}, -1, 1);
  const Drawn made = x.mapped(x.scale + 1, 1.2);
  if (draft.random.one_in(2)) {
    fused(draft, "BiasGelu", {x.name, bias}, made);
  } else {
    fused(draft, "FastGelu", draft.random.one_in(2) ? Names{x.name} : Names{x.name, bias}, made);
  }
  return true;
}

bool sigmoid_gelu(Draft& draft, const Drawn& x) {
  if (!is_plain(x, 2)) return false;
  fused(draft, "QuickGelu", {x.name}, x.mapped(x.scale, 1.2));
  draft.model.with("alpha", draft.random.of<double>({1, 1.702}));
  return true;
}

bool matmul_with_factor(Draft& draft, const Drawn& x) {
  if (!is_plain(x, 2)) return false;
  const int64_t inner = x.shape.back(), columns = any_channels(draft);
  const bool transposed = draft.random.one_in(2);
  const double bound = 1.7 / std::sqrt(static_cast<double>(inner));
  const std::string weights =
      draft.floats(transposed ? Dimensions{columns, inner} : Dimensions{inner, columns}, -bound, bound);
  Drawn made = x.mapped(x.scale, 2);
  made.shape.back() = columns;
  fused(draft, "FusedMatMul", {x.name, weights}, made);
  draft.model.with("alpha", 0.5).with("transB", transposed ? 1 : 0);
  return true;
}

bool skip_norm(Draft& draft, const Drawn& x) {
  if (!is_sequence(x)) return false;
  const Dimensions width{x.shape.back()};
  const std::string skip = draft.floats(x.shape, -1, 1), scale = draft.floats(width, 0.5, 1.5);
  const bool mean = draft.random.one_in(2);
  Names inputs{x.name, skip, scale};
  if (mean) inputs.push_back(draft.floats(width, -0.5, 0.5));
  if (draft.random.one_in(2)) inputs.push_back(draft.floats(width, -0.5, 0.5));
  fused(draft, mean ? "SkipLayerNormalization" : "SkipSimplifiedLayerNormalization", inputs,
        x.mapped(1.5, 6));
  draft.model.with("epsilon", 0.1);
  return true;
}

bool root_mean_square_norm(Draft& draft, const Drawn& x) {
  if (!is_plain(x, 2)) return false;
  draft.node("SimplifiedLayerNormalization", {x.name, draft.floats({x.shape.back()}, 0.5, 1.5)},
             x.mapped(1.5, 6));
  draft.model.with("axis", -1).with("epsilon", 0.1);
  return true;
}

bool weights_of_few_bits(Draft& draft, const Drawn& x) {
  constexpr int64_t kBlock = 16;
  if (!is_plain(x, 2)) return false;
  const int64_t inner = x.shape.back(), columns = any_channels(draft), blocks = (inner + kBlock - 1) / kBlock;
  std::string packed(static_cast<size_t>(columns * blocks * kBlock / 2), '\0');
  for (char& pair : packed) pair = static_cast<char>(draft.random.between(-128, 127));
  Names inputs{x.name, draft.raw("w", OnnxModel::kUint8, {columns, blocks, kBlock / 2}, packed),
               draft.floats({columns * blocks}, 0.02, 0.1)};
  if (draft.random.one_in(2)) {
    const int64_t row = (blocks + 1) / 2;
    std::string zeros(static_cast<size_t>(columns * row), '\0');
    for (char& pair : zeros) pair = static_cast<char>(draft.random.between(-128, 127));
    inputs.push_back(draft.raw("z", OnnxModel::kUint8, {columns * row}, zeros));
  }
  const double grown = std::sqrt(static_cast<double>(inner));
  Drawn made = x.mapped(x.scale * grown, grown);
  made.shape.back() = columns;
  fused(draft, "MatMulNBits", inputs, made);
  draft.model.with("K", inner).with("N", columns).with("bits", 4).with("block_size", kBlock);
  return true;
}

bool convolution_with_activation(Draft& draft, const Drawn& x) {
  if (!x.is_image() || x.type != OnnxModel::kFloat32) return false;
  const int64_t filters = any_channels(draft);
  const double bound = 1.7 / std::sqrt(static_cast<double>(9 * x.shape[1]));
  Drawn made = x.mapped(x.scale + 0.5, 2);
  made.shape[1] = filters;
  fused(
      draft, "FusedConv",
      {x.name, draft.floats({filters, x.shape[1], 3, 3}, -bound, bound), draft.floats({filters}, -0.5, 0.5)},
      made);
  draft.model.with("kernel_shape", Dimensions{3, 3}).with("pads", Dimensions(4, 1));
  draft.model.with("activation", draft.random.of<std::string>({"Relu", "Tanh", "Sigmoid"}));
  return true;
}

std::string raw_float(Draft& draft, double number) {
  const auto narrow = static_cast<float>(number);
  return draft.raw("s", OnnxModel::kFloat32, {}, {reinterpret_cast<const char*>(&narrow), sizeof narrow});
}

std::string bytes_between(Draft& draft, int32_t type, const Dimensions& shape, int64_t min, int64_t max) {
  std::string bytes(static_cast<size_t>(product(shape, 0, shape.size())), '\0');
  for (char& byte : bytes) byte = static_cast<char>(draft.random.between(min, max));
  return draft.raw("q", type, shape, bytes);
}

// Products of low-bit constants with a dynamically quantized input, scaled to about 1.
bool dynamic_product(Draft& draft, const Drawn& x) {
  if (!is_plain(x, 2)) return false;
  const int64_t inner = x.shape.back(), columns = any_channels(draft);
  const double scale = 1.0 / (20 * static_cast<double>(inner));
  Drawn made = x;
  made.shape.back() = columns;
  made.error = x.error + x.scale / 25;
  const Names inputs{x.name, bytes_between(draft, OnnxModel::kInt8, {inner, columns}, -20, 20),
                     raw_float(draft, scale), bytes_between(draft, OnnxModel::kInt8, {}, -3, 3)};
  fused(draft, "DynamicQuantizeMatMul", inputs, made);
  return true;
}

// The same from four nodes, as exporters write it.
bool integer_product(Draft& draft, const Drawn& x) {
  if (!is_plain(x, 2) || x.open) return false;
  const int64_t inner = x.shape.back(), columns = any_channels(draft);
  Drawn quantized = x.mapped(128, 64), step = x.mapped(x.scale / 64, 1), zero = quantized;
  quantized.type = zero.type = OnnxModel::kUint8;
  quantized.error = zero.error = 1.5;
  step.shape = zero.shape = {};
  quantized.name = draft.fresh("quantized_");
  step.name = draft.fresh("scale_");
  zero.name = draft.fresh("zero_");
  draft.nodes("DynamicQuantizeLinear", {x.name}, {quantized, step, zero});
  const std::string weights = bytes_between(draft, OnnxModel::kInt8, {inner, columns}, -20, 20);
  const std::string sums = draft.constant_node("MatMulInteger", {quantized.name, weights, zero.name});
  Drawn made = x;
  made.shape.back() = columns;
  made.error = (x.error + x.scale / 25) * 20 * static_cast<double>(inner);
  made.scale = x.scale * 20 * static_cast<double>(inner);
  const Drawn floats = draft.node("Cast", {sums}, made.mapped(made.scale * 64, 64 / std::max(x.scale, 1e-3)));
  draft.model.with("to", 1);
  const Drawn real = draft.node("Mul", {floats.name, step.name}, made);
  draft.node("Mul", {real.name, draft.scalar(1.0 / (20 * static_cast<double>(inner)))},
             made.mapped(x.scale, 1.0 / (20 * static_cast<double>(inner))));
  return true;
}

struct Steps {
  std::string scale, zero;
  double step;
};

Steps draw_steps(Draft& draft, double max) {
  return {raw_float(draft, max / 100), bytes_between(draft, OnnxModel::kUint8, {}, 100, 140), max / 100};
}

Drawn quantized(Draft& draft, const Drawn& x, const Steps& steps) {
  Drawn made = x.mapped(x.scale / steps.step, 1 / steps.step);
  made.type = OnnxModel::kUint8;
  made.error += 1;
  return draft.node("QuantizeLinear", {x.name, steps.scale, steps.zero}, made);
}

// Dequantizes the result of a quantized node, adding one step of error.
void dequantize(Draft& draft, const Drawn& made, const Drawn& like, const Steps& steps) {
  Drawn floats = like;
  floats.error = made.error * steps.step;
  draft.node("DequantizeLinear", {made.name, steps.scale, steps.zero}, floats);
}

Drawn as_steps(const Drawn& real, const Steps& steps) {
  Drawn made = real.mapped(real.scale / steps.step, 1 / steps.step);
  made.type = OnnxModel::kUint8;
  made.error += 1.5;
  return made;
}

bool quantized_pair(Draft& draft, const Drawn& x) {
  if (!is_plain(x, 2)) return false;
  const bool sum = draft.random.one_in(2);
  const Steps a = draw_steps(draft, 1.5 * x.scale), b = draw_steps(draft, 1);
  const Steps y = draw_steps(draft, 1.5 * x.scale + (sum ? 1 : 0));
  const Drawn left = quantized(draft, x, a);
  Drawn real = x.mapped(x.scale + (sum ? 1 : 0), 1.5);
  real.error += left.error * a.step * 1.5;
  const Names inputs{
      left.name, a.scale, a.zero,  bytes_between(draft, OnnxModel::kUint8, {x.shape.back()}, 30, 220),
      b.scale,   b.zero,  y.scale, y.zero};
  dequantize(draft, fused(draft, sum ? "QLinearAdd" : "QLinearMul", inputs, as_steps(real, y)), real, y);
  return true;
}

bool quantized_function(Draft& draft, const Drawn& x) {
  if (!is_plain(x, 2)) return false;
  const auto type = draft.random.of<std::string>({"QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax"});
  const Steps a = draw_steps(draft, 1.5 * x.scale);
  const bool bounded = type != "QLinearLeakyRelu";
  const Steps y = draw_steps(draft, bounded ? 1 : 1.5 * x.scale);
  const Drawn argument = quantized(draft, x, a);
  Drawn real = x.mapped(bounded ? 1 : x.scale, 1);
  real.error += argument.error * a.step;
  const Drawn made = fused(draft, type, {argument.name, a.scale, a.zero, y.scale, y.zero}, as_steps(real, y));
  if (type == "QLinearSoftmax") draft.model.with("axis", -1).with("opset", 13);
  if (type == "QLinearLeakyRelu") draft.model.with("alpha", 0.25);
  dequantize(draft, made, real, y);
  return true;
}

}  // namespace

std::vector<Drawer> contrib_drawers() {
  std::vector<Drawer> all = attention_drawers();
  const std::vector<Drawer> others{{2, gelu_of_sum},
                                   {1, sigmoid_gelu},
                                   {2, matmul_with_factor},
                                   {2, skip_norm},
                                   {2, root_mean_square_norm},
                                   {2, weights_of_few_bits},
                                   {1, dynamic_product},
                                   {1, integer_product},
                                   {2, quantized_pair},
                                   {2, quantized_function},
                                   {1, convolution_with_activation}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace nnrt::test
