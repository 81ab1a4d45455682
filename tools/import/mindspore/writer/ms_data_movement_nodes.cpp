// Reshaping, slicing, joining and indexing.
#include "core/base/text.h"
#include "mindspore/schema/enumerations.h"
#include "tools/import/mindspore/writer/ms_nodes.h"

namespace nnrt::import::mindspore {
namespace {

using namespace nnrt::mindspore;

Status write_split(NodeWriter& writer, Primitive& primitive) {
  primitive.set("output_num", static_cast<int64_t>(writer.outputs.size()));
  return {};
}

Status write_depth_to_space(NodeWriter& writer, Primitive& primitive) {
  primitive.set("mode", std::string(writer.attrs().integer(Attr::mode) == 0 ? "DCR" : "CRD"));
  primitive.set("format", int64_t{kNhwc});
  return {};
}

// Indices, updates, shape as shape, indices, updates.
Status write_scatter(NodeWriter& writer, Primitive&) {
  writer.inputs = {writer.inputs[2], writer.inputs[0], writer.inputs[1]};
  return {};
}

// Indices, values, shape as indices, shape, values and the value of all other elements.
Status write_sparse(NodeWriter& writer, Primitive&) {
  const DType dtype = writer.input(1).dtype;
  const uint32_t zero = writer.add_constant(dtype, {}, Bytes(size_of(dtype)));
  writer.inputs = {writer.inputs[0], writer.inputs[2], writer.inputs[1], zero};
  return {};
}

Status write_gather(NodeWriter& writer, Primitive&) {
  return writer.integers(2) ? Status() : unsupported("The axis of GATHER is not constant.");
}

// MindSpore's Crop reads the shape of a reference.
Status write_crop(NodeWriter& writer, Primitive& primitive) {
  const auto size = writer.integers(1);
  if (!size) return unsupported("The shape of CROP is not constant.");
  const Attrs& attrs = writer.attrs();
  const auto rank = static_cast<int64_t>(size->size());
  const int64_t axis =
      attrs.integer(Attr::axis) < 0 ? attrs.integer(Attr::axis) + rank : attrs.integer(Attr::axis);
  const auto offsets = attrs.has(Attr::offset) ? attrs.integers(Attr::offset) : std::span<const int64_t>();
  Integers begin(size->size()), lengths = *size, axes;
  for (int64_t d = 0; d < rank; ++d) {
    axes.push_back(d);
    const auto i = static_cast<size_t>(d - axis), at = static_cast<size_t>(d);
    if (d < axis) {
      lengths[at] = -1;
    } else if (!offsets.empty()) {
      begin[at] = offsets[offsets.size() == 1 ? 0 : i];
    }
  }
  primitive.set("axes", axes);
  writer.inputs = {writer.inputs[0], writer.add_integers(begin), writer.add_integers(lengths)};
  return {};
}

Status write_axis_input(NodeWriter& writer, Primitive&) {
  writer.inputs.insert(writer.inputs.begin() + 1, writer.add_integers({writer.attrs().integer(Attr::axis)}));
  return {};
}

}  // namespace

std::vector<WriteRow> data_movement_write_rows() {
  using enum PrimitiveType;
  return {
      {Op::reshape, reshape},
      {Op::flatten, flatten, {{Attr::axis, "axis"}}},
      {Op::squeeze, squeeze, {{Attr::axis, "axis"}}},
      {Op::unsqueeze, unsqueeze, {{Attr::axis, "axis"}}},
      {Op::expand_dims, expand_dims},
      {Op::transpose, transpose},
      {Op::concat, concat, {{Attr::axis, "axis"}}},
      {Op::stack, stack, {{Attr::axis, "axis"}}},
      {Op::unstack, unstack, {{Attr::axis, "axis"}}},
      {Op::split, split, {{Attr::axis, "axis"}, {Attr::size_splits, "size_splits"}}, {}, write_split},
      {Op::slice, slice_fusion, {{Attr::axes, "axes"}}},
      {Op::strided_slice,
       strided_slice,
       {{Attr::begin_mask, "begin_mask"},
        {Attr::end_mask, "end_mask"},
        {Attr::ellipsis_mask, "ellipsis_mask"},
        {Attr::new_axis_mask, "new_axis_mask"},
        {Attr::shrink_axis_mask, "shrink_axis_mask"}}},
      {Op::crop, slice_fusion, {}, {}, write_crop},
      {Op::tile, tile_fusion, {{Attr::dims, "dims"}}},
      {Op::broadcast_to, broadcast_to, {{Attr::shape, "shape"}}},
      {Op::pad, pad_fusion, {{Attr::padding_mode, "padding_mode"}, {Attr::constant_value, "constant_value"}}},
      {Op::batch_to_space_nd, batch_to_space_nd, {{Attr::block, "block_shape"}, {Attr::crops, "crops"}}},
      {Op::space_to_batch_nd,
       space_to_batch_nd,
       {{Attr::block, "block_shape"}, {Attr::paddings, "paddings"}}},
      {Op::depth_to_space, depth_to_space, {{Attr::block, "block_size"}}, {}, write_depth_to_space},
      {Op::space_to_depth, space_to_depth, {{Attr::block, "block_size"}}, {{"format", kNhwc}}},
      {Op::gather, gather, {}, {}, write_gather},
      {Op::gather_nd, gather_nd},
      {Op::scatter_nd, scatter_nd, {}, {}, write_scatter},
      {Op::sparse_to_dense, sparse_to_dense, {}, {}, write_sparse},
      {Op::gather_elements, gather_d, {}, {}, write_axis_input},
      {Op::cum_sum,
       cum_sum,
       {{Attr::exclusive, "exclusive"}, {Attr::reverse, "reverse"}},
       {},
       write_axis_input},
  };
}

}  // namespace nnrt::import::mindspore
