#include "tests/support/random/random_plans.h"

#include <algorithm>

namespace nnrt::test {
namespace {

constexpr int64_t kImageSide = 40;

// Contents of input i: x1, y1, x2, y2 per box, within the image.
void draw_boxes(Draft& d, size_t i, int64_t count) {
  for (int64_t box = 0; box < count; ++box) {
    const int64_t x = d.random.between(0, kImageSide - 1), y = d.random.between(0, kImageSide - 1);
    for (const int64_t corner : {x, y, d.random.between(x, kImageSide), d.random.between(y, kImageSide)})
      d.integers[i].push_back(corner);
  }
}

void draw_ascending(Draft& d, size_t i, int64_t count, int64_t last) {
  for (int64_t k = 0; k < count; ++k) d.integers[i].push_back(d.random.between(0, last));
  std::ranges::sort(d.integers[i]);
}

// Boxes are FLOAT16 if the data is, otherwise FLOAT32.
void make_boxes_float(Draft& d, std::initializer_list<size_t> inputs) {
  for (const size_t i : inputs) d.dtypes[i] = d.dtype == DType::f16 ? DType::f16 : DType::f32;
}

void bbox_transform(Draft& d) {
  const int64_t regions = d.random.between(1, 5), images = d.random.between(1, 3);
  d.shapes = {{regions, 4}, {regions, 4 * d.random.between(1, 3)}, {regions}, {images, 2}};
  make_boxes_float(d, {1, 3});
  draw_boxes(d, 0, regions);
  draw_ascending(d, 2, regions, images - 1);
  d.integers[3].assign(size_t(2 * images), kImageSide);
}

void box_with_nms_limit(Draft& d) {
  const int64_t rows = d.random.between(1, 8), classes = d.random.between(2, 4);
  d.shapes = {{rows, classes}, {rows, 4 * classes}, {rows}};
  make_boxes_float(d, {1});
  draw_boxes(d, 1, rows * classes);
  draw_ascending(d, 2, rows, 2);
  d.set(Attr::mode, {d.random.between(0, 2)});
  d.set(Attr::max_detections, {d.random.between(-1, 4)});
  d.attrs[Attr::sigma] = {d.random.real(0.25, 2)};
}

void generate_proposals(Draft& d) {
  const int64_t images = d.random.between(1, 2), anchors = d.random.between(1, 3);
  const int64_t height = d.random.between(1, 4), width = d.random.between(1, 4);
  d.shapes = {
      {images, height, width, anchors}, {images, height, width, 4 * anchors}, {anchors, 4}, {images, 2}};
  make_boxes_float(d, {2, 3});
  draw_boxes(d, 2, anchors);
  d.integers[3].assign(size_t(2 * images), kImageSide);
  d.set(Attr::max_candidates, {d.random.between(-1, 9)});
  d.set(Attr::max_output, {d.random.between(-1, 5)});
}

void heatmap_max_keypoint(Draft& d) {
  const int64_t boxes = d.random.between(1, 3), size = d.random.between(2, 7);
  d.shapes = {{boxes, size, size, d.random.between(1, 4)}, {boxes, 4}};
  make_boxes_float(d, {1});
  draw_boxes(d, 1, boxes);
}

void hashtable_lookup(Draft& d) {
  const int64_t keys = d.random.between(1, 6);
  d.shapes = {{d.random.between(1, 5)}, {keys}, {keys, d.random.between(1, 4)}};
  draw_ascending(d, 1, keys, 20);
  d.quants[2] = d.output_quants[0] = {};
}

void lsh_projection(Draft& d) {
  const int64_t items = d.random.between(1, 4);
  d.shapes = {{d.random.between(1, 4), d.random.between(1, 8)}, {items, d.random.between(4, 12)}};
  if (d.random.one_in(2)) d.shapes.push_back({items});
  d.set(Attr::mode, {d.random.between(1, 3)});
}

void random_multinomial(Draft& d) {
  d.shapes = {{d.random.between(1, 4), d.random.between(1, 6)}, {2}};
  d.set(Attr::samples, {d.random.between(1, 9)});
}

}  // namespace

std::vector<Plan> detection_plans() {
  return {
      {bbox_transform, {Op::axis_aligned_bbox_transform}}, {box_with_nms_limit, {Op::box_with_nms_limit}},
      {generate_proposals, {Op::generate_proposals}},      {heatmap_max_keypoint, {Op::heatmap_max_keypoint}},
      {hashtable_lookup, {Op::hashtable_lookup}},          {lsh_projection, {Op::lsh_projection}},
      {random_multinomial, {Op::random_multinomial}},
  };
}

}  // namespace nnrt::test
