// Reshaping, slicing, joining and indexing.
#include "core/schema/data_movement/copy_regions.h"
#include "core/schema/data_movement/data_movement.h"
#include "tools/import/onnx/writer/onnx_node_writer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

void write_reshape(NodeWriter& node) { node.write("Reshape", {node.in(0), node.as_int64(1, true)}); }

// A listed dimension that is not 1 stays.
void write_squeeze(NodeWriter& node) {
  const nnrt::Shape shape = node.shape();
  Integers axes;
  if (node.has(Attr::axis)) {
    for (const int64_t axis : node.attribute(Attr::axis).integers)
      if (shape[static_cast<size_t>(node.axis(axis))] == 1) axes.push_back(node.axis(axis));
  } else {
    for (size_t d = 0; d < shape.size(); ++d)
      if (shape[d] == 1) axes.push_back(static_cast<int64_t>(d));
  }
  if (axes.empty()) return node.write("Identity", {node.in(0)});
  node.write("Squeeze", {node.in(0), node.vector(axes)});
}

void write_unsqueeze(NodeWriter& node) {
  node.write("Unsqueeze", {node.in(0), node.vector(node.attribute(Attr::axis).integers)});
}

void write_expand_dims(NodeWriter& node) { node.write("Unsqueeze", {node.in(0), node.as_int64(1, true)}); }

void write_transpose(NodeWriter& node) {
  node.write("Transpose", {node.in(0)}, {{"perm", node.integers(1)}});
}

void write_stack(NodeWriter& node) {
  const auto rank = static_cast<int64_t>(node.output_shape().size());
  int64_t axis = node.integer(Attr::axis);
  if (axis < 0) axis += rank;
  Names parts;
  for (const std::string& input : node.all_inputs())
    parts.push_back(node.derive("Unsqueeze", {input, node.vector({axis})}));
  node.write_to(0, "Concat", parts, {{"axis", axis}});
}

// The lengths of the results along the axis.
void write_split(NodeWriter& node) {
  node.use(Attr::output_num);
  node.use(Attr::size_splits);
  const int64_t axis = node.axis(node.integer(Attr::axis));
  Integers lengths;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    lengths.push_back(node.output_shape(i)[static_cast<size_t>(axis)]);
    if (lengths[i] < 0) node.refuse("parts of unknown length");
  }
  node.write_nodes("Split", {node.in(0), node.vector(lengths)}, node.outputs, {{"axis", axis}});
}

void write_unstack(NodeWriter& node) {
  const int64_t axis = node.axis(node.integer(Attr::axis));
  Names parts;
  for (size_t i = 0; i < node.outputs.size(); ++i) parts.push_back(node.temporary());
  node.write_nodes("Split", {node.in(0), node.vector(Integers(parts.size(), 1))}, parts, {{"axis", axis}});
  for (size_t i = 0; i < parts.size(); ++i) node.write_to(i, "Squeeze", {parts[i], node.vector({axis})});
}

Integers all_axes(size_t rank) {
  Integers axes(rank);
  std::iota(axes.begin(), axes.end(), int64_t{0});
  return axes;
}

// SLICE and CROP: the dimensions of which a part is taken.
void write_slice(NodeWriter& node) {
  for (const Attr attr : {Attr::axes, Attr::axis, Attr::offset}) node.use(attr);
  if (!node.known_integers(1) || (node.op() == Op::slice && !node.known_integers(2)))
    node.refuse("a computed begin or size");
  const auto slice = required(data_movement::slice(node.view()));
  Integers starts, ends, axes;
  for (size_t d = 0; d < slice.count.size(); ++d) {
    if (slice.begin[d] == 0 && slice.count[d] == slice.input[d]) continue;
    starts.push_back(slice.begin[d]);
    ends.push_back(slice.count[d] < 0 ? kEnd : slice.begin[d] + slice.count[d]);
    axes.push_back(static_cast<int64_t>(d));
  }
  if (axes.empty()) return node.write("Identity", {node.in(0)});
  node.write("Slice", {node.in(0), node.vector(starts), node.vector(ends), node.vector(axes)});
}

