// Operators that select elements by index, position or content.
#include "tests/support/random/random_plans.h"

#include <algorithm>

namespace nnrt::test {
namespace {

// An index into `length` elements, negative ones counting from the end; occasionally out of range if `wild`
// (R20).
int64_t index_of(Draft& d, int64_t length, bool wild) {
  if (wild && d.random.one_in(3)) return d.random.one_in(2) ? length : -length - 1;
  return d.random.between(-length, length - 1);
}

// One list in eight is a model input and has indices out of range.
bool draw_wild(Draft& d) {
  const bool wild = d.random.one_in(8);
  if (wild) d.fed.insert(1);
  return wild;
}

void draw_reduction(Draft& d) { d.set(Attr::reduction, {d.random.one_in(2) ? 0 : d.random.between(1, 4)}); }

void elements(Draft& d) {
  const Shape x = d.base(1, 5);
  const int64_t axis = d.axis(x.size());
  const auto along = size_t(axis + int64_t(x.size())) % x.size();
  Shape indices = x;
  for (int64_t& dimension : indices)
    if (d.random.one_in(3)) dimension = d.random.between(1, dimension);
  if (d.random.one_in(3)) indices[along] = d.random.between(1, 7);
  const bool wild = draw_wild(d);
  for (int64_t i = *element_count(indices); i > 0; --i) d.integers[1].push_back(index_of(d, x[along], wild));
  d.shapes = {x, indices};
  d.set(Attr::axis, {axis});
  if (d.row.op == Op::gather_elements) return;
  d.shapes.push_back(indices);
  draw_reduction(d);
}

void slices(Draft& d) {
  const Shape x = d.base(1, 5);
  const size_t width = 1 + d.random.below(x.size());
  const Shape rows(d.random.below(3), d.random.between(1, 5));
  const bool wild = draw_wild(d);
  for (int64_t row = *element_count(rows); row > 0; --row)
    for (size_t k = 0; k < width; ++k) d.integers[1].push_back(index_of(d, x[k], wild));
  Shape updates = rows;
  updates.insert(updates.end(), x.begin() + std::ptrdiff_t(width), x.end());
  d.shapes = {x, rows, updates};
  d.shapes[1].push_back(int64_t(width));
  draw_reduction(d);
}

void triangle(Draft& d) {
  d.shapes = {d.base(2)};
  const int64_t diagonal = d.random.between(-5, 5);
  if (d.random.one_in(2)) return d.set(Attr::diagonal, {diagonal});
  d.shapes.push_back({1});
  d.value(1, diagonal);
}

void boxes(Draft& d) {
  const int64_t images = d.random.between(1, 3), count = d.dimension();
  d.shapes = {{images, count, 4}, {images, d.random.between(1, 4), count}};
  d.set(Attr::max_output, {d.random.between(1, 5)});
  d.attrs[Attr::iou_threshold] = {d.random.real(0, 1)};
}

}  // namespace

std::vector<Plan> element_index_plans() {
  return {
      {elements, {Op::gather_elements, Op::scatter_elements}},
      {slices, {Op::scatter_nd_update}},
      {triangle, {Op::trilu}},
      {boxes, {Op::non_max_suppression}},
  };
}

}  // namespace nnrt::test
