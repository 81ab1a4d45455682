#include "backends/cpu/base/element.h"
#include "backends/cpu/kernels/boxes/box_kernels.h"
#include "core/schema/boxes/box.h"

namespace nnrt::cpu {

Status axis_aligned_bbox_transform(const KernelArgs& args) {
  const FloatInput regions(args, 0), deltas(args, 1), sizes(args, 3);
  FloatOutput output(args);
  const int64_t count = args.node.shape(0)[0], classes = args.node.shape(1)[1] / 4;
  const int64_t batch = args.node.shape(3)[0];
  const auto* const batch_indices = args.input<int32_t>(2);
  const bool is_strict = args.node.attrs().is_set(Attr::strict);
  for (int64_t region = 0; region < count; ++region) {
    const int64_t image = batch_indices[region];
    if (!is_strict && (image < 0 || image >= batch)) {
      std::fill_n(output.data() + 4 * region * classes, 4 * classes, 0.0f);  // R20
      continue;
    }
    if (image < 0 || image >= batch) {
      return invalid("Batch index (", image, ") of region ", region, " is outside [0, ", batch, ").");
    }
    const CornerBox box = box_at(regions.values(), size_t(region));
    if (is_strict) NNRT_TRY(check_box(box, size_t(region)));
    const ImageSize size{sizes[2 * image], sizes[2 * image + 1]};
    for (int64_t label = 0; label < classes; ++label) {
      const int64_t first = 4 * (region * classes + label);
      const CornerBox moved = transformed(box, std::span<const float, 4>(deltas.data() + first, 4), size);
      output[first] = moved.x1;
      output[first + 1] = moved.y1;
      output[first + 2] = moved.x2;
      output[first + 3] = moved.y2;
    }
  }
  output.store();
  return {};
}

}  // namespace nnrt::cpu
