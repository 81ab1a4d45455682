// ONNX Runtime's normalizations with a preceding addition, and those of newer opsets.
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

// The scale, reshaped to the normalized dimensions.
TensorId scale_of(Call& call, TensorId scale, const Dims& normalized) {
  const Dims given = call.shape(scale);
  if (given == normalized) return scale;
  if (is_static(normalized)) return call.broadcast(scale, normalized);
  // A scale dimension other than 1 must equal the input's.
  const bool is_whole =
      given.size() == normalized.size() && std::ranges::all_of(given, [](int64_t d) { return d > 1; });
  if (!is_whole) fail(unsupported("The normalized dimensions ", to_string(normalized), " are not known."));
  return scale;
}

// x divided by the root mean square over the dimensions from the axis on.
TensorId rms_norm(Call& call, TensorId x, TensorId scale, int64_t axis, double epsilon) {
  const Dims shape = call.shape(x);
  const TensorId gamma = scale_of(call, scale, shape.from(static_cast<size_t>(axis)));
  return call.emit(Op::rms_norm, {x, gamma}, {{Attr::begin_norm_axis, axis}, {Attr::epsilon, epsilon}});
}

TensorId layer_norm(Call& call, TensorId x, TensorId scale, TensorId bias, double epsilon) {
  return call.emit(Op::layer_norm, {x, scale, bias},
                   {{Attr::begin_norm_axis, call.rank(x) - 1}, {Attr::epsilon, epsilon}});
}

Ids only_first(const Call& call, Ids made) {
  if (call.wants(1) || call.wants(2)) fail(unsupported("Moments as outputs are not supported."));
  return made;
}

Ids rms_normalization(Call& call) {
  const TensorId x = call.input(0), scale = call.input(1);
  const int64_t axis = call.axis(call.attributes.integer("axis", -1), call.rank(x));
  return only_first(call, {rms_norm(call, x, scale, axis, call.attributes.real("epsilon", 1e-5f))});
}

// The sum is also an output.
TensorId sum_of_skip(Call& call, size_t bias) {
  const TensorId sum = call.add(call.input(0), call.input(1));
  return call.has(bias) ? call.add(sum, call.input(bias)) : sum;
}

Ids skip_layer_norm(Call& call) {
  const TensorId sum = sum_of_skip(call, 4), scale = call.input(2);
  const TensorId bias = call.has(3) ? call.input(3) : call.filled(call.dtype(sum), call.shape(scale), 0);
  const TensorId y = layer_norm(call, sum, scale, bias, call.attributes.real("epsilon", 1e-12f));
  return only_first(call, {y, y, y, sum});
}

Ids skip_rms_norm(Call& call) {
  const TensorId sum = sum_of_skip(call, 3), scale = call.input(2);
  const TensorId y = rms_norm(call, sum, scale, call.rank(sum) - 1, call.attributes.real("epsilon", 1e-12f));
  return only_first(call, {y, y, y, sum});
}

// Sums the embedding rows for words, positions and segments, and normalizes.
Ids embed_layer_norm(Call& call) {
  constexpr size_t kSegments = 1, kWords = 2, kPositions = 3, kSegmentRows = 4, kScale = 5, kBias = 6,
                   kMask = 7, kPositionInput = 8;
  const TensorId words = call.input(0);
  TensorId sum = call.gather(call.input(kWords), words, 0);
  if (call.has(kPositionInput)) {
    sum = call.add(sum, call.gather(call.input(kPositions), call.input(kPositionInput), 0));
  } else {
    sum = call.add(sum, call.slice(call.input(kPositions), 0, 0, call.length(words, 1)));
  }
  if (call.has(kSegments) && call.has(kSegmentRows))
    sum = call.add(sum, call.gather(call.input(kSegmentRows), call.input(kSegments), 0));
  const TensorId y =
      layer_norm(call, sum, call.input(kScale), call.input(kBias), call.attributes.real("epsilon", 1e-12f));
  if (!call.wants(1)) return {y, y, sum};
  const int64_t batch = call.length(words, 0);
  const TensorId lengths = call.has(kMask) ? call.sum(call.cast(call.input(kMask), DType::i32), {1}, false)
                                           : call.filled(DType::i32, {batch}, 0);
  return {y, lengths, sum};
}

// Expands to one factor per channel; before opset 21 there is one per group.
TensorId for_channels(Call& call, TensorId term, int64_t channels) {
  const int64_t given = call.length(term, 0);
  if (given == channels) return term;
  if (given < 1 || channels % given != 0)
    fail(damaged("The number of channels is not a multiple of the number of groups."));
  return call.reshape(
      call.broadcast(call.reshape(term, {given, 1}), {given, channels / std::max<int64_t>(given, 1)}),
      {channels});
}

TensorId group_norm(Call& call, TensorId x, TensorId scale, TensorId bias, int64_t groups, float epsilon) {
  const int64_t channels = call.length(x, 1);
  return call.emit(Op::group_norm,
                   {x, for_channels(call, scale, channels), for_channels(call, bias, channels)},
                   {{Attr::group, groups}, {Attr::epsilon, epsilon}});
}

Ids group_normalization(Call& call) {
  TensorId x = call.input(0);
  const TensorId scale = call.input(1), bias = call.input(2);
  const bool is_matrix = call.rank(x) == 2;
  if (call.rank(x) < 2) fail(damaged("The rank (", call.rank(x), ") is below 2."));
  if (is_matrix) x = call.unsqueeze(x, {2});
  const TensorId y = group_norm(call, x, scale, bias, call.attributes.count("num_groups", 0),
                                call.attributes.real("epsilon", 1e-5f));
  return {is_matrix ? call.squeeze(y, {2}) : y};
}

// ONNX Runtime's variant is channels-last and may have an activation.
Ids group_norm_of_runtime(Call& call) {
  const bool last = call.attributes.flag("channels_last", true);
  TensorId x = call.input(0);
  const TensorId scale = call.input(1), bias = call.input(2);
  if (last) x = call.transpose(x, {0, 3, 1, 2});
  TensorId y = group_norm(call, x, scale, bias, call.attributes.count("groups", 0),
                          call.attributes.real("epsilon", 1e-5f));
  if (call.attributes.integer("activation", 0) == 1) y = call.emit(Op::swish, {y});
  return {last ? call.transpose(y, {0, 2, 3, 1}) : y};
}

Ids mean_variance_normalization(Call& call) {
  const TensorId x = call.input(0);
  List<int64_t> axes = call.attributes.integers("axes");
  if (!call.attributes.has("axes")) axes = {0, 2, 3};
  axes = call.axes(axes, call.rank(x));
  const TensorId difference = call.sub(x, call.mean(x, axes));
  const TensorId deviation = call.sqrt(call.mean(call.square(difference), axes));
  return {call.div(difference, call.add(deviation, 1e-9))};
}

}  // namespace

std::vector<Row> skip_norm_rows() {
  return {
      runtime_row("EmbedLayerNormalization", embed_layer_norm),
      runtime_row("GroupNorm", group_norm_of_runtime),
      {"GroupNormalization", group_normalization},
      {"MeanVarianceNormalization", mean_variance_normalization},
      {"RMSNormalization", rms_normalization},
      {"SimplifiedLayerNormalization", rms_normalization},
      runtime_row("SimplifiedLayerNormalization", rms_normalization),
      runtime_row("SkipLayerNormalization", skip_layer_norm),
      runtime_row("SkipSimplifiedLayerNormalization", skip_rms_norm),
  };
}

}  // namespace nnrt::import::onnx
