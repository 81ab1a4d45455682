// Convolutions, pooling and resizing of the old schema, whose attributes are single numbers.
#include "mindspore/schema/enumerations.h"
#include "mindspore/v0/old_call.h"

#include <algorithm>

namespace nnrt::mindspore {
namespace {

constexpr int64_t kOldSame = 1, kOldValid = 2;

void copy_pads(OldCall& call, std::string_view list) {
  const int64_t mode = call.old.integer("padMode");
  const PadMode made = mode == kOldSame ? PadMode::same : mode == kOldValid ? PadMode::valid : PadMode::pad;
  call.made.set("pad_mode", int64_t(made));
  if (made != PadMode::pad) return;
  Integers pads;
  for (const char* side : {"padUp", "padDown", "padLeft", "padRight"}) pads.push_back(call.old.integer(side));
  call.made.set(list, pads);
}

Integers pair(const OldCall& call, std::string_view height, std::string_view width) {
  return {call.old.integer(height), call.old.integer(width)};
}

void copy_geometry(OldCall& call) {
  call.made.set("kernel_size", pair(call, "kernelH", "kernelW"));
  call.made.set("stride", pair(call, "strideH", "strideW"));
  call.made.set("dilation", pair(call, "dilateH", "dilateW"));
  copy_pads(call, "pad_list");
  call.copy({"activation_type", "activationType"});
}

Status convert_dense(OldCall& call) {
  copy_geometry(call);
  for (const RenamedField& field :
       {RenamedField{"group", "group"}, {"in_channel", "channelIn"}, {"out_channel", "channelOut"}})
    call.copy(field);
  return {};
}

}  // namespace

Status convert_old_convolution(OldCall& call) { return convert_dense(call); }
Status convert_old_transposed(OldCall& call) { return convert_dense(call); }

// The weight is [channels * multiplier, height, width, 1].
Status convert_old_depthwise(OldCall& call) {
  copy_geometry(call);
  const int64_t out = call.stored_dimension(1, 0), given = call.old.integer("channelIn");
  const int64_t in = given > 0 ? given : out / std::max<int64_t>(call.old.integer("channelMultiplier"), 1);
  call.made.set("group", in).set("in_channel", in).set("out_channel", out);
  return {};
}

Status convert_old_transposed_depthwise(OldCall& call) {
  copy_geometry(call);
  const int64_t channels = call.stored_dimension(1, 0);
  call.made.set("group", channels).set("in_channel", channels).set("out_channel", channels);
  return {};
}

Status convert_old_pooling(OldCall& call) {
  constexpr int64_t kMean = 1;
  if (call.old.integer("poolingMode") == kMean) call.made = Primitive(PrimitiveType::avg_pool_fusion);
  call.made.set("kernel_size", pair(call, "windowH", "windowW"));
  call.made.set("strides", pair(call, "strideH", "strideW"));
  copy_pads(call, "pad");
  for (const RenamedField& field :
       {RenamedField{"round_mode", "roundMode"}, {"global", "global"}, {"activation_type", "activationType"}})
    call.copy(field);
  return {};
}

// coordinateTransformMode is ignored, as MindSpore 1.5 does.
Status convert_old_resize(OldCall& call) {
  const CoordinateMode mode =
      call.old.flag("alignCorners") ? CoordinateMode::align_corners : CoordinateMode::asymmetric;
  call.made.set("coordinate_transform_mode", int64_t(mode));
  return {};
}

}  // namespace nnrt::mindspore
