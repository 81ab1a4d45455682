// GridSample, RoiAlign and Col2Im.
#include "tools/import/onnx/operators/onnx_spatial.h"

#include <map>

namespace nnrt::import::onnx {
namespace {

int8_t choice(std::string_view what, const std::string& name, const std::map<std::string, int8_t>& choices) {
  const auto found = choices.find(name);
  if (found != choices.end()) return found->second;
  fail(unsupported(what, " (", name, ") is not supported."));
}

Ids grid_sample(Call& call) {
  const TensorId x = call.input(0);
  const TensorId grid = call.cast(call.input(1), call.dtype(x));
  const int8_t mode = choice("Sampling mode", call.attributes.text("mode", "linear"),
                             {{"linear", int8_t{0}},
                              {"bilinear", int8_t{0}},
                              {"nearest", int8_t{1}},
                              {"cubic", int8_t{2}},
                              {"bicubic", int8_t{2}}});
  const int8_t padding = choice("Padding mode", call.attributes.text("padding_mode", "zeros"),
                                {{"zeros", int8_t{0}}, {"border", int8_t{1}}, {"reflection", int8_t{2}}});
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
      choice("Coordinate mode", coordinates, {{"output_half_pixel", int8_t{0}}, {"half_pixel", int8_t{1}}});
  const int8_t mode =
      choice("Pooling mode", attributes.text("mode", "avg"), {{"avg", int8_t{0}}, {"max", int8_t{1}}});
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
