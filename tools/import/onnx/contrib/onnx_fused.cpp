// Fused nodes of ONNX Runtime.
#include "tools/import/onnx/formulas/onnx_activation.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

Ids fast_gelu(Call& call) {
  const TensorId x = call.input(0);
  return {call.gelu(call.has(1) ? call.add(x, call.input(1)) : x, true)};
}

Ids bias_gelu(Call& call) { return {call.gelu(call.add(call.input(0), call.input(1)), false)}; }

// x times the sigmoid of alpha x.
TensorId swish(Call& call, float alpha) {
  const TensorId x = call.input(0);
  return call.mul(x, call.sigmoid(call.mul(x, call.attributes.real("alpha", alpha))));
}

Ids quick_gelu(Call& call) { return {swish(call, 1.702f)}; }

// The first half times GELU of the second.
Ids bias_split_gelu(Call& call) {
  const TensorId x = call.add(call.input(0), call.input(1));
  const int64_t last = call.rank(x) - 1, width = call.length(x, last);
  return {
      call.mul(call.slice(x, last, 0, width / 2), call.gelu(call.slice(x, last, width / 2, width), false))};
}

Ids onnx_swish(Call& call) {
  if (call.attributes.real("alpha", 1) == 1) return {call.emit(Op::swish, {call.input(0)})};
  return {swish(call, 1)};
}

Ids fused_matmul(Call& call) {
  const Attributes& attributes = call.attributes;
  if (attributes.flag("transBatchA") || attributes.flag("transBatchB"))
    fail(unsupported("Batch dimensions after the rows are not supported."));
  const TensorId a = call.input(0), b = call.input(1);
  const auto transposes = [&](std::string_view name, TensorId id) {
    return attributes.flag(name) && call.rank(id) >= 2;
  };
  const TensorId product =
      call.emit(Op::matmul, {a, b},
                {{Attr::transpose_a, transposes("transA", a)}, {Attr::transpose_b, transposes("transB", b)}});
  return {call.mul(product, attributes.real("alpha", 1))};
}

// Applies the activation named by an attribute.
TensorId activated(Call& call, TensorId x, const std::string& name) {
  const List<float> given = call.attributes.floats("activation_params");
  const auto parameter = [&](size_t i, float fallback) { return i < given.size() ? given[i] : fallback; };
  if (name.empty()) return x;
  if (name == "Clip") return call.clip(x, parameter(0, 0), parameter(1, 6));
  const ActivationFunction* const function = find_activation(name);
  if (function == nullptr) fail(unsupported("The activation (", name, ") is not supported."));
  const float alpha = call.attributes.real("leaky_relu_alpha", static_cast<float>(function->alpha));
  return function->apply(call, x, parameter(0, alpha), parameter(1, static_cast<float>(function->beta)));
}

// Runs another operator's handler on the first inputs of this node.
TensorId run_as(Call& call, std::string_view type, size_t count) {
  Call inner(*find_row(type, ""), call.node(), call.opset(), call.emitter());
  inner.inputs = call.inputs.before(std::min(count, call.inputs.size()));
  while (!inner.inputs.empty() && inner.inputs.back() == nullptr) inner.inputs.pop_back();
  inner.wanted = {true};
  return required(run_handler(inner))[0];
}

// Adds the optional fourth input before the activation.
Ids fused_conv(Call& call) {
  TensorId y = run_as(call, "Conv", 3);
  if (call.has(3)) y = call.add(y, call.plain_input(3));
  return {activated(call, y, call.attributes.text("activation"))};
}

Ids fused_gemm(Call& call) {
  return {activated(call, run_as(call, "Gemm", 3), call.attributes.text("activation"))};
}

// Transposes channels-last images around the channels-first pool.
Ids nhwc_max_pool(Call& call) {
  const TensorId x = call.input(0);
  if (call.rank(x) != 4) fail(unsupported("The rank (", call.rank(x), ") is not 4."));
  const DType dtype = call.dtype(x);
  Value image{.plain = call.transpose(call.cast(x, DType::f32), {0, 3, 1, 2})};
  Call pool(*find_row("MaxPool", ""), call.node(), call.opset(), call.emitter());
  pool.inputs = {&image};
  pool.wanted = {true};
  return {call.cast(call.transpose(required(run_handler(pool))[0], {0, 2, 3, 1}), dtype)};
}

}  // namespace

std::vector<Row> fused_rows() {
  return {
      runtime_row("BiasGelu", bias_gelu),           runtime_row("BiasSplitGelu", bias_split_gelu),
      runtime_row("FastGelu", fast_gelu),           runtime_row("FusedConv", fused_conv),
      runtime_row("FusedGemm", fused_gemm),         runtime_row("FusedMatMul", fused_matmul),
      runtime_row("NhwcMaxPool", nhwc_max_pool),    runtime_row("QuickGelu", quick_gelu),
      runtime_row("TransposeMatMul", fused_matmul), {"Swish", onnx_swish},
  };
}

}  // namespace nnrt::import::onnx