constexpr Attr kMasks[] = {Attr::begin_mask, Attr::end_mask, Attr::ellipsis_mask, Attr::new_axis_mask,
                           Attr::shrink_axis_mask};

// What an entry of a strided slice does. An ellipsis takes a dimension from its begin to its end.
struct SliceEntry {
  bool is_new, shrinks, from_begin, to_end;
};

SliceEntry slice_entry(NodeWriter& node, size_t i) {
  const auto bit = [&](Attr attr) { return node.has(attr) && (node.integer(attr) >> i & 1) != 0; };
  const bool is_new = bit(Attr::new_axis_mask), is_ellipsis = bit(Attr::ellipsis_mask);
  return {is_new, bit(Attr::shrink_axis_mask) && !is_ellipsis, bit(Attr::begin_mask) || is_ellipsis,
          bit(Attr::end_mask) || is_ellipsis};
}

void write_strided_slice(NodeWriter& node) {
  const auto begin = node.known_integers(1), end = node.known_integers(2);
  const Integers strides = node.integers(3);
  const auto is_masked = [&](Attr attr) { return node.has(attr) && node.integer(attr) != 0; };
  if ((!begin || !end) && std::ranges::none_of(kMasks, is_masked))
    return node.write("Slice", {node.in(0), node.as_int64(1, true), node.as_int64(2, true),
                                node.vector(all_axes(strides.size())), node.vector(strides)});
  Integers starts, ends, axes, steps, shrunk, added;
  int64_t axis = 0, result = 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    const SliceEntry entry = slice_entry(node, i);
    if (entry.is_new) {
      added.push_back(result++);
      continue;
    }
    const bool is_down = strides[i] < 0;
    if (entry.shrinks || !entry.from_begin || !entry.to_end || strides[i] != 1) {
      const bool knows_begin = begin || (entry.from_begin && !entry.shrinks);
      if (!knows_begin || (!end && !entry.to_end && !entry.shrinks)) node.refuse("a computed begin or end");
      if (entry.shrinks) {
        starts.push_back((*begin)[i]);
        ends.push_back((*begin)[i] == -1 ? kEnd : (*begin)[i] + 1);
        shrunk.push_back(axis);
      } else {
        starts.push_back(entry.from_begin ? (is_down ? kEnd : 0) : (*begin)[i]);
        ends.push_back(entry.to_end ? (is_down ? -kEnd : kEnd) : (*end)[i]);
      }
      axes.push_back(axis);
      steps.push_back(entry.shrinks ? 1 : strides[i]);
    }
    if (!entry.shrinks) ++result;
    ++axis;
  }
  std::string value = node.in(0);
  if (!axes.empty())
    value = node.derive(
        "Slice", {value, node.vector(starts), node.vector(ends), node.vector(axes), node.vector(steps)});
  if (!shrunk.empty()) value = node.derive("Squeeze", {value, node.vector(shrunk)});
  if (!added.empty()) value = node.derive("Unsqueeze", {value, node.vector(added)});
  node.write_to(0, "Identity", {value});
}

void write_tile(NodeWriter& node) {
  if (!node.has(Attr::dims) && node.view().shape(1) == nnrt::Shape{static_cast<int64_t>(node.rank())})
    return node.write("Tile", {node.in(0), node.as_int64(1)});
  Integers multiples = node.integers(1);
  if (!node.has(Attr::dims)) {
    Integers shape(multiples.size() - node.rank(), 1);
    for (size_t i = 0; i < node.rank(); ++i) shape.push_back(node.shape()[i]);
    if (std::ranges::count(shape, int64_t{-1}) > 1) node.refuse("a result of unknown shape");
    return node.write("Tile",
                      {node.derive("Reshape", {node.in(0), node.vector(shape)}), node.vector(multiples)});
  }
  Integers ordered(node.rank(), 1);
  for (size_t i = 0; i < multiples.size(); ++i)
    ordered[static_cast<size_t>(node.axis(node.attribute(Attr::dims).integers[i]))] = multiples[i];
  node.write("Tile", {node.in(0), node.vector(ordered)});
}

