// ONNX Runtime's normalizations with a preceding addition, and those of newer opsets.
#include "tools/import/onnx/onnx_formula.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";

// The scale, reshaped to the normalized dimensions.
TensorId scale_of(Formula& f, TensorId scale, const Dims& normalized) {
  const Dims given = f.shape(scale);
  if (given == normalized) return scale;
  if (is_static(normalized)) return f.broadcast(scale, normalized);
  // A scale dimension other than 1 must equal the input's.
  const bool is_whole =
      given.size() == normalized.size() && std::ranges::all_of(given, [](int64_t d) { return d > 1; });
  if (!is_whole) f.fail(unsupported("The normalized dimensions ", to_string(normalized), " are not known."));
  return scale;
}

// x divided by the root mean square over the dimensions from the axis on.
TensorId rms_norm(Formula& f, TensorId x, TensorId scale, int64_t axis, double epsilon) {
  const Dims shape = f.shape(x);
  const TensorId gamma = scale_of(f, scale, shape.from(static_cast<size_t>(axis)));
  return f.emit(extension(OH_NN_OPS_RMS_NORM), {x, gamma},
                {int64_parameter(extension(OH_NN_RMS_NORM_BEGIN_NORM_AXIS), axis),
                 float_parameter(extension(OH_NN_RMS_NORM_EPSILON), static_cast<float>(epsilon))});
}

TensorId layer_norm(Formula& f, TensorId x, TensorId scale, TensorId bias, double epsilon) {
  return f.emit(OH_NN_OPS_LAYER_NORM, {x, scale, bias},
                {int64_parameter(OH_NN_LAYER_NORM_BEGIN_NORM_AXIS, f.rank(x) - 1),
                 float_parameter(OH_NN_LAYER_NORM_EPSILON, static_cast<float>(epsilon))});
}

Result<Ids> only_first(const Call& call, Ids made) {
  if (call.wants(1) || call.wants(2)) return unsupported("Moments as outputs are not supported.");
  return made;
}

Result<Ids> rms_normalization(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0), scale = f.input(1);
  NNRT_ASSIGN(const int64_t axis, call.axis(call.attributes.integer("axis", -1), call.rank(x)));
  return only_first(call, {rms_norm(f, x, scale, axis, call.attributes.real("epsilon", 1e-5f))});
}

// The sum is also an output.
TensorId sum_of_skip(Formula& f, size_t bias) {
  const TensorId sum = f.add(f.input(0), f.input(1));
  return f.call().has(bias) ? f.add(sum, f.input(bias)) : sum;
}

Result<Ids> skip_layer_norm(Call& call) {
  Formula f(call);
  const TensorId sum = sum_of_skip(f, 4), scale = f.input(2);
  const TensorId bias =
      call.has(3) ? f.input(3) : f.given(call.emitter().filled(f.dtype(sum), call.shape(scale), 0));
  const TensorId y = layer_norm(f, sum, scale, bias, call.attributes.real("epsilon", 1e-12f));
  return only_first(call, {y, y, y, sum});
}

Result<Ids> skip_rms_norm(Call& call) {
  Formula f(call);
  const TensorId sum = sum_of_skip(f, 3), scale = f.input(2);
  const TensorId y = rms_norm(f, sum, scale, f.rank(sum) - 1, call.attributes.real("epsilon", 1e-12f));
  return only_first(call, {y, y, y, sum});
}

// Sums the embedding rows for words, positions and segments, and normalizes.
Result<Ids> embed_layer_norm(Call& call) {
  Formula f(call);
  constexpr size_t kSegments = 1, kWords = 2, kPositions = 3, kSegmentRows = 4, kScale = 5, kBias = 6,
                   kMask = 7, kPositionInput = 8;
  const TensorId words = f.input(0);
  TensorId sum = f.gather(f.input(kWords), words, 0);
  if (call.has(kPositionInput)) {
    sum = f.add(sum, f.gather(f.input(kPositions), f.input(kPositionInput), 0));
  } else {
    sum = f.add(sum, f.slice(f.input(kPositions), 0, 0, f.length(words, 1)));
  }
  if (call.has(kSegments) && call.has(kSegmentRows))
    sum = f.add(sum, f.gather(f.input(kSegmentRows), f.input(kSegments), 0));
  const TensorId y =
      layer_norm(f, sum, f.input(kScale), f.input(kBias), call.attributes.real("epsilon", 1e-12f));
  if (!call.wants(1)) return Ids{y, y, sum};
  const int64_t batch = f.length(words, 0);
  const TensorId lengths = call.has(kMask) ? f.sum(f.cast(f.input(kMask), DType::i32), {1}, false)
                                           : f.given(call.emitter().filled(DType::i32, {batch}, 0));
  return Ids{y, lengths, sum};
}

