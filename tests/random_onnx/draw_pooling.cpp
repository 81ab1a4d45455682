// Pools.
#include "tests/random_onnx/model_draft.h"

namespace nnrt::test {
namespace {

bool pool(Draft& draft, const Drawn& x, const std::string& type) {
  if (!x.is_image()) return false;
  Dimensions kernel, stride, begin, end;
  Drawn made = x.mapped(x.scale, 1);
  const bool ceil = draft.random.one_in(6);
  for (size_t d = 2; d < 4; ++d) {
    const int64_t size = draft.random.of<int64_t>({1, 2, 2, 3}), step = draft.random.of<int64_t>({1, 2});
    kernel.push_back(size);
    stride.push_back(step);
    begin.push_back(ceil ? 0 : draft.random.between(0, size / 2));
    end.push_back(ceil ? 0 : draft.random.between(0, size / 2));
    const int64_t room = x.shape[d] + begin.back() + end.back() - size;
    if (room < 0) return false;
    made.shape[d] = (room + (ceil ? step - 1 : 0)) / step + 1;
    if (ceil && (made.shape[d] - 1) * step >= x.shape[d]) return false;  // a pooling window outside
  }
  draft.node(type, {x.name}, made);
  Dimensions pads = begin;
  pads.insert(pads.end(), end.begin(), end.end());
  draft.model.with("kernel_shape", kernel).with("strides", stride).with("pads", pads);
  if (ceil) draft.model.with("ceil_mode", 1);
  if (type == "AveragePool" && !ceil) draft.model.with("count_include_pad", draft.random.between(0, 1));
  return true;
}

bool max_pool(Draft& draft, const Drawn& x) { return pool(draft, x, "MaxPool"); }
bool average_pool(Draft& draft, const Drawn& x) { return pool(draft, x, "AveragePool"); }

bool global_pool(Draft& draft, const Drawn& x) {
  if (x.rank() < 3 || x.open.value_or(0) != 0) return false;
  Drawn made = x;
  for (size_t d = 2; d < x.rank(); ++d) made.shape[d] = 1;
  draft.node(draft.random.one_in(3) ? "GlobalMaxPool" : "GlobalAveragePool", {x.name}, made);
  return true;
}

}  // namespace

std::vector<Drawer> pooling_drawers() { return {{3, max_pool}, {3, average_pool}, {2, global_pool}}; }

}  // namespace nnrt::test
