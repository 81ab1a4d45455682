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

int64_t either_end(Draft& draft, size_t axis, size_t rank) {
  return static_cast<int64_t>(axis) - (draft.random.one_in(2) ? static_cast<int64_t>(rank) : 0);
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

// Dynamic parameters, and empty tensors.

// Reshapes a result of dynamic shape to a static one.
bool finish(Draft& draft, const std::string& open, const Drawn& made) {
  draft.node("Reshape", {open, draft.integers(made.shape)}, made);
  return true;
}

std::optional<size_t> any_axis(Draft& draft, const Drawn& x) {
  if (x.rank() == 0 || x.open || !x.is_float()) return {};
  return draft.random.below(x.rank());
}

bool sliced_in_run(Draft& draft, const Drawn& x) {
  const auto axis = any_axis(draft, x);
  if (!axis) return false;
  const int64_t length = x.shape[*axis], begin = draft.random.between(0, length - 1);
  const int64_t end = draft.random.between(begin + 1, length);
  Drawn made = x;
  made.shape[*axis] = end - begin;
  const int64_t from = draft.random.one_in(2) ? begin : begin - length;
  const std::string open = draft.constant_node(
      "Slice", {x.name, draft.run_integers({from}), draft.run_integers({end == length ? length + 9 : end}),
                draft.integers({static_cast<int64_t>(*axis)})});
  return finish(draft, open, made);
}

bool padded_in_run(Draft& draft, const Drawn& x) {
  const auto axis = any_axis(draft, x);
  if (!axis) return false;
  Dimensions pads(2 * x.rank(), 0);
  Drawn made = x;
  pads[*axis] = draft.random.between(0, 2);
  pads[x.rank() + *axis] = draft.random.between(0, 2);
  made.shape[*axis] += pads[*axis] + pads[x.rank() + *axis];
  if (!Draft::fits(made.shape)) return false;
  return finish(draft, draft.constant_node("Pad", {x.name, draft.run_integers(pads)}), made);
}

bool summed_in_run(Draft& draft, const Drawn& x) {
  const auto axis = any_axis(draft, x);
  if (!axis) return false;
  Drawn made = x;
  made.scale *= static_cast<double>(x.shape[*axis]);
  made.error *= static_cast<double>(x.shape[*axis]);
  made.shape[*axis] = 1;
  return finish(draft,
                draft.constant_node("ReduceSum", {x.name, draft.run_integers({static_cast<int64_t>(*axis)})}),
                made);
}

bool sliced_along_a_run_axis(Draft& draft, const Drawn& x) {
  const auto axis = any_axis(draft, x);
  if (!axis) return false;
  const int64_t length = x.shape[*axis], begin = draft.random.between(0, length - 1);
  Drawn made = x;
  made.shape[*axis] = length - begin;
  const std::string open =
      draft.constant_node("Slice", {x.name, draft.integers({begin}), draft.integers({length + 9}),
                                    draft.run_integers({either_end(draft, *axis, x.rank())})});
  return finish(draft, open, made);
}

bool split_in_run(Draft& draft, const Drawn& x) {
  const auto axis = any_axis(draft, x);
  if (!axis || x.shape[*axis] < 2) return false;
  const int64_t first = draft.random.between(1, x.shape[*axis] - 1);
  const Names parts{draft.fresh("Split_"), draft.fresh("Split_")};
  draft.model.node("Split", {x.name, draft.run_integers({first, x.shape[*axis] - first})}, parts);
  draft.model.with("axis", static_cast<int64_t>(*axis));
  Drawn made = x;
  const bool is_first = draft.random.one_in(2);
  made.shape[*axis] = is_first ? first : x.shape[*axis] - first;
  return finish(draft, parts[is_first ? 0 : 1], made);
}

bool unsqueezed_in_run(Draft& draft, const Drawn& x) {
  if (!any_axis(draft, x) || x.rank() > 4) return false;
  const auto axis = static_cast<int64_t>(draft.random.below(x.rank() + 1));
  Drawn made = x;
  made.shape.insert(made.shape.begin() + axis, 1);
  return finish(draft, draft.constant_node("Unsqueeze", {x.name, draft.run_integers({axis})}), made);
}

bool best_in_run(Draft& draft, const Drawn& x) {
  const auto axis = any_axis(draft, x);
  if (!axis) return false;
  Drawn made = x;
  made.shape[*axis] = draft.random.between(1, x.shape[*axis]);
  const std::string open = draft.fresh("TopK_");
  draft.model.node("TopK", {x.name, draft.run_integers({made.shape[*axis]})}, {open, draft.fresh("places_")});
  draft.model.with("axis", static_cast<int64_t>(*axis));
  return finish(draft, open, made);
}

bool accumulated_in_run(Draft& draft, const Drawn& x) {
  const auto axis = any_axis(draft, x);
  if (!axis) return false;
  Drawn made = x;
  made.scale *= static_cast<double>(x.shape[*axis]);
  made.error *= static_cast<double>(x.shape[*axis]);
  const std::string place = draft.constant_node(
      "Squeeze", {draft.run_integers({static_cast<int64_t>(*axis)}), draft.integers({0})});
  return finish(draft, draft.constant_node("CumSum", {x.name, place}), made);
}

// An empty part of x, with its shape known to the file or not.
std::string nothing_of(Draft& draft, const Drawn& x, size_t axis) {
  const int64_t at = draft.random.between(0, x.shape[axis]);
  const bool is_known = draft.random.one_in(2);
  return draft.constant_node("Slice", {x.name, is_known ? draft.integers({at}) : draft.run_integers({at}),
                                       draft.integers({at}), draft.integers({static_cast<int64_t>(axis)})});
}

bool joined_with_nothing(Draft& draft, const Drawn& x) {
  const auto axis = any_axis(draft, x);
  if (!axis) return false;
  std::string nothing = nothing_of(draft, x, *axis);
  if (draft.random.one_in(2)) nothing = draft.constant_node("Relu", {nothing});
  const Names parts = draft.random.one_in(2) ? Names{nothing, x.name} : Names{x.name, nothing, x.name};
  Drawn made = x;
  made.shape[*axis] *= static_cast<int64_t>(parts.size()) - 1;
  if (!Draft::fits(made.shape)) return false;
  const std::string open = draft.constant_node("Concat", parts);
  draft.model.with("axis", static_cast<int64_t>(*axis));
  return finish(draft, open, made);
}

bool added_to_a_sum_of_nothing(Draft& draft, const Drawn& x) {
  const auto axis = any_axis(draft, x);
  if (!axis) return false;
  const std::string type = draft.random.of<std::string>({"ReduceSum", "ReduceProd", "ReduceL2"});
  const std::string reduced =
      draft.constant_node(type, {nothing_of(draft, x, *axis), draft.integers({static_cast<int64_t>(*axis)})});
  Drawn made = x;
  made.scale += 1;
  return finish(draft, draft.constant_node("Add", {x.name, reduced}), made);
}

onnx_file::GraphProto& add_branch(Draft& draft, const std::string& name) {
  auto& nodes = *draft.model.graph().mutable_node();
  constexpr int32_t kGraph = 5;
  onnx_file::AttributeProto& attribute = *nodes[nodes.size() - 1].add_attribute();
  attribute.set_name(name);
  attribute.set_type(kGraph);
  attribute.mutable_g()->set_name(name);
  return *attribute.mutable_g();
}

// x concatenated with itself, or x unchanged.
bool chosen_in_run(Draft& draft, const Drawn& x) {
  const auto axis = any_axis(draft, x);
  if (!axis || 2 * x.count() > Draft::kMaxElements) return false;
  const bool is_first = draft.random.one_in(2);
  const std::string condition = draft.run_truth(is_first), open = draft.constant_node("If", {condition});
  auto& taken = add_branch(draft, "then_branch");
  auto& node = *taken.add_node();
  node.set_op_type("Concat");
  node.add_input(x.name);
  node.add_input(x.name);
  node.add_output(open + "_a");
  auto& attribute = *node.add_attribute();
  constexpr int32_t kInteger = 2;
  attribute.set_name("axis");
  attribute.set_type(kInteger);
  attribute.set_i(static_cast<int64_t>(*axis));
  taken.add_output()->set_name(open + "_a");
  auto& other = add_branch(draft, "else_branch");
  auto& identity = *other.add_node();
  identity.set_op_type("Identity");
  identity.add_input(x.name);
  identity.add_output(open + "_b");
  other.add_output()->set_name(open + "_b");
  Drawn made = x;
  if (is_first) made.shape[*axis] *= 2;
  return finish(draft, open, made);
}

}  // namespace

std::vector<Drawer> concat_slice_drawers() {
  return {{4, concatenated}, {3, split},    {2, sliced},   {2, padded}, {1, expanded},
          {1, tiled},        {1, gathered}, {1, reversed}, {1, cropped}};
}

std::vector<Drawer> run_value_drawers() {
  return {
      {1, sliced_in_run},       {1, sliced_along_a_run_axis},   {1, split_in_run},  {1, unsqueezed_in_run},
      {1, best_in_run},         {1, accumulated_in_run},        {1, padded_in_run}, {1, summed_in_run},
      {1, joined_with_nothing}, {1, added_to_a_sum_of_nothing}, {1, chosen_in_run}};
}

}  // namespace nnrt::test
