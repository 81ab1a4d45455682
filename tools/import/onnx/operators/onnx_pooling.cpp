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

// Flat positions of the kernel taps for every output cell, row by row; taps on padding use the first valid
// tap's position. `result` numbers positions in the node's storage order.
struct TapPlaces {
  int64_t outputs = 1, taps = 1;
  Dims out;
  List<double> gathered, result;
};

class TapWalk {
 public:
  TapWalk(const Dims& shape, const SpatialParams& params, const Dims& out, bool column_major)
      : in_(shape.from(2)), params_(params), column_major_(column_major) {
    places_.out = out.from(2);
    places_.outputs = product(out, 2, out.size());
    for (const int64_t length : params.kernel) places_.taps *= length;
  }

  TapPlaces take() {
    for (int64_t cell = 0; cell < places_.outputs; ++cell) add_cell(cell);
    return std::move(places_);
  }

 private:
  // Splits flat index `at` into one index per dimension.
  static List<int64_t> unravel(int64_t at, const List<int64_t>& lengths) {
    List<int64_t> index(lengths.size());
    for (size_t d = lengths.size(); d-- > 0; at /= lengths[d]) index[d] = at % lengths[d];
    return index;
  }
  // Empty for a cell in the padding.
  std::optional<List<int64_t>> cell_of(const List<int64_t>& output, int64_t tap) const {
    List<int64_t> cell = unravel(tap, params_.kernel);
    for (size_t d = 0; d < in_.size(); ++d) {
      cell[d] = output[d] * params_.stride[d] - params_.pads[2 * d] + cell[d] * params_.dilation[d];
      if (cell[d] < 0 || cell[d] >= in_[d]) return {};
    }
    return cell;
  }
  double place_of(const List<int64_t>& cell, bool column_major) const {
    int64_t place = 0;
    for (size_t i = 0; i < in_.size(); ++i) {
      const size_t d = column_major ? in_.size() - 1 - i : i;
      place = place * in_[d] + cell[d];
    }
    return static_cast<double>(place);
  }
  void add_cell(int64_t position) {
    const List<int64_t> output = unravel(position, places_.out);
    List<std::optional<List<int64_t>>> cells;
    for (int64_t tap = 0; tap < places_.taps; ++tap) cells.push_back(cell_of(output, tap));
    const auto first = std::ranges::find_if(cells, [](const auto& cell) { return cell.has_value(); });
    const List<int64_t> within = first == cells.end() ? List<int64_t>(in_.size(), 0) : **first;
    for (const auto& cell : cells) {
      places_.gathered.push_back(place_of(cell.value_or(within), false));
      places_.result.push_back(place_of(cell.value_or(within), column_major_));
    }
  }

  List<int64_t> in_;
  const SpatialParams& params_;
  bool column_major_;
  TapPlaces places_;
};

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
  required(call.emitter().budget().take(static_cast<size_t>(total) * 4 * sizeof(double)));
  const bool column_major = call.attributes.flag("storage_order");
  const TapPlaces places = TapWalk(shape, params, out, column_major).take();
  const int64_t planes = shape[0] * shape[1], plane = product(shape, 2, shape.size());
  const int64_t outputs = places.outputs, taps = places.taps;
  const TensorId table = call.constant(DType::i64, {outputs * taps}, places.gathered);
  const TensorId gathered =
      call.reshape(call.gather(call.reshape(x, {planes, plane}), table, 1), {planes, outputs, taps});
  const TensorId largest = call.emit(Op::arg_max, {gathered}, {{Attr::axis, 2}}, {.dtypes = {DType::i64}});
  const TensorId starts = call.indices(DType::i64, {1, outputs}, [&](int64_t i) { return i * taps; });
  const TensorId results = call.constant(DType::i64, {outputs * taps}, places.result);
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

}  // namespace

std::vector<Row> pool_rows() {
  return {
      {"AveragePool", pool, Op::avg_pool, 1, true},
      {"GlobalAveragePool", global_pool, Op::avg_pool, 1},
      {"GlobalLpPool", lp_pool},
      {"GlobalMaxPool", global_pool, Op::max_pool, 1},
      {"LpPool", lp_pool},
      {"MaxPool", pool, Op::max_pool, 1, true},
  };
}

}  // namespace nnrt::import::onnx
