// Parameters that only a run knows, and tensors without elements. What comes of them has a known shape again.
#include "tests/random_onnx/model_draft.h"

#include <algorithm>

namespace nnrt::test {
namespace {

// What a run makes of x in a shape that the file does not know, as a value of a shape that it does.
bool finish(Draft& draft, const std::string& open, const Drawn& made) {
  draft.node("Reshape", {open, draft.integers(made.shape)}, made);
  return true;
}

std::optional<size_t> any_axis(Draft& draft, const Drawn& x) {
  if (x.rank() == 0 || x.open || !x.is_float()) return {};
  return draft.random.below(x.rank());
}

bool sliced(Draft& draft, const Drawn& x) {
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

bool padded(Draft& draft, const Drawn& x) {
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

bool summed(Draft& draft, const Drawn& x) {
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

// A part of x without elements: the file knows it or not.
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

// Twice x, one behind the other, or x as it is.
bool chosen(Draft& draft, const Drawn& x) {
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
  return {{1, sliced}, {1, padded}, {1, summed}, {1, joined_with_nothing}, {1, added_to_a_sum_of_nothing},
          {1, chosen}};
}

}  // namespace nnrt::test