// -1 keeps the dimension.
void write_broadcast_to(NodeWriter& node) {
  Integers shape = node.attribute(Attr::shape).integers;
  std::ranges::replace(shape, -1, 1);
  node.write("Expand", {node.in(0), node.vector(shape)});
}

std::string pad_value(NodeWriter& node, double value) {
  if (!node.is_quantized()) {
    if (node.dtype() == DType::f16) return node.scalar(value, DType::f16);
    return node.file().constant(node.outputs[0] + "_number", node.dtype(), {}, fill_element(node.view()));
  }
  // Exact in the codes of the result.
  const Quant& quant = node.view().output(0).quant;
  const auto code = static_cast<int8_t>(fill_element(node.view())[0]);
  return node.scalar(static_cast<double>(quant.scales[0]) * (code - quant.zero_points[0]), DType::f32);
}

void write_pad(NodeWriter& node) {
  constexpr const char* kModes[] = {"constant", "reflect"};
  const Integers pairs = node.integers(1), order = order_of(node.layout(), node.rank());
  const int64_t mode = node.has(Attr::padding_mode) ? node.integer(Attr::padding_mode) : 0;
  if (mode > 1) node.refuse("a symmetric mode");
  Integers pads;
  for (const size_t side : {0, 1})
    for (const int64_t d : order) pads.push_back(pairs[2 * static_cast<size_t>(d) + side]);
  Names inputs{node.in(0), node.vector(pads)};
  const double value = node.has(Attr::constant_value) ? node.real(Attr::constant_value) : 0;
  if (value != 0) inputs.push_back(pad_value(node, value));
  std::string name = node.op() == Op::pad ? kModes[mode] : node.op() == Op::pad_edge ? "edge" : "wrap";
  node.write("Pad", inputs, {{"mode", std::move(name)}}, node.op() == Op::pad_wrap ? 19 : 18);
}

void write_depth_to_space(NodeWriter& node) {
  const bool is_crd = node.has(Attr::mode) && node.integer(Attr::mode) != 0;
  node.write("DepthToSpace", {node.in(0)},
             {{"blocksize", node.integer(Attr::block)}, {"mode", std::string(is_crd ? "CRD" : "DCR")}});
}

void write_gather(NodeWriter& node) {
  node.write("Gather", {node.in(0), node.in(1)}, {{"axis", node.axis(node.integers(2).at(0))}});
}

void write_gather_nd(NodeWriter& node) {
  const nnrt::Shape& shape = node.view().shape(0);
  const int64_t indexed = node.view().shape(1).back();
  if (indexed < 1 || std::count(shape.begin(), shape.begin() + indexed, int64_t{-1}) > 0)
    node.refuse("unknown dimensions to index");
  node.write("GatherND", {node.in(0), node.as_int64(1)});
}

Attribute reduction(NodeWriter& node) {
  constexpr const char* kReductions[] = {"none", "add", "mul", "min", "max"};
  return {"reduction",
          std::string(kReductions[node.has(Attr::reduction) ? node.integer(Attr::reduction) : 0])};
}

void write_scatter_update(NodeWriter& node) {
  const bool is_nd = node.op() == Op::scatter_nd_update;
  node.write(node.row().type, {node.in(0), is_nd ? node.as_int64(1) : node.in(1), node.in(2)},
             {reduction(node)});
}

void write_scatter_nd(NodeWriter& node) {
  const std::string zeros = node.derive(
      "Expand", {node.scalar(0, node.is_quantized(1) ? DType::f32 : node.dtype(1)), node.as_int64(2, true)});
  node.write("ScatterND", {zeros, node.as_int64(0), node.in(1)});
}

// Negative indices count from the end in ONNX.
void write_one_hot(NodeWriter& node) {
  const std::string given = node.as_int64(0), depth = node.as_int64(1, true);
  const std::string is_below = node.derive("Less", {given, node.scalar(0, DType::i64)});
  const std::string indices = node.derive("Where", {is_below, depth, given});
  const std::string values = node.derive("Concat",
                                         {node.derive("Reshape", {node.in(3), node.vector({1})}),
                                          node.derive("Reshape", {node.in(2), node.vector({1})})},
                                         {{"axis", int64_t{0}}});
  const int64_t axis = node.has(Attr::axis) ? node.integer(Attr::axis) : -1;
  node.write_to(0, "OneHot", {indices, depth, values}, {{"axis", axis}});
}

