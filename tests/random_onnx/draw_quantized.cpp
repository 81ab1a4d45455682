// QuantizeLinear and DequantizeLinear as quantization tools place them: after every operator, and before
// weights.
#include "tests/random_onnx/model_draft.h"

#include <cmath>

namespace nnrt::test {
namespace {

std::string raw_floats(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

struct Coding {
  std::string scale, zero_point;
  double step;
  int32_t type;
  std::optional<int64_t> axis{};  // of several scales
};

// One scale, or one for each index of a dimension that is `each` long.
Coding draw_coding(Draft& draft, double max, const Dimensions& each = {}) {
  const bool is_signed = draft.random.one_in(3);
  const int32_t type = is_signed ? OnnxModel::kInt8 : OnnxModel::kUint8;
  const auto step = static_cast<float>(max / 100);
  std::vector<float> steps;
  std::string zeros;
  for (int64_t i = 0; i < product(each, 0, each.size()); ++i) {
    zeros += static_cast<char>((is_signed ? 0 : 128) + draft.random.of<int64_t>({0, 0, -3, 17, -100}));
    steps.push_back(step * (each.empty() ? 1.0f : static_cast<float>(draft.random.real(0.5, 1))));
  }
  return {draft.raw("s", OnnxModel::kFloat32, each, raw_floats(steps)), draft.raw("z", type, each, zeros),
          static_cast<double>(step), type};
}

// For each index of some dimension, if x has one that is known.
Coding draw_coding_of(Draft& draft, const Drawn& x, double max) {
  const size_t axis = x.rank() == 0 ? 0 : draft.random.below(x.rank());
  if (x.rank() == 0 || x.open == axis || !draft.random.one_in(3)) return draw_coding(draft, max);
  Coding coding = draw_coding(draft, max, {x.shape[axis]});
  coding.axis = static_cast<int64_t>(axis) - (draft.random.one_in(2) ? static_cast<int64_t>(x.rank()) : 0);
  return coding;
}

// Adds QuantizeLinear or DequantizeLinear.
Drawn coded(Draft& draft, const std::string& type, const Drawn& x, const Coding& coding, const Drawn& made) {
  const Drawn result = draft.node(type, {x.name, coding.scale, coding.zero_point}, made);
  if (coding.axis) draft.model.with("axis", *coding.axis);
  return result;
}

Drawn quantize(Draft& draft, const Drawn& x, const Coding& coding) {
  Drawn quantized = x.mapped(x.scale / coding.step, 1 / coding.step);
  quantized.type = coding.type;
  quantized.error += coding.axis ? 2 : 1;
  return coded(draft, "QuantizeLinear", x, coding, quantized);
}

bool there_and_back(Draft& draft, const Drawn& x) {
  if (x.type != OnnxModel::kFloat32) return false;
  const Coding coding = draw_coding_of(draft, x, 1.5 * x.scale);
  const Drawn quantized = quantize(draft, x, coding);
  Drawn made = x;
  made.error = quantized.error * coding.step;
  coded(draft, "DequantizeLinear", quantized, coding, made);
  return true;
}

// Quantized weights, per tensor or per filter.
std::string quantized_weights(Draft& draft, const Dimensions& shape, size_t axis, double max) {
  const bool each = draft.random.one_in(2);
  const auto scales = static_cast<size_t>(each ? shape[axis] : 1);
  const Dimensions list = each ? Dimensions{shape[axis]} : Dimensions{};
  std::string quantized(static_cast<size_t>(product(shape, 0, shape.size())), '\0');
  for (char& code : quantized) code = static_cast<char>(draft.random.between(-127, 127));
  std::vector<float> steps;
  for (size_t i = 0; i < scales; ++i)
    steps.push_back(static_cast<float>(draft.random.real(0.6, 1.0) * max / 127));
  const Names inputs{draft.raw("w", OnnxModel::kInt8, shape, quantized),
                     draft.raw("s", OnnxModel::kFloat32, list, raw_floats(steps)),
                     draft.raw("z", OnnxModel::kInt8, list, std::string(scales, '\0'))};
  const std::string name = draft.constant_node("DequantizeLinear", inputs);
  if (each) draft.model.with("axis", static_cast<int64_t>(axis));
  return name;
}

bool convolution(Draft& draft, const Drawn& x) {
  if (!x.is_image() || x.type != OnnxModel::kFloat32) return false;
  const bool depthwise = x.shape[1] > 1 && draft.random.one_in(3);
  const int64_t group = depthwise ? x.shape[1] : 1, side = draft.random.of<int64_t>({1, 3});
  const int64_t filters = depthwise ? group : any_channels(draft);
  const int64_t terms = x.shape[1] / group * side * side;
  Drawn made = x.mapped(x.scale + 0.5, 2);
  made.shape[1] = filters;
  const std::string weights = quantized_weights(draft, {filters, x.shape[1] / group, side, side}, 0,
                                                1.7 / std::sqrt(static_cast<double>(terms)));
  Names inputs{x.name, weights};
  if (draft.random.one_in(2)) inputs.push_back(draft.floats({filters}, -0.5, 0.5));
  const Drawn y = draft.node("Conv", inputs, made);
  draft.model.with("group", group).with("kernel_shape", Dimensions{side, side});
  draft.model.with("pads", Dimensions(4, side / 2));
  return there_and_back(draft, y);
}

bool product_with_weights(Draft& draft, const Drawn& x) {
  if (x.rank() < 2 || x.type != OnnxModel::kFloat32 || x.open == x.rank() - 1) return false;
  const int64_t inner = x.shape.back(), columns = any_channels(draft);
  Drawn made = x.mapped(x.scale, 2);
  made.shape.back() = columns;
  const std::string weights =
      quantized_weights(draft, {inner, columns}, 1, 1.7 / std::sqrt(static_cast<double>(inner)));
  const bool gemm = x.rank() == 2 && draft.random.one_in(2);
  return there_and_back(draft, draft.node(gemm ? "Gemm" : "MatMul", {x.name, weights}, made));
}

}  // namespace

std::vector<Drawer> quantized_drawers() {
  return {{6, there_and_back}, {3, convolution}, {2, product_with_weights}};
}

namespace {

// Nodes that every runtime computes exactly: ties, and integer sums of products. They read only model inputs,
// which are exact.
bool is_exact(const Drawn& x) { return x.error == 0 && x.rank() > 0; }

// The next node's result is exact as well.
Drawn exact(Drawn made) {
  made.error = 0;
  return made;
}

std::string bytes_between(Draft& draft, int32_t type, const Dimensions& shape, int64_t min, int64_t max) {
  std::string bytes(static_cast<size_t>(product(shape, 0, shape.size())), '\0');
  for (char& byte : bytes) byte = static_cast<char>(draft.random.between(min, max));
  return draft.raw("q", type, shape, bytes);
}

// Integers around 0.
Drawn whole(Draft& draft, const Drawn& x) {
  const Drawn larger = draft.node("Mul", {x.name, draft.scalar(8)}, exact(x.mapped(8, 8)));
  return draft.node("Round", {larger.name}, exact(larger));
}

// In steps of 2, so odd numbers are ties. Some omit the zero point and use output_dtype.
Drawn in_steps(Draft& draft, const Drawn& numbers, bool may_be_signed) {
  Drawn made = exact(numbers.mapped(4, 1));
  const bool is_signed = may_be_signed && draft.random.one_in(2), has_zero = draft.random.one_in(2);
  made.type = is_signed ? OnnxModel::kInt8 : OnnxModel::kUint8;
  Names inputs{numbers.name, draft.scalar(2)};
  if (has_zero) inputs.push_back(bytes_between(draft, made.type, {}, is_signed ? -120 : 2, 126));
  const Drawn quantized = draft.node("QuantizeLinear", inputs, made);
  if (!has_zero) draft.model.with("output_dtype", made.type);
  return quantized;
}

bool ties(Draft& draft, const Drawn& x) {
  if (!is_exact(x)) return false;
  in_steps(draft, whole(draft, x), true);
  return true;
}

struct Range {
  Drawn integers;
  std::string zero;             // constant or dynamic
  std::optional<Drawn> step{};  // if it is dynamic
};

// UINT8 over the input's range, or INT8 and UINT8 with constant steps.
Range quantized_range(Draft& draft, const Drawn& x, bool may_be_signed) {
  Drawn integers = exact(x.mapped(128, 1)), step = exact(x.mapped(1, 1));
  if (draft.random.one_in(2)) {
    integers = in_steps(draft, whole(draft, x), may_be_signed);
    return {integers, draft.random.one_in(2) ? bytes_between(draft, integers.type, {}, 0, 127) : "", {}};
  }
  integers.type = OnnxModel::kUint8;
  step.shape = {};
  step.open = {};
  Drawn zero = step;
  zero.type = OnnxModel::kUint8;
  integers.name = draft.fresh("integers_");
  step.name = draft.fresh("step_");
  zero.name = draft.fresh("zero_");
  draft.nodes("DynamicQuantizeLinear", {x.name}, {integers, step, zero});
  return {integers, zero.name, step};
}

std::string zero_of_weights(Draft& draft, int32_t type, int64_t channels) {
  if (draft.random.one_in(3)) return "";
  return bytes_between(draft, type, draft.random.one_in(2) ? Dimensions{channels} : Dimensions{}, 0, 127);
}

// INT32 as floats, which represent sums of so few products exactly.
Drawn as_floats(Draft& draft, const std::string& sums, const Drawn& like) {
  const Drawn real = draft.node("Cast", {sums}, exact(like.mapped(1000, 1)));
  draft.model.with("to", 1);
  return real;
}

// The product as quantize_dynamic() ends it: with one scale, or one per column, and maybe a bias.
void scale_product(Draft& draft, const Drawn& real, const Drawn& step) {
  const Dimensions columns{real.shape.back()}, scales = draft.random.one_in(2) ? columns : Dimensions{};
  Drawn scale = step;
  scale.shape = scales;
  scale = draft.node("Mul", {step.name, draft.floats(scales, 0.1, 1.0)}, scale);
  Drawn scaled = real.mapped(1000, 1);
  scaled.error += 1e-3;
  scaled = draft.node("Mul", {real.name, scale.name}, scaled);
  if (draft.random.one_in(2)) draft.node("Add", {scaled.name, draft.floats(columns, -9, 9)}, scaled);
}

bool integer_product(Draft& draft, const Drawn& x) {
  if (!is_exact(x) || x.rank() < 2 || x.type != OnnxModel::kFloat32 || x.open) return false;
  const int64_t inner = x.shape.back(), columns = any_channels(draft);
  const Range left = quantized_range(draft, x, true);
  // ONNX Runtime has no INT8 x UINT8 product.
  const bool is_signed = left.integers.type == OnnxModel::kInt8 || draft.random.one_in(2);
  const int32_t type = is_signed ? OnnxModel::kInt8 : OnnxModel::kUint8;
  const std::string weights = bytes_between(draft, type, {inner, columns}, -128, 127);
  Drawn made = x;
  made.shape.back() = columns;
  const std::string zero = zero_of_weights(draft, type, columns);
  const Names inputs{left.integers.name, weights, left.zero, zero};
  const Drawn real = as_floats(draft, draft.constant_node("MatMulInteger", inputs), made);
  if (left.step && draft.random.one_in(2)) scale_product(draft, real, *left.step);
  return true;
}

bool integer_convolution(Draft& draft, const Drawn& x) {
  if (!is_exact(x) || !x.is_image() || x.type != OnnxModel::kFloat32 || x.open) return false;
  const bool depthwise = x.shape[1] > 1 && draft.random.one_in(3);
  const int64_t group = depthwise ? x.shape[1] : 1, side = draft.random.of<int64_t>({1, 3});
  const int64_t filters = depthwise ? group : any_channels(draft);
  const Range image = quantized_range(draft, x, false);  // ONNX Runtime supports only UINT8
  const std::string weights =
      bytes_between(draft, OnnxModel::kUint8, {filters, x.shape[1] / group, side, side}, -128, 127);
  Drawn made = x;
  made.shape[1] = filters;
  Names inputs{image.integers.name, weights, image.zero};
  if (draft.random.one_in(2)) inputs.push_back(bytes_between(draft, OnnxModel::kUint8, {}, -128, 127));
  const std::string sums = draft.constant_node("ConvInteger", inputs);
  draft.model.with("group", group).with("kernel_shape", Dimensions{side, side});
  draft.model.with("pads", Dimensions(4, side / 2));
  as_floats(draft, sums, made);
  return true;
}

}  // namespace

std::vector<Drawer> exact_drawers() { return {{2, ties}, {2, integer_product}, {2, integer_convolution}}; }

}  // namespace nnrt::test
