#include "tests/fuzz/graphs/drawn_model.h"

#include "core/schema/schema.h"
#include "tests/fuzz/api_model.h"
#include "tests/support/random/random.h"
#include "tests/support/random/random_graph.h"
#include "tests/support/random/random_node.h"

#include <algorithm>
#include <limits>

namespace nnrt::test {
namespace {

constexpr int64_t kOddSizes[] = {-1, 0, 1, 2, 3, 4, 5, 8, 16, 17, 33, 64, 257, -2, 1 << 20, 0x7fffffff};

size_t any_tensor(const ApiModel& model, Random& random) { return random.below(model.tensors.size()); }

std::vector<uint32_t>& any_list(ApiModel& model, Random& random) {
  if (model.operations.empty() || random.one_in(6)) return random.one_in(2) ? model.inputs : model.outputs;
  ApiModel::Operation& operation = model.operations[random.below(model.operations.size())];
  switch (random.below(4)) {
    case 0: return operation.params;
    case 1: return operation.outputs;
    default: return operation.inputs;
  }
}

bool change_shape(ApiModel& model, Random& random) {
  Shape& shape = model.tensors[any_tensor(model, random)].shape;
  const int64_t size = kOddSizes[random.below(std::size(kOddSizes))];
  const size_t position = random.below(shape.size() + 1);
  switch (random.below(4)) {
    case 0: shape.clear(); break;
    case 1: shape.insert(shape.begin() + int64_t(position), random.one_in(2) ? 1 : size); break;
    default:
      if (position == shape.size()) break;
      if (random.one_in(3)) {
        shape.erase(shape.begin() + int64_t(position));
      } else {
        shape[position] = size;
      }
  }
  return true;
}

bool change_quantization(ApiModel& model, Random& random) {
  Quant& quant = model.tensors[any_tensor(model, random)].quant;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (random.below(6)) {
    case 0: quant = {}; return true;
    case 1: quant = {{0.05}, {int32_t(random.between(-20, 20))}}; return true;
    case 2:
      for (int32_t& zero : quant.zero_points) zero = int32_t(random.between(-300, 300));
      return true;
    case 3: {
      const size_t count = random.below(5);
      quant.scales.resize(count, 0.03);
      quant.zero_points.resize(random.one_in(4) ? random.below(5) : count, 3);
      return true;
    }
    default:
      for (double& scale : quant.scales)
        scale = random.of<double>({0, -1, 1e-30, 1e30, 1e300, 5e-324, kInfinity, -kInfinity,
                                   std::numeric_limits<double>::quiet_NaN()});
      return false;
  }
}

bool change_data(ApiModel& model, Random& random) {
  const size_t id = any_tensor(model, random);
  Tensor& tensor = model.tensors[id];
  if (!tensor.data) {
    tensor.data = std::make_shared<const Bytes>(model.contents[id]);
    return true;
  }
  Bytes bytes(tensor.data->begin(), tensor.data->end());
  switch (random.below(4)) {
    case 0: tensor.data = nullptr; return true;
    case 1: bytes.resize(random.one_in(2) ? bytes.size() / 2 : bytes.size() + 1 + random.below(8)); break;
    default:
      for (int64_t changes = random.between(1, 3); changes > 0 && !bytes.empty(); --changes)
        bytes[random.below(bytes.size())] = std::byte(random.below(256));
  }
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
  return false;
}

bool change_list(ApiModel& model, Random& random) {
  std::vector<uint32_t>& list = any_list(model, random);
  const size_t position = random.below(list.size() + 1);
  const auto id = uint32_t(random.below(model.tensors.size() + (random.one_in(8) ? 1 : 0)));
  if (position == list.size() || random.one_in(4)) {
    list.insert(list.begin() + int64_t(position), id);
  } else if (random.one_in(3)) {
    list.erase(list.begin() + int64_t(position));
  } else {
    list[position] = id;
  }
  return true;
}

// Makes one edit. Returns false if devices may disagree on the values afterwards (infinite or meaningless
// ones).
bool edit(ApiModel& model, Random& random) {
  if (model.tensors.empty()) return true;
  Tensor& tensor = model.tensors[any_tensor(model, random)];
  switch (random.below(12)) {
    case 0: tensor.dtype = DType(random.below(14)); return !is_float(tensor.dtype);
    case 1: tensor.format = Format(random.below(5)); return true;
    case 2: tensor.role = random.one_in(3) ? 0 : int(random.below(140)); return true;
    case 3:
      if (!model.operations.empty())
        model.operations[random.below(model.operations.size())].type = int(random.below(112));
      return true;
    case 4:
    case 5: return change_quantization(model, random);
    case 6: return change_data(model, random);
    case 7:
    case 8: return change_list(model, random);
    default: return change_shape(model, random);
  }
}

constexpr int64_t kMaxNodes = 5, kMaxEdits = 3;

class Drawing {
 public:
  explicit Drawing(Random& random) : random_(random) {}

