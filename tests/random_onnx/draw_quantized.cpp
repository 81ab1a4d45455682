// QuantizeLinear and DequantizeLinear, as tools that quantize put them: after every operator, and before
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
};

Coding draw_coding(Draft& draft, double max) {
  const bool is_signed = draft.random.one_in(3);
  const int64_t zero = (is_signed ? 0 : 128) + draft.random.of<int64_t>({0, 0, -3, 17, -100});
  const auto step = static_cast<float>(max / 100);
  const int32_t type = is_signed ? OnnxModel::kInt8 : OnnxModel::kUint8;
  return {draft.raw("s", OnnxModel::kFloat32, {}, raw_floats({step})),
          draft.raw("z", type, {}, std::string(1, static_cast<char>(zero))), static_cast<double>(step), type};
}

Drawn quantize(Draft& draft, const Drawn& x, const Coding& coding) {
  Drawn quantized = x.mapped(x.scale / coding.step, 1 / coding.step);
  quantized.type = coding.type;
  quantized.error += 1;
  return draft.node("QuantizeLinear", {x.name, coding.scale, coding.zero_point}, quantized);
}

bool there_and_back(Draft& draft, const Drawn& x) {
  if (x.type != OnnxModel::kFloat32) return false;
  const Coding coding = draw_coding(draft, 1.5 * x.scale);
  const Drawn quantized = quantize(draft, x, coding);
  Drawn made = x;
  made.error = quantized.error * coding.step;
  draft.node("DequantizeLinear", {quantized.name, coding.scale, coding.zero_point}, made);
  return true;
}

// Quantized weights with one scale, or with one for each filter.
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

}  // namespace nnrt::test
