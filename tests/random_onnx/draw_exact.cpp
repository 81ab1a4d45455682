// Quantized nodes whose results every runtime computes alike, to the last integer: ties, and sums of
// products. They read inputs of the model alone, which are exact.
#include "tests/random_onnx/model_draft.h"

#include <cmath>

namespace nnrt::test {
namespace {

bool is_exact(const Drawn& x) { return x.error == 0 && x.rank() > 0; }

// The next node's result is exact again.
Drawn exact(Drawn made) {
  made.error = 0;
  return made;
}

std::string bytes_between(Draft& draft, int32_t type, const Dimensions& shape, int64_t min, int64_t max) {
  std::string bytes(static_cast<size_t>(product(shape, 0, shape.size())), '\0');
  for (char& byte : bytes) byte = static_cast<char>(draft.random.between(min, max));
  return draft.raw("q", type, shape, bytes);
}

// Whole numbers around 0.
Drawn whole(Draft& draft, const Drawn& x) {
  const Drawn larger = draft.node("Mul", {x.name, draft.scalar(8)}, exact(x.mapped(8, 8)));
  return draft.node("Round", {larger.name}, exact(larger));
}

// In steps of 2: each odd number lies halfway. Some zero points are left out, and said by output_dtype.
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
  Drawn codes;
  std::string zero;  // a constant, or known in the run alone
};

// UINT8 over the range of the input, or INT8 and UINT8 in steps that are constants.
Range quantized(Draft& draft, const Drawn& x, bool may_be_signed) {
  Drawn codes = exact(x.mapped(128, 1)), step = exact(x.mapped(1, 1));
  if (draft.random.one_in(2)) {
    codes = in_steps(draft, whole(draft, x), may_be_signed);
    return {codes, draft.random.one_in(2) ? bytes_between(draft, codes.type, {}, 0, 127) : ""};
  }
  codes.type = OnnxModel::kUint8;
  step.shape = {};
  step.open = {};
  Drawn zero = step;
  zero.type = OnnxModel::kUint8;
  codes.name = draft.fresh("codes_");
  step.name = draft.fresh("step_");
  zero.name = draft.fresh("zero_");
  draft.nodes("DynamicQuantizeLinear", {x.name}, {codes, step, zero});
  return {codes, zero.name};
}

std::string zero_of_weights(Draft& draft, int32_t type, int64_t channels) {
  if (draft.random.one_in(3)) return "";
  return bytes_between(draft, type, draft.random.one_in(2) ? Dimensions{channels} : Dimensions{}, 0, 127);
}

// INT32 as floats, which hold sums of so few products.
void as_floats(Draft& draft, const std::string& sums, const Drawn& like) {
  draft.node("Cast", {sums}, exact(like.mapped(1000, 1)));
  draft.model.with("to", 1);
}

bool integer_product(Draft& draft, const Drawn& x) {
  if (!is_exact(x) || x.rank() < 2 || x.type != OnnxModel::kFloat32 || x.open) return false;
  const int64_t inner = x.shape.back(), columns = any_channels(draft);
  const Range left = quantized(draft, x, true);
  // ONNX Runtime has no product of INT8 with UINT8.
  const bool is_signed = left.codes.type == OnnxModel::kInt8 || draft.random.one_in(2);
  const int32_t type = is_signed ? OnnxModel::kInt8 : OnnxModel::kUint8;
  const std::string weights = bytes_between(draft, type, {inner, columns}, -128, 127);
  Drawn made = x;
  made.shape.back() = columns;
  as_floats(draft,
            draft.constant_node("MatMulInteger",
                                {left.codes.name, weights, left.zero, zero_of_weights(draft, type, columns)}),
            made);
  return true;
}

bool integer_convolution(Draft& draft, const Drawn& x) {
  if (!is_exact(x) || !x.is_image() || x.type != OnnxModel::kFloat32 || x.open) return false;
  const bool depthwise = x.shape[1] > 1 && draft.random.one_in(3);
  const int64_t group = depthwise ? x.shape[1] : 1, side = draft.random.of<int64_t>({1, 3});
  const int64_t filters = depthwise ? group : any_channels(draft);
  const Range image = quantized(draft, x, false);  // ONNX Runtime takes UINT8 alone
  const std::string weights =
      bytes_between(draft, OnnxModel::kUint8, {filters, x.shape[1] / group, side, side}, -128, 127);
  Drawn made = x;
  made.shape[1] = filters;
  Names inputs{image.codes.name, weights, image.zero};
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
