// Reshaping, slicing, joining and indexing.
#include "core/base/text.h"
#include "mindspore/schema/enumerations.h"
#include "tools/import/mindspore/writer/ms_nodes.h"

#include <cmath>

namespace nnrt::import::mindspore {
namespace {

using namespace nnrt::mindspore;

void write_split(NodeWriter& writer, Primitive& primitive) {
  writer.use(Attr::output_num);
  primitive.set("output_num", static_cast<int64_t>(writer.outputs.size()));
}

void write_depth_to_space(NodeWriter& writer, Primitive& primitive) {
  primitive.set("mode", std::string(writer.integer(Attr::mode) == 0 ? "DCR" : "CRD"));
  primitive.set("format", int64_t{kNhwc});
}

// Indices, updates, shape as shape, indices, updates.
void write_scatter(NodeWriter& writer, Primitive&) {
  writer.inputs = {writer.inputs[2], writer.inputs[0], writer.inputs[1]};
}

// Indices, values, shape as indices, shape, values and the value of all other elements.
void write_sparse(NodeWriter& writer, Primitive&) {
  const DType dtype = writer.input(1).dtype;
  const uint32_t zero = writer.add_constant(dtype, {}, Bytes(size_of(dtype)));
  writer.inputs = {writer.inputs[0], writer.inputs[2], writer.inputs[1], zero};
}

// MindSpore's Crop reads the shape of a reference.
void write_crop(NodeWriter& writer, Primitive& primitive) {
  const auto size = writer.integers(1);
  if (!size) fail(unsupported("The shape of CROP is not constant."));
  const auto rank = static_cast<int64_t>(size->size());
  int64_t axis = writer.integer(Attr::axis);
  if (axis < 0) axis += rank;
  const Integers offsets = writer.list(Attr::offset);
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
}

// The value is a float. UINT64 values from 2^63 on are negative here.
void write_pad(NodeWriter& writer, Primitive&) {
  const AttrValue& value = writer.attribute(Attr::constant_value);
  const double number = writer.real(Attr::constant_value);
  constexpr double kExact = 1 << 24;
  const bool is_exact = is_float(value.dtype)
                            ? std::isnan(number) || static_cast<double>(static_cast<float>(number)) == number
                            : std::abs(number) <= kExact && (value.dtype != DType::u64 || number >= 0);
  if (!is_exact) fail(unsupported("The value of PAD is not exact in FLOAT32."));
}

void write_axis_input(NodeWriter& writer, Primitive&) {
  writer.inputs.insert(writer.inputs.begin() + 1, writer.add_integers({writer.integer(Attr::axis)}));
}

}  // namespace

std::vector<WriteRow> data_movement_write_rows() {
  using enum PrimitiveType;
  return {
      {Op::reshape, reshape},
      {Op::flatten, flatten},
      {Op::squeeze, squeeze},
      {Op::unsqueeze, unsqueeze},
      {Op::expand_dims, expand_dims},
      {Op::transpose, transpose},
      {Op::concat, concat},
      {Op::stack, stack},
      {Op::unstack, unstack},
      {Op::split, split, write_split},
      {Op::slice, slice_fusion},
      {Op::strided_slice, strided_slice},
      {Op::crop, slice_fusion, write_crop},
      {Op::tile, tile_fusion},
      {Op::broadcast_to, broadcast_to},
      {Op::pad, pad_fusion, write_pad},
      {Op::batch_to_space_nd, batch_to_space_nd},
      {Op::space_to_batch_nd, space_to_batch_nd},
      {Op::depth_to_space, depth_to_space, write_depth_to_space},
      {Op::space_to_depth, space_to_depth, nullptr, {{"format", kNhwc}}},
      {Op::gather, gather},
      {Op::gather_nd, gather_nd},
      {Op::scatter_nd, scatter_nd, write_scatter},
      {Op::sparse_to_dense, sparse_to_dense, write_sparse},
      {Op::gather_elements, gather_d, write_axis_input},
      {Op::cum_sum, cum_sum, write_axis_input},
  };
}

}  // namespace nnrt::import::mindspore
