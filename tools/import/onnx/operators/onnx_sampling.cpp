// GridSample, RoiAlign and Col2Im.
#include "tools/import/onnx/operators/onnx_operands.h"
#include "tools/import/onnx/operators/onnx_spatial.h"

namespace nnrt::import::onnx {
namespace {

Ids grid_sample(Call& call) {
  const TensorId x = call.input(0);
  const TensorId grid = call.cast(call.input(1), call.dtype(x));
  const int8_t mode =
      choice<int8_t>("Sampling mode", call.attributes.text("mode", "linear"),
                     {{"linear", 0}, {"bilinear", 0}, {"nearest", 1}, {"cubic", 2}, {"bicubic", 2}});
  const int8_t padding = choice<int8_t>("Padding mode", call.attributes.text("padding_mode", "zeros"),
                                        {{"zeros", 0}, {"border", 1}, {"reflection", 2}});
  return {call.emit(Op::grid_sample, {x, grid},
                    {{Attr::mode, mode},
                     {Attr::padding_mode, padding},
                     {Attr::align_corners, call.attributes.flag("align_corners")}})};
}

Ids roi_align(Call& call) {
  const TensorId x = call.input(0), regions = call.input(1), batch_indices = call.input(2);
  const Attributes& attributes = call.attributes;
  const std::string coordinates = attributes.text("coordinate_transformation_mode",
                                                  call.opset() < 16 ? "output_half_pixel" : "half_pixel");
  const int8_t half_pixel =
      choice<int8_t>("Coordinate mode", coordinates, {{"output_half_pixel", 0}, {"half_pixel", 1}});
  const int8_t mode =
      choice<int8_t>("Pooling mode", attributes.text("mode", "avg"), {{"avg", 0}, {"max", 1}});
  return {call.emit(Op::roi_align, {x, regions, batch_indices},
                    {{Attr::new_height, attributes.integer("output_height", 1)},
                     {Attr::new_width, attributes.integer("output_width", 1)},
                     {Attr::sampling_ratio, attributes.integer("sampling_ratio", 0)},
                     {Attr::spatial_scale, attributes.real("spatial_scale", 1)},
                     {Attr::mode, mode},
                     {Attr::half_pixel, half_pixel != 0}})};
}

Ids col2im(Call& call) {
  const TensorId x = call.input(0), size = call.plain_input(1);
  const List<int64_t> block = call.integers(2);
  const List<int64_t> strides = read_list(call, "strides", block.size(), 1);
  const List<int64_t> dilations = read_list(call, "dilations", block.size(), 1);
  const List<int64_t> pads = read_list(call, "pads", 2 * block.size(), 0);
  const Dims unknown(2 + block.size(), kUnknown);
  return {call.emit(
      Op::col2im, {x, size},
      {{Attr::block, block}, {Attr::stride, strides}, {Attr::dilation, dilations}, {Attr::pad, paired(pads)}},
      {.shape = unknown})};
}

}  // namespace

std::vector<Row> sampling_rows() {
  return {
      {"Col2Im", col2im},
      {"GridSample", grid_sample},
      {"RoiAlign", roi_align},
  };
}

}  // namespace nnrt::import::onnx