void write_top_k(NodeWriter& node) {
  const bool descends = !node.has(Attr::sorted) || node.flag(Attr::sorted);
  if (!descends) node.refuse("ascending results");
  const int64_t axis = node.axis(node.has(Attr::axis) ? node.integer(Attr::axis) : -1);
  const bool is_wide = node.view().output(1).dtype == DType::i64;
  const Names results{node.outputs[0], is_wide ? node.outputs[1] : node.temporary()};
  node.write_nodes("TopK", {node.in(0), node.as_int64(1, true)}, results, {{"axis", axis}});
  if (!is_wide) node.write_cast(results[1], DType::i32, 1);
}

void write_cum_sum(NodeWriter& node) {
  const int64_t axis = node.axis(node.has(Attr::axis) ? node.integer(Attr::axis) : 0);
  node.write_to(
      0, "CumSum", {node.in(0), node.scalar(static_cast<double>(axis), DType::i64)},
      {{"exclusive", int64_t{node.flag(Attr::exclusive)}}, {"reverse", int64_t{node.flag(Attr::reverse)}}});
}

void write_trilu(NodeWriter& node) {
  const int64_t diagonal = node.has(Attr::diagonal) ? node.integer(Attr::diagonal) : 0;
  const bool is_upper = !node.has(Attr::upper) || node.flag(Attr::upper);
  node.write("Trilu",
             {node.in(0), node.input_count() > 1 ? node.as_int64(1)
                                                 : node.scalar(static_cast<double>(diagonal), DType::i64)},
             {{"upper", int64_t{is_upper}}});
}

}  // namespace

std::vector<WriteRow> data_movement_write_rows() {
  return {
      {Op::reshape, "Reshape", write_reshape},
      {Op::flatten, "Flatten", write_plain, {{Attr::axis, "axis"}}},
      {Op::squeeze, "Squeeze", write_squeeze},
      {Op::unsqueeze, "Unsqueeze", write_unsqueeze},
      {Op::expand_dims, "Unsqueeze", write_expand_dims},
      {Op::transpose, "Transpose", write_transpose},
      {Op::concat, "Concat", write_plain, {{Attr::axis, "axis"}}},
      {Op::stack, "Concat", write_stack},
      {Op::split, "Split", write_split},
      {Op::unstack, "Split", write_unstack},
      {Op::slice, "Slice", write_slice},
      {Op::crop, "Slice", write_slice},
      {Op::strided_slice, "Slice", write_strided_slice},
      {Op::tile, "Tile", write_tile},
      {Op::broadcast_to, "Expand", write_broadcast_to},
      {Op::pad, "Pad", write_pad},
      {Op::pad_edge, "Pad", write_pad},
      {Op::pad_wrap, "Pad", write_pad},
      {Op::depth_to_space, "DepthToSpace", write_depth_to_space},
      {Op::space_to_depth, "SpaceToDepth", write_plain, {{Attr::block, "blocksize"}}},
      {Op::gather, "Gather", write_gather},
      {Op::gather_nd, "GatherND", write_gather_nd},
      {Op::gather_elements, "GatherElements", write_plain, {{Attr::axis, "axis"}}},
      {Op::scatter_elements, "ScatterElements", write_scatter_update, {{Attr::axis, "axis"}}},
      {Op::scatter_nd_update, "ScatterND", write_scatter_update},
      {Op::scatter_nd, "ScatterND", write_scatter_nd},
      {Op::one_hot, "OneHot", write_one_hot},
      {Op::top_k, "TopK", write_top_k},
      {Op::cum_sum, "CumSum", write_cum_sum},
      {Op::trilu, "Trilu", write_trilu},
  };
}

}  // namespace nnrt::import::onnx
