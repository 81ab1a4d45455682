// Pooling.
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/operators/onnx_spatial.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

// Returns whether OpenHarmony's pools lack a requested feature.
bool wants_pool_nd(Call& call, int64_t rank) {
  const Attributes& attributes = call.attributes;
  if (rank == 5) return true;
  if (std::ranges::any_of(attributes.integers("dilations"), [](int64_t dilation) { return dilation != 1; }))
    return true;
  if (!attributes.flag("count_include_pad")) return false;
  const bool is_same = attributes.text("auto_pad", "NOTSET").starts_with("SAME");
  return is_same || attributes.flag("ceil_mode");
}

TensorId pool_nd(Call& call, TensorId x) {
  const SpatialParams params = read_spatial(call, call.shape(x));
  Settings settings{{Attr::kernel, params.kernel},
                    {Attr::stride, params.stride},
                    {Attr::pad, params.pads},
                    {Attr::dilation, params.dilation},
                    {Attr::round_mode, call.attributes.flag("ceil_mode")}};
  if (call.row().operation == Op::max_pool) return call.emit(Op::max_pool_nd, {x}, settings);
  settings.push_back({Attr::count_padding, call.attributes.flag("count_include_pad")});
  return call.emit(Op::avg_pool_nd, {x}, settings);
}

// The position within a plane of each kernel tap for every output cell, row by row, or column by column in
// the node's storage order. Taps on padding have that of the cell's first tap on the image.
TensorId tap_places(Call& call, const SpatialParams& params, const List<int64_t>& in,
                    const List<int64_t>& out, bool column_major) {
  const int64_t taps = product(params.kernel, 0, params.kernel.size()), cells = product(out, 0, out.size());
  List<int64_t> place(in.size()), first(in.size());
  return call.indices(DType::i64, {cells * taps}, [&](int64_t i) {
    int64_t cell = i / taps, tap = i % taps;
    bool is_on_image = true, has_image = true;
    for (size_t d = in.size(); d-- > 0; cell /= out[d], tap /= params.kernel[d]) {
      const int64_t begin = cell % out[d] * params.stride[d] - params.pads[2 * d], step = params.dilation[d];
      place[d] = begin + tap % params.kernel[d] * step;
      first[d] = begin < 0 ? begin + (-begin + step - 1) / step * step : begin;
      is_on_image = is_on_image && place[d] >= 0 && place[d] < in[d];
      has_image = has_image && first[d] < in[d] && first[d] < begin + params.kernel[d] * step;
    }
    if (!is_on_image && has_image) place = first;
    if (!has_image) place.assign(in.size(), 0);
    int64_t flat = 0;
    for (size_t k = 0; k < in.size(); ++k) {
      const size_t d = column_major ? in.size() - 1 - k : k;
      flat = flat * in[d] + place[d];
    }
    return flat;
  });
}

// Flat indices of the maxima `y` in the entire tensor; the first of equal elements.
TensorId pool_indices(Call& call, TensorId x, TensorId y) {
  const Dims shape = call.shape(x), out = call.shape(y);
  if (!is_static(shape))
    fail(unsupported("Indices of maxima in a tensor of shape ", to_string(shape), " are not supported."));
  const SpatialParams params = read_spatial(call, shape);
  constexpr double kMaxPlaces = 1 << 26;
  double total = static_cast<double>(product(out, 2, out.size()));
  for (const int64_t length : params.kernel) total *= static_cast<double>(length);
  if (total > kMaxPlaces) fail(unsupported("Indices of maxima of ", total, " cells are not supported."));
  const List<int64_t> in = shape.from(2), cells = out.from(2);
  const int64_t planes = shape[0] * shape[1], plane = product(shape, 2, shape.size());
  const int64_t outputs = product(out, 2, out.size()), taps = product(params.kernel, 0, params.kernel.size());
  const TensorId table = tap_places(call, params, in, cells, false);
  const TensorId gathered =
      call.reshape(call.gather(call.reshape(x, {planes, plane}), table, 1), {planes, outputs, taps});
  const TensorId largest = call.emit(Op::arg_max, {gathered}, {{Attr::axis, 2}}, {.dtypes = {DType::i64}});
  const TensorId starts = call.indices(DType::i64, {1, outputs}, [&](int64_t i) { return i * taps; });
  const TensorId results = tap_places(call, params, in, cells, call.attributes.flag("storage_order"));
  const TensorId within = call.gather(results, call.add(largest, starts), 0);
  const TensorId planes_begin = call.indices(DType::i64, {planes, 1}, [&](int64_t i) { return i * plane; });
  return call.reshape(call.add(within, planes_begin), out);
}

// Explicit zero padding, so that it counts.
TensorId padded(Call& call, TensorId x, SpatialParams& spatial) {
  List<int64_t> pads{0, 0, 0, 0};
  pads.insert(pads.end(), spatial.pads.begin(), spatial.pads.end());
  spatial.pads.assign(4, 0);
  return call.padded(x, pads);
}

TensorId pooled(Call& call, TensorId input) {
  const int64_t rank = call.rank(input);
  if (wants_pool_nd(call, rank)) return pool_nd(call, input);
  TensorId x = as_image(call, input);
  SpatialParams spatial = as_image(read_spatial(call, call.shape(input), {}, Same::mode));
  const bool ceil = call.attributes.flag("ceil_mode");
  if (call.attributes.flag("count_include_pad") && spatial.is_padded()) x = padded(call, x, spatial);
  const TensorId y = call.emit(call.row().operation, {x},
                               {{Attr::kernel, spatial.kernel},
                                {Attr::stride, spatial.stride},
                                spatial.padding(),
                                {Attr::round_mode, ceil},
                                call.take_activation()});
  return from_image(call, y, rank);
}

