// Fused nodes of ONNX Runtime.
#include "tools/import/onnx/onnx_formula.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";

TensorId gelu(Formula& f, TensorId x, bool approximate) {
  return f.emit(OH_NN_OPS_GELU, {x}, {bool_parameter(OH_NN_GELU_APPROXIMATE, approximate)});
}

Result<Ids> fast_gelu(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0);
  return Ids{gelu(f, call.has(1) ? f.add(x, f.input(1)) : x, true)};
}

Result<Ids> bias_gelu(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0), bias = f.input(1);
  return Ids{gelu(f, f.add(x, bias), false)};
}

Result<Ids> sigmoid_gelu(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0);
  const double alpha = call.attributes.real("alpha", 1.702f);
  return Ids{f.mul(x, f.sigmoid(f.mul(x, alpha)))};
}

// The first half times GELU of the second.
Result<Ids> bias_split_gelu(Call& call) {
  Formula f(call);
  const TensorId x = f.add(f.input(0), f.input(1));
  const int64_t last = f.rank(x) - 1, width = f.length(x, last);
  return Ids{f.mul(f.slice(x, last, 0, width / 2), gelu(f, f.slice(x, last, width / 2, width), false))};
}

// SWISH with a factor.
Result<Ids> swish(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0);
  const double alpha = call.attributes.real("alpha", 1);
  if (alpha == 1) return Ids{f.emit(OH_NN_OPS_SWISH, {x})};
  return Ids{f.mul(x, f.sigmoid(f.mul(x, alpha)))};
}

Result<Ids> fused_matmul(Call& call) {
  Formula f(call);
  const Attributes& attributes = call.attributes;
  if (attributes.integer("transBatchA", 0) != 0 || attributes.integer("transBatchB", 0) != 0)
    return unsupported("Batch dimensions after the rows are not supported.");
  const TensorId a = f.input(0), b = f.input(1);
  const auto transposes = [&](std::string_view name, TensorId id) {
    return attributes.integer(name, 0) != 0 && f.rank(id) >= 2;
  };
  const TensorId product = f.emit(OH_NN_OPS_MATMUL, {a, b},
                                  {bool_parameter(OH_NN_MATMUL_TRANSPOSE_A, transposes("transA", a)),
                                   bool_parameter(OH_NN_MATMUL_TRANSPOSE_B, transposes("transB", b))});
  return Ids{f.mul(product, attributes.real("alpha", 1))};
}

// Applies the activation named by an attribute.
Result<TensorId> activated(Call& call, TensorId x, const std::string& name) {
  Formula f(call);
  const List<float> given = call.attributes.floats("activation_params");
  const auto parameter = [&](size_t i, float fallback) { return i < given.size() ? given[i] : fallback; };
  if (name.empty()) return x;
  if (name == "Relu") return f.emit(OH_NN_OPS_RELU, {x});
  if (name == "Sigmoid") return f.sigmoid(x);
  if (name == "Tanh") return f.tanh(x);
  if (name == "Clip") return f.clip(x, parameter(0, 0), parameter(1, 6));
  if (name == "LeakyRelu") {
    const float slope = parameter(0, call.attributes.real("leaky_relu_alpha", 0.01f));
    return f.emit(OH_NN_OPS_LEAKY_RELU, {x}, {float_parameter(OH_NN_LEAKY_RELU_NEGATIVE_SLOPE, slope)});
  }
  if (name == "HardSigmoid") return f.clip(f.add(f.mul(x, parameter(0, 0.2f)), parameter(1, 0.5f)), 0, 1);
  return unsupported("The activation (", name, ") is not supported.");
}

// Runs another operator's handler on the first inputs of this node.
Result<TensorId> run_as(Call& call, std::string_view type, size_t count) {
  Call inner(*find_row(type, ""), call.node(), call.opset(), call.emitter());
  inner.inputs = call.inputs.before(std::min(count, call.inputs.size()));
  while (!inner.inputs.empty() && inner.inputs.back() == nullptr) inner.inputs.pop_back();
  inner.wanted = {true};
  NNRT_ASSIGN(const Ids made, run_handler(inner));
  return made[0];
}

// Adds the optional fourth input before the activation.
Result<Ids> fused_conv(Call& call) {
  NNRT_ASSIGN(TensorId y, run_as(call, "Conv", 3));
  if (call.has(3)) {
    NNRT_ASSIGN(const TensorId term, call.plain_input(3));
    NNRT_ASSIGN(y, call.emit(OH_NN_OPS_ADD, {y, term}));
  }
  return single(activated(call, y, call.attributes.text("activation")));
}

Result<Ids> fused_gemm(Call& call) {
  NNRT_ASSIGN(const TensorId y, run_as(call, "Gemm", 3));
  return single(activated(call, y, call.attributes.text("activation")));
}

// Transposes channels-last images around the channels-first pool.
Result<Ids> nhwc_max_pool(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0);
  if (f.rank(x) != 4) return unsupported("The rank (", f.rank(x), ") is not 4.");
  const DType dtype = f.dtype(x);
  Value image{.plain = f.transpose(f.cast(x, DType::f32), {0, 3, 1, 2})};
  Call pool(*find_row("MaxPool", ""), call.node(), call.opset(), call.emitter());
  pool.inputs = {&image};
  pool.wanted = {true};
  NNRT_ASSIGN(const Ids made, run_handler(pool));
  return Ids{f.cast(f.transpose(made[0], {0, 2, 3, 1}), dtype)};
}

}  // namespace

std::vector<Row> fused_rows() {
  const auto row = [](std::string_view type, Handler handler) {
    return Row{type, handler, {}, kNoQuantizedInputs, false, kMicrosoft};
  };
  return {
      row("BiasGelu", bias_gelu),           row("BiasSplitGelu", bias_split_gelu),
      row("FastGelu", fast_gelu),           row("FusedConv", fused_conv),
      row("FusedGemm", fused_gemm),         row("FusedMatMul", fused_matmul),
      row("NhwcMaxPool", nhwc_max_pool),    row("QuickGelu", sigmoid_gelu),
      row("TransposeMatMul", fused_matmul), {"Swish", swish},
  };
}

}  // namespace nnrt::import::onnx
