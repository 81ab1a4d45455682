// Operator parameters by role: OH_NN_REDUCE_MEAN_KEEP_DIMS and OH_NN_ALL_KEEP_DIMS are both Attr::keep_dims.
#pragma once

#include "core/base/dtype.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace nnrt {

enum class Attr : uint8_t {
  activation,
  align_corners,
  alpha,
  antialias,
  approximate,
  axes,
  axis,
  base,
  begin_mask,
  begin_norm_axis,
  begin_param_axis,
  beta,
  bias,
  bidirectional,
  bits,
  block,
  causal,
  cell_clip,
  center_point_box,
  coeff,
  constant_value,
  coordinate_mode,
  count_padding,
  crops,
  cubic_coefficient,
  data_type,
  delta,
  detections_per_class,
  diagonal,
  dilation,
  dims,
  direction,
  dropout,
  ellipsis_mask,
  empty_row,
  end_mask,
  epsilon,
  exclude_outside,
  exclusive,
  fill_byte,
  gate_scales,
  global,
  group,
  half_pixel,
  has_bias,
  hidden_scale,
  hidden_size,
  hidden_zero_point,
  input_size,
  interleaved,
  iou_threshold,
  keep_dims,
  kernel,
  last_first,
  limit,
  linear_before_reset,
  max,
  max_candidates,
  max_classes,
  max_detections,
  max_output,
  min,
  min_size,
  mode,
  nearest_mode,
  new_axis_mask,
  new_height,
  new_width,
  nms_score_threshold,
  norm_region,
  num_classes,
  num_directions,
  num_layers,
  offset,
  omitted,
  out_max_value,
  out_quantized,
  output_num,
  output_padding,
  pad,
  pad_mode,
  padding_mode,
  paddings,
  preserve_aspect_ratio,
  proj_clip,
  proj_size,
  radius,
  reduce_to_end,
  reduction,
  region,
  reverse,
  round_mode,
  samples,
  sampling_ratio,
  saturate,
  scale,
  scales,
  score_threshold,
  shape,
  shift,
  shrink_axis_mask,
  sigma,
  size_splits,
  slope,
  sorted,
  source_shifted,
  source_type,
  spatial_scale,
  start,
  strict,
  stride,
  summarize,
  target_shifted,
  target_type,
  ties_to_even,
  top_k,
  transpose_a,
  transpose_b,
  upper,
  use_axis,
  use_regular_nms,
  value,
  zero_nan,
  zoneout_cell,
  zoneout_hidden,
};

// The elements of one parameter: integers and booleans in `integers`, floating point in `floats`.
struct AttrValue {
  DType dtype = DType::unknown;
  std::vector<int64_t> integers;
  std::vector<double> floats;
  bool given = true;  // false: a default from the operator table, not set by the client

  size_t count() const { return is_float(dtype) ? floats.size() : integers.size(); }
  // Ignores `given`.
  bool operator==(const AttrValue& other) const {
    return dtype == other.dtype && integers == other.integers && floats == other.floats;
  }
};

// The parameters of a node, including defaults. Optional parameters without a default may be absent.
class Attrs {
 public:
  bool has(Attr attr) const { return values_.contains(attr); }
  void set(Attr attr, AttrValue value) { values_.insert_or_assign(attr, std::move(value)); }
  const AttrValue& at(Attr attr) const { return values_.at(attr); }

  // For attributes that are present (has() is true, or the row has a default).
  int64_t integer(Attr attr) const { return at(attr).integers.at(0); }
  bool flag(Attr attr) const { return integer(attr) != 0; }
  // Also for nodes created by passes, which have no defaults.
  bool is_set(Attr attr) const { return has(attr) && flag(attr); }
  std::span<const int64_t> integers(Attr attr) const { return at(attr).integers; }
  std::span<const double> floats(Attr attr) const { return at(attr).floats; }
  // A number of either kind.
  double real(Attr attr) const {
    const AttrValue& value = at(attr);
    return is_float(value.dtype) ? value.floats.at(0) : double(value.integers.at(0));
  }

  const std::map<Attr, AttrValue>& all() const { return values_; }
  bool operator==(const Attrs&) const = default;

 private:
  std::map<Attr, AttrValue> values_;
};

// Values of Attr::activation (R15).
enum class Activation : uint8_t { none, relu, relu6 };

}  // namespace nnrt