Ids pool(Call& call) {
  const TensorId x = call.input(0), y = pooled(call, x);
  if (!call.wants(1)) return {y};
  return {y, pool_indices(call, x, y)};
}

Ids global_pool(Call& call) {
  const TensorId x = call.input(0);
  if (call.rank(x) == 4) return {call.emit(call.row().operation, {x}, {{Attr::global, true}})};
  if (call.rank(x) < 3) fail(damaged("The rank (", call.rank(x), ") is below 3."));
  const List<int64_t> axes = axes_between(2, call.rank(x));
  const bool mean = call.row().operation == Op::avg_pool;
  return {mean ? call.mean(x, axes) : call.largest(x, axes)};
}

// Extends the padding to the end of windows that ceil_mode lets begin in the image but end behind the
// padding.
void pad_to_last_window(SpatialParams& params, const Dims& shape) {
  for (size_t i = 0; i < params.kernel.size(); ++i) {
    const int64_t in = shape[2 + i], stride = params.stride[i], before = params.pads[2 * i];
    if (in == kUnknown) fail(unsupported("Rounding up a dimension that is not known is not supported."));
    const int64_t reach = (params.kernel[i] - 1) * params.dilation[i] + 1;
    const int64_t rest = std::max<int64_t>(in + before + params.pads[2 * i + 1] - reach, 0);
    int64_t last = (rest + stride - 1) / stride * stride;
    if (last >= in + before) last -= stride;
    params.pads[2 * i + 1] = std::max(params.pads[2 * i + 1], last + reach - in - before);
  }
}

// Averages that count the padding, times the number of taps.
TensorId window_sums(Call& call, TensorId x) {
  SpatialParams params = read_spatial(call, call.shape(x));
  if (call.attributes.flag("ceil_mode")) pad_to_last_window(params, call.shape(x));
  const double taps = std::accumulate(params.kernel.begin(), params.kernel.end(), 1.0, std::multiplies<>());
  const TensorId mean = call.emit(Op::avg_pool_nd, {x},
                                  {{Attr::kernel, params.kernel},
                                   {Attr::stride, params.stride},
                                   {Attr::pad, params.pads},
                                   {Attr::dilation, params.dilation},
                                   {Attr::count_padding, true}});
  return call.mul(mean, taps);
}

// (sum |x|^p)^(1/p) over windows, or over all dimensions after the channels.
Ids lp_pool(Call& call) {
  const int64_t power = call.attributes.integer("p", 2);
  if (power < 1) fail(damaged("The norm (", power, ") is below 1."));
  const auto raised = [&](TensorId id, double exponent) {
    if (exponent == 1) return id;
    if (exponent == 2) return call.square(id);
    if (exponent == 0.5) return call.sqrt(id);
    return call.emit(Op::pow, {id, call.number(id, exponent)});
  };
  const TensorId terms = raised(call.abs(call.input(0)), static_cast<double>(power));
  if (call.rank(terms) < 3) fail(damaged("The rank (", call.rank(terms), ") is below 3."));
  const bool is_global = call.type() == "GlobalLpPool";
  const TensorId sum =
      is_global ? call.sum(terms, axes_between(2, call.rank(terms))) : window_sums(call, terms);
  return {raised(sum, 1 / static_cast<double>(power))};
}

// Spatial size of the pool's input, without padding.
Dims pooled_shape(Call& call, const Dims& shape) {
  const SpatialParams pool = read_spatial(call, shape);
  Dims result = shape.before(2);
  for (size_t i = 0; i < pool.kernel.size(); ++i)
    result.push_back((shape[i + 2] - 1) * pool.stride[i] + pool.kernel[i] - pool.pads[2 * i] -
                     pool.pads[2 * i + 1]);
  return result;
}

// Scatters elements to their indices, into the corner of the requested shape.
Ids max_unpool(Call& call) {
  const TensorId x = call.input(0), indices = call.input(1);
  if (call.rank(x) < 3 || !is_static(call.shape(x)) || call.shape(x) != call.shape(indices))
    fail(unsupported("The shapes ", to_string(call.shape(x)), " and ", to_string(call.shape(indices)),
                     " are not supported."));
  const Dims shape = pooled_shape(call, call.shape(x));
  const std::optional<int64_t> count = nnrt::element_count(call.shape(x)), total = nnrt::element_count(shape);
  constexpr int64_t kMaxElements = int64_t{1} << 30;
  if (!count || !total || *total < 1 || *total > kMaxElements)
    fail(damaged("The size of the result is out of range."));
  const TensorId values = call.reshape(x, {*count}), places = call.reshape(indices, {*count, 1});
  const TensorId flat = call.emit(Op::scatter_nd, {places, values, call.vector({*total})});
  const TensorId y = call.reshape(flat, shape);
  if (!call.has(2)) return {y};
  const List<int64_t> target = call.integers(2);
  if (target.size() != shape.size()) fail(damaged("The result and the input have different ranks."));
  List<int64_t> pads;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (target[d] < shape[d] || target[d] > kMaxElements)
      fail(unsupported("A result smaller than ", to_string(shape), " is not supported."));
    pads.insert(pads.end(), {0, target[d] - shape[d]});
  }
  return {call.padded(y, pads)};
}

}  // namespace

std::vector<Row> pool_rows() {
  return {
      {"AveragePool", pool, Op::avg_pool, 1, true},
      {"GlobalAveragePool", global_pool, Op::avg_pool, 1},
      {"GlobalLpPool", lp_pool},
      {"GlobalMaxPool", global_pool, Op::max_pool, 1},
      {"LpPool", lp_pool},
      {"MaxPool", pool, Op::max_pool, 1, true},
      {"MaxUnpool", max_unpool},
  };
}

}  // namespace nnrt::import::onnx
