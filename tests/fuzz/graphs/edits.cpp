#include "tests/fuzz/graphs/edits.h"

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

}  // namespace

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

}  // namespace nnrt::test