  void add_node(Op op) {
    std::optional<uint32_t> first = choose();
    const std::vector<Op>& calm = calm_operators();
    const bool is_calm = std::ranges::find(calm, op) != calm.end();
    if (first && !(is_calm && can_read(op, model_.tensors[*first]))) first = std::nullopt;
    const auto node = draw_node(op, random_, first ? First(model_.tensors[*first]) : First());
    if (node.ok()) add(node.value(), first);
  }

  ApiModel finish() {
    for (const uint32_t id : made_) {
      if (readers_[id] == 0 || random_.one_in(6)) model_.outputs.push_back(id);
    }
    if (model_.inputs.empty()) {  // a model needs an input
      Tensor unused;
      unused.dtype = DType::f32;
      model_.inputs.push_back(add(unused, Bytes(sizeof(float))));
    }
    return std::move(model_);
  }

 private:
  uint32_t add(const Tensor& tensor, Bytes contents) {
    model_.tensors.push_back(tensor);
    model_.contents.push_back(std::move(contents));
    readers_.push_back(0);
    return uint32_t(model_.tensors.size() - 1);
  }

  // Mostly the last result.
  std::optional<uint32_t> choose() {
    if (made_.empty() || random_.one_in(8)) return std::nullopt;
    return random_.one_in(4) ? made_[random_.below(made_.size())] : made_.back();
  }

  // An earlier result that matches this operand.
  std::optional<uint32_t> earlier(const Tensor& wanted) {
    for (size_t i = made_.size(); i-- > 0;) {
      const Tensor& tensor = model_.tensors[made_[i]];
      const bool same =
          tensor.dtype == wanted.dtype && tensor.shape == wanted.shape && tensor.quant == wanted.quant;
      if (same && random_.one_in(2)) return made_[i];
    }
    return std::nullopt;
  }

  uint32_t operand(const RandomNode& node, size_t i) {
    const Tensor& tensor = node.inputs[i];
    if (!tensor.is_constant()) {
      if (const auto id = is_float(tensor.dtype) ? earlier(tensor) : std::nullopt) return *id;
    }
    const uint32_t id = add(tensor, node.contents[i]);
    if (!tensor.is_constant()) model_.inputs.push_back(id);
    return id;
  }

  void add(const RandomNode& node, std::optional<uint32_t> first) {
    ApiModel::Operation operation{.type = int(node.op)};
    for (size_t i = 0; i < node.inputs.size(); ++i)
      operation.inputs.push_back(i == 0 && first ? *first : operand(node, i));
    for (const Tensor& param : node.params) operation.params.push_back(add(param, {}));
    for (const Tensor& output : node.outputs) operation.outputs.push_back(add(output, {}));
    for (const uint32_t id : operation.inputs) ++readers_[id];
    made_.insert(made_.end(), operation.outputs.begin(), operation.outputs.end());
    model_.operations.push_back(std::move(operation));
  }

  Random& random_;
  ApiModel model_;
  std::vector<size_t> readers_;
  std::vector<uint32_t> made_;
};

// Devices round differently: quantized values may differ by one, which later operators amplify.
Tolerance tolerance_of(const ApiModel& model, uint32_t output) {
  const Tensor& tensor = model.tensors[output];
  Tolerance tolerance = test::tolerance_of(tensor.dtype);
  tolerance.absolute *= 20;
  tolerance.relative *= 20;
  const bool is_coded =
      std::ranges::any_of(model.tensors, [](const Tensor& any) { return !any.quant.empty(); });
  if (is_coded && !is_float(tensor.dtype)) tolerance.quantization_steps = 1;
  return tolerance;
}

bool is_calm(const ApiModel& model) {
  const std::vector<Op>& calm = calm_operators();
  if (model.operations.size() == 1) return true;
  const bool is_coded =
      std::ranges::any_of(model.tensors, [](const Tensor& any) { return !any.quant.empty(); });
  return !is_coded && std::ranges::all_of(model.operations, [&](const ApiModel::Operation& operation) {
    return std::ranges::find(calm, Op(operation.type)) != calm.end();
  });
}

}  // namespace

DrawnModel draw_model(Random& random) {
  Drawing drawing(random);
  const bool any = random.one_in(2);
  const std::vector<Op>& calm = calm_operators();
  for (int64_t nodes = any ? random.between(1, 2) : random.between(1, kMaxNodes); nodes > 0; --nodes)
    drawing.add_node(any ? kOperators[random.below(kOpCount)] : calm[random.below(calm.size())]);
  DrawnModel drawn{drawing.finish()};
  bool ordinary = is_calm(drawn.model);
  int64_t edits = random.one_in(2) ? random.between(1, kMaxEdits) : 0;
  for (; edits > 0; --edits) ordinary = edit(drawn.model, random) && is_calm(drawn.model) && ordinary;
  if (!ordinary) return drawn;
  drawn.tolerances.emplace();
  for (const uint32_t output : drawn.model.outputs) {
    if (output >= drawn.model.tensors.size()) return {std::move(drawn.model)};
    drawn.tolerances->push_back(tolerance_of(drawn.model, output));
  }
  return drawn;
}

}  // namespace nnrt::test