// Expands to one factor per channel; before opset 21 there is one per group.
TensorId for_channels(Formula& f, TensorId term, int64_t channels) {
  const int64_t given = f.length(term, 0);
  if (given == channels) return term;
  if (given < 1 || channels % given != 0)
    f.fail(damaged("The number of channels is not a multiple of the number of groups."));
  return f.reshape(f.broadcast(f.reshape(term, {given, 1}), {given, channels / std::max<int64_t>(given, 1)}),
                   {channels});
}

TensorId group_norm(Formula& f, TensorId x, TensorId scale, TensorId bias, int64_t groups, float epsilon) {
  const int64_t channels = f.length(x, 1);
  return f.emit(extension(OH_NN_OPS_GROUP_NORM),
                {x, for_channels(f, scale, channels), for_channels(f, bias, channels)},
                {int64_parameter(extension(OH_NN_GROUP_NORM_GROUP), groups),
                 float_parameter(extension(OH_NN_GROUP_NORM_EPSILON), epsilon)});
}

Result<Ids> group_normalization(Call& call) {
  Formula f(call);
  TensorId x = f.input(0);
  const TensorId scale = f.input(1), bias = f.input(2);
  const bool is_matrix = f.rank(x) == 2;
  if (f.rank(x) < 2) return damaged("The rank (", f.rank(x), ") is below 2.");
  if (is_matrix) x = f.unsqueeze(x, {2});
  const TensorId y = group_norm(f, x, scale, bias, call.attributes.count("num_groups", 0),
                                call.attributes.real("epsilon", 1e-5f));
  return Ids{is_matrix ? f.squeeze(y, {2}) : y};
}

// ONNX Runtime's variant is channels-last and may have an activation.
Result<Ids> group_norm_of_runtime(Call& call) {
  Formula f(call);
  const bool last = call.attributes.integer("channels_last", 1) != 0;
  TensorId x = f.input(0);
  const TensorId scale = f.input(1), bias = f.input(2);
  if (last) x = f.transpose(x, {0, 3, 1, 2});
  TensorId y = group_norm(f, x, scale, bias, call.attributes.count("groups", 0),
                          call.attributes.real("epsilon", 1e-5f));
  if (call.attributes.integer("activation", 0) == 1) y = f.emit(OH_NN_OPS_SWISH, {y});
  return Ids{last ? f.transpose(y, {0, 2, 3, 1}) : y};
}

Result<Ids> mean_variance_normalization(Call& call) {
  Formula f(call);
  const TensorId x = f.input(0);
  List<int64_t> axes = call.attributes.integers("axes");
  if (!call.attributes.has("axes")) axes = {0, 2, 3};
  NNRT_ASSIGN(axes, call.axes(axes, call.rank(x)));
  const TensorId difference = f.sub(x, f.mean(x, axes));
  const TensorId deviation = f.sqrt(f.mean(f.square(difference), axes));
  return Ids{f.div(difference, f.add(deviation, 1e-9))};
}

}  // namespace

std::vector<Row> skip_norm_rows() {
  return {
      {"EmbedLayerNormalization", embed_layer_norm, {}, kNoQuantizedInputs, false, kMicrosoft},
      {"GroupNorm", group_norm_of_runtime, {}, kNoQuantizedInputs, false, kMicrosoft},
      {"GroupNormalization", group_normalization},
      {"MeanVarianceNormalization", mean_variance_normalization},
      {"RMSNormalization", rms_normalization},
      {"SimplifiedLayerNormalization", rms_normalization},
      {"SimplifiedLayerNormalization", rms_normalization, {}, kNoQuantizedInputs, false, kMicrosoft},
      {"SkipLayerNormalization", skip_layer_norm, {}, kNoQuantizedInputs, false, kMicrosoft},
      {"SkipSimplifiedLayerNormalization", skip_rms_norm, {}, kNoQuantizedInputs, false, kMicrosoft},
  };
}

}  // namespace nnrt::import::onnx
