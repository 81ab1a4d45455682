// Concatenation, splitting, repetition and padding with constant and dynamic parameters.
#include "tests/random_onnx/model_draft.h"

#include <algorithm>
#include <limits>

namespace nnrt::test {
namespace {

// A static axis; preferably the channels.
std::optional<size_t> choose_axis(Draft& draft, const Drawn& x) {
  if (x.rank() == 0) return {};
  const size_t axis = x.rank() >= 2 && draft.random.one_in(2) ? 1 : draft.random.below(x.rank());
  return x.open == axis ? std::nullopt : std::optional(axis);
}

bool fits_beside(const Drawn& a, const Drawn& b, size_t axis) {
  if (a.rank() != b.rank() || a.open != b.open || a.type != b.type) return false;
  for (size_t d = 0; d < a.rank(); ++d) {
    if (d != axis && a.shape[d] != b.shape[d]) return false;
  }
  return true;
}

bool concatenated(Draft& draft, const Drawn& x) {
  const auto axis = choose_axis(draft, x);
  if (!axis) return false;
  std::vector<Drawn> parts{x};
  for (const Drawn& other : draft.values) {
    if (fits_beside(x, other, *axis) && draft.random.one_in(2) && parts.size() < 4) parts.push_back(other);
  }
  if (draft.random.one_in(4) && !x.open) {
    Drawn constant = x.mapped(1, 0);
    constant.name = draft.floats(x.shape, -1, 1);
    parts.push_back(constant);
  }
  if (parts.size() == 1) parts.push_back(x);
  draft.random.shuffle(parts);
  Names names;
  Drawn made = x;
  made.shape[*axis] = 0;
  for (const Drawn& part : parts) {
    names.push_back(part.name);
    made.shape[*axis] += part.shape[*axis];
    made.scale = std::max(made.scale, part.scale);
    made.error = std::max(made.error, part.error);
  }
  if (!Draft::fits(made.shape)) return false;
  draft.node("Concat", names, made);
  draft.model.with("axis", either_end(draft, *axis, x.rank()));
  return true;
}

// All parts can be read; unread ones become outputs.
bool split(Draft& draft, const Drawn& x) {
  const auto axis = choose_axis(draft, x);
  if (!axis || x.shape[*axis] < 2) return false;
  const int64_t length = x.shape[*axis], first = draft.random.between(1, length - 1);
  Dimensions sizes{first, length - first};
  if (sizes[1] > 1 && draft.random.one_in(2)) sizes = {first, 1, length - first - 1};
  Drawn made = x;
  Names names;
  std::vector<Drawn> parts;
  for (const int64_t size : sizes) {
    made.shape[*axis] = size;
    made.name = draft.fresh("Split_");
    names.push_back(made.name);
    parts.push_back(made);
  }
  draft.nodes("Split", {x.name, draft.integers(sizes)}, parts);
  draft.model.with("axis", either_end(draft, *axis, x.rank()));
  return true;
}

bool sliced(Draft& draft, const Drawn& x) {
  const auto axis = choose_axis(draft, x);
  if (!axis || x.shape[*axis] < 2) return false;
  const int64_t length = x.shape[*axis], begin = draft.random.between(0, length - 1);
  const int64_t end = draft.random.between(begin + 1, length), step = draft.random.of<int64_t>({1, 1, 2});
  Drawn made = x;
  made.shape[*axis] = (end - begin + step - 1) / step;
  draft.node("Slice",
             {x.name, draft.integers({begin}), draft.integers({end}),
              draft.integers({either_end(draft, *axis, x.rank())}), draft.integers({step})},
             made);
  return true;
}

// Backward from the last element, or from before the first, which counts as the first.
bool reversed(Draft& draft, const Drawn& x) {
  const auto axis = choose_axis(draft, x);
  if (!axis || x.shape[*axis] == 0) return false;
  const auto d = static_cast<int64_t>(*axis);
  const bool is_early = draft.random.one_in(4);
  Drawn made = x;
  if (is_early) made.shape[*axis] = 1;
  const int64_t first = is_early ? -x.shape[*axis] - draft.random.between(1, 3) : -1;
  draft.node("Slice",
             {x.name, draft.integers({first}), draft.integers({std::numeric_limits<int64_t>::min()}),
              draft.integers({d}), draft.integers({-1})},
             made);
  return true;
}

// Negative pads.
bool cropped(Draft& draft, const Drawn& x) {
  const auto axis = choose_axis(draft, x);
  if (!axis || x.shape[*axis] < 2) return false;
  Dimensions pads(2 * x.rank(), 0);
  Drawn made = x;
  const bool first = draft.random.one_in(2);
  pads[first ? *axis : x.rank() + *axis] = -1;
  pads[first ? x.rank() + *axis : *axis] = draft.random.between(0, 1);
  made.shape[*axis] = x.shape[*axis] - 1 + pads[first ? x.rank() + *axis : *axis];
  draft.node("Pad", {x.name, draft.integers(pads)}, made);
  return true;
}

bool padded(Draft& draft, const Drawn& x) {
  if (x.rank() == 0) return false;
  Dimensions pads(2 * x.rank(), 0);
  Drawn made = x;
  for (size_t d = 0; d < x.rank(); ++d) {
    if (x.open == d || !draft.random.one_in(2)) continue;
    pads[d] = draft.random.between(0, 2);
    pads[x.rank() + d] = draft.random.between(0, 2);
    made.shape[d] += pads[d] + pads[x.rank() + d];
  }
  if (!Draft::fits(made.shape)) return false;
  Names inputs{x.name, draft.integers(pads)};
  if (draft.random.one_in(2)) inputs.push_back(draft.scalar(draft.random.one_in(2) ? 0 : 0.5));
  draft.node("Pad", inputs, made);
  return true;
}

bool expanded(Draft& draft, const Drawn& x) {
  if (x.open) return false;
  Dimensions target = x.shape;
  for (int64_t& length : target) {
    if (length == 1) length = draft.random.of<int64_t>({1, 2, 3});
  }
  if (target.size() < 5 && draft.random.one_in(4)) target.insert(target.begin(), 2);
  if (!Draft::fits(target) || target.empty()) return false;
  draft.node("Expand", {x.name, draft.integers(target)}, x.shaped(target, {}));
  return true;
}

bool tiled(Draft& draft, const Drawn& x) {
  const auto axis = choose_axis(draft, x);
  if (!axis) return false;
  Dimensions repeats(x.rank(), 1);
  repeats[*axis] = 2;
  Drawn made = x;
  made.shape[*axis] *= 2;
  if (!Draft::fits(made.shape)) return false;
  draft.node("Tile", {x.name, draft.integers(repeats)}, made);
  return true;
}

bool gathered(Draft& draft, const Drawn& x) {
  const auto axis = choose_axis(draft, x);
  if (!axis) return false;
  Dimensions indices;
  for (int64_t count = draft.random.between(1, 4); count > 0; --count)
    indices.push_back(draft.random.between(0, x.shape[*axis] - 1));
  Drawn made = x;
  made.shape[*axis] = static_cast<int64_t>(indices.size());
  if (!Draft::fits(made.shape)) return false;
  draft.node("Gather", {x.name, draft.integers(indices)}, made);
  draft.model.with("axis", static_cast<int64_t>(*axis));
  return true;
}

}  // namespace

int64_t either_end(Draft& draft, size_t axis, size_t rank) {
  return static_cast<int64_t>(axis) - (draft.random.one_in(2) ? static_cast<int64_t>(rank) : 0);
}

std::vector<Drawer> concat_slice_drawers() {
  return {{4, concatenated}, {3, split},    {2, sliced},   {2, padded}, {1, expanded},
          {1, tiled},        {1, gathered}, {1, reversed}, {1, cropped}};
}

}  // namespace nnrt::test
