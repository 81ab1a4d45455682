#include "backends/vulkan/lower/common/vectorized_walk.h"

#include "core/base/divide_up.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

bool divides(const Strides& strides, int64_t lanes) {
  if (strides.back() == 0) return true;
  return strides.back() == 1 &&
         std::all_of(strides.begin(), strides.end() - 1, [&](int64_t stride) { return stride % lanes == 0; });
}

}  // namespace

Form form_of_parameter(int64_t count, int64_t inner, int64_t lanes) {
  if (count == 1 || inner % lanes == 0) return Form::splat;
  return inner == 1 && count % lanes == 0 ? Form::vectors : Form::elements;
}

VectorWalk in_vectors(const Collapsed& walk, int64_t lanes) {
  VectorWalk result{walk.shape, walk.strides, std::vector(walk.strides.size(), Form::elements)};
  int64_t& row = result.shape.back();
  if (walk.shape.size() > 1 && row % lanes != 0) return result;
  if (!std::ranges::all_of(walk.strides, [&](const auto& strides) { return divides(strides, lanes); })) {
    return result;
  }
  row = divide_up(row, lanes);
  for (size_t i = 0; i < walk.strides.size(); ++i) {
    Strides& strides = result.strides[i];
    result.forms[i] = strides.back() == 0 ? Form::splat : Form::vectors;
    if (strides.back() == 0) continue;
    for (size_t d = 0; d + 1 < strides.size(); ++d) strides[d] /= lanes;
  }
  return result;
}

}  // namespace nnrt::vulkan
