// Parameters that only the run knows, and empty tensors.
#include "tests/random_onnx/model_draft.h"

#include <algorithm>

namespace nnrt::test {
namespace {

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
  pads[*axis] = draft.random.between(-1, 2);
  pads[x.rank() + *axis] = draft.random.between(-1, 2);
  made.shape[*axis] += pads[*axis] + pads[x.rank() + *axis];
  if (!Draft::fits(made.shape) || made.shape[*axis] < 1 || x.shape[*axis] < 3) return false;
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

std::string run_scalar(Draft& draft, int64_t value) {
  return draft.constant_node("Squeeze", {draft.run_integers({value}), draft.integers({0})});
}

bool triangle_in_run(Draft& draft, const Drawn& x) {
  if (!any_axis(draft, x) || x.rank() < 2) return false;
  draft.node("Trilu", {x.name, run_scalar(draft, draft.random.between(-3, 3))}, x);
  draft.model.with("upper", draft.random.between(0, 1));
  return true;
}

bool compressed_in_run(Draft& draft, const Drawn& x) {
  const auto axis = any_axis(draft, x);
  if (!axis) return false;
  Dimensions chosen(static_cast<size_t>(x.shape[*axis]), 0);
  for (int64_t& one : chosen) one = draft.random.between(0, 1);
  chosen[draft.random.below(chosen.size())] = 1;
  Drawn made = x;
  made.shape[*axis] = std::ranges::count(chosen, 1);
  const std::string condition = draft.constant_node("Cast", {draft.run_integers(chosen)});
  draft.model.with("to", int64_t{OnnxModel::kBool});
  const std::string open = draft.constant_node("Compress", {x.name, condition});
  draft.model.with("axis", static_cast<int64_t>(*axis));
  return finish(draft, open, made);
}

bool gathered_by_range(Draft& draft, const Drawn& x) {
  const auto axis = any_axis(draft, x);
  if (!axis) return false;
  const int64_t length = x.shape[*axis], begin = draft.random.between(0, length - 1);
  const int64_t step = draft.random.between(1, 3);
  Drawn made = x;
  made.shape[*axis] = (length - begin + step - 1) / step;
  const std::string places = draft.constant_node(
      "Range", {run_scalar(draft, begin), run_scalar(draft, length), run_scalar(draft, step)});
  const std::string open = draft.constant_node("Gather", {x.name, places});
  draft.model.with("axis", static_cast<int64_t>(*axis));
  return finish(draft, open, made);
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
  const std::string place = run_scalar(draft, static_cast<int64_t>(*axis));
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

std::vector<Drawer> run_value_drawers() {
  return {
      {1, sliced_in_run},       {1, sliced_along_a_run_axis},   {1, split_in_run},  {1, unsqueezed_in_run},
      {1, best_in_run},         {1, accumulated_in_run},        {1, padded_in_run}, {1, summed_in_run},
      {1, joined_with_nothing}, {1, added_to_a_sum_of_nothing}, {1, chosen_in_run}, {1, triangle_in_run},
      {1, compressed_in_run},   {1, gathered_by_range}};
}

}  // namespace nnrt::test
