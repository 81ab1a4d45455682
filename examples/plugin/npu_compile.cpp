// Converts model nodes to steps. A real OpenHarmony driver parses the bytes of nodeAttr here; in this example
// each node has its attributes as a struct.
#include "npu_memory.h"
#include "npu_program.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace npu {
namespace {

// FLOAT32 tensors with up to four static dimensions.
bool is_taken(const hdi::Tensor& tensor) {
  return tensor.dataType == hdi::DATA_TYPE_FLOAT32 && tensor.dims.size() <= 4 &&
         std::all_of(tensor.dims.begin(), tensor.dims.end(), [](int32_t dim) { return dim > 0; });
}

Tensor tensor_of(const hdi::Tensor& tensor) {
  Tensor made{{1, 1, 1, 1}, 1, -1, tensor.dims.size()};
  if (tensor.dims.size() > made.dims.size()) return made;  // no kernel reads it
  std::copy(tensor.dims.begin(), tensor.dims.end(), made.dims.end() - std::ptrdiff_t(tensor.dims.size()));
  for (const int64_t dim : made.dims) made.elements *= uint64_t(dim);
  return made;
}

bool is_known(hdi::ActivationType type) {
  return type == hdi::ACTIVATION_TYPE_NO_ACTIVATION || type == hdi::ACTIVATION_TYPE_RELU ||
         type == hdi::ACTIVATION_TYPE_RELU6 || type == hdi::ACTIVATION_TYPE_SIGMOID ||
         type == hdi::ACTIVATION_TYPE_TANH;
}

// Sets the padding before the first row and column, and checks the output size.
bool fit(SpatialParams& spatial, hdi::PadMode mode, const std::vector<int64_t>& pad, const Tensor& x,
         const Tensor& y) {
  for (size_t axis = 0; axis < 2; ++axis) {
    if (spatial.kernel[axis] < 1 || spatial.stride[axis] < 1 || spatial.dilation[axis] < 1) return false;
    const int64_t in = x.dims[1 + axis], reach = (spatial.kernel[axis] - 1) * spatial.dilation[axis] + 1;
    int64_t total = 0;
    if (mode == hdi::PAD_MODE_SAME) {
      total = std::max<int64_t>(0, ((in - 1) / spatial.stride[axis]) * spatial.stride[axis] + reach - in);
      spatial.before[axis] = total / 2;
    } else if (mode == hdi::PAD_MODE_PAD && pad.size() == 4) {
      total = pad[2 * axis] + pad[2 * axis + 1];
      spatial.before[axis] = pad[2 * axis];
    }
    if (in + total < reach || (in + total - reach) / spatial.stride[axis] + 1 != y.dims[1 + axis])
      return false;
  }
  return true;
}

std::array<int64_t, 2> pair(const std::vector<int64_t>& list) {
  return list.size() == 2 ? std::array<int64_t, 2>{list[0], list[1]} : std::array<int64_t, 2>{1, 1};
}

// One overload per supported attribute struct; returns false if the node is not supported. Operands are the
// node's, with the output last.
struct Compiler {
  Step& step;
  const std::vector<Tensor>& t;

  template <typename Fused>
  bool with_activation(Kernel kernel, const Fused& attr) const {
    step.kernel = kernel;
    step.activation = uint32_t(attr.activationType);
    return is_known(attr.activationType);
  }
  // Checks the node, because the runtime trusts the device's claim of support.
  template <typename Fused>
  bool binary(Kernel kernel, const Fused& attr) const {
    for (size_t d = 0; d < 4; ++d) {
      const int64_t a = t[0].dims[d], b = t[1].dims[d];
      if ((a != b && a != 1 && b != 1) || t.back().dims[d] != std::max(a, b)) return false;
    }
    return t.back().rank == std::max(t[0].rank, t[1].rank) && with_activation(kernel, attr);
  }
  bool has_bias(int64_t channels) const {
    return step.input_count < 3 || (t[2].rank == 1 && t[2].dims[3] == channels);
  }
  bool is_product(int64_t rows, int64_t columns) const {
    return t.back().rank == 2 && t.back().dims[2] == rows && t.back().dims[3] == columns;
  }

  bool operator()(const hdi::AddFusion& attr) const { return binary(Kernel::add, attr); }
  bool operator()(const hdi::SubFusion& attr) const { return binary(Kernel::sub, attr); }
  bool operator()(const hdi::MulFusion& attr) const { return binary(Kernel::mul, attr); }
  bool operator()(const hdi::Activation& attr) const {
    return t[0].dims == t.back().dims && with_activation(Kernel::activation, attr);
  }
  bool operator()(const hdi::MatMulFusion& attr) const {
    step.transpose_a = attr.transposeA;
    step.transpose_b = attr.transposeB;
    const auto a = std::pair(t[0].dims[attr.transposeA ? 3 : 2], t[0].dims[attr.transposeA ? 2 : 3]);
    const auto b = std::pair(t[1].dims[attr.transposeB ? 3 : 2], t[1].dims[attr.transposeB ? 2 : 3]);
    return t[0].rank == 2 && t[1].rank == 2 && a.second == b.first && is_product(a.first, b.second) &&
           with_activation(Kernel::product, attr);
  }
  bool operator()(const hdi::FullConnection& attr) const {
    step.transpose_b = true;
    const int64_t columns = t[1].dims[2];
    return t[0].rank == 2 && t[1].rank == 2 && t[0].dims[3] == t[1].dims[3] && !attr.useAxis &&
           attr.axis == 0 && (!attr.hasBias || step.input_count == 3) && has_bias(columns) &&
           is_product(t[0].dims[2], columns) && with_activation(Kernel::product, attr);
  }
  bool operator()(const hdi::Softmax& attr) const {
    step.kernel = Kernel::softmax;
    const int64_t axis = attr.axis.empty() ? -1 : attr.axis[0];
    return t[0].rank > 0 && t[0].dims == t.back().dims && (axis == -1 || axis == int64_t(t[0].rank) - 1);
  }
  bool operator()(const hdi::Conv2DFusion& attr) const {
    const Tensor &x = t[0], &weight = t[1], &y = t.back();
    step.spatial = {pair(attr.kernelSize), pair(attr.stride), pair(attr.dilation), {0, 0}};
    return x.rank == 4 && weight.rank == 4 && y.rank == 4 && attr.group == 1 && weight.dims[3] == x.dims[3] &&
           y.dims[0] == x.dims[0] && y.dims[3] == weight.dims[0] && step.input_count == 3 &&
           has_bias(y.dims[3]) && fit(step.spatial, attr.padMode, attr.padList, x, y) &&
           with_activation(Kernel::conv2d, attr);
  }
  bool operator()(const hdi::MaxPoolFusion& attr) const {
    const Tensor &x = t[0], &y = t.back();
    if (x.rank != 4 || attr.global || attr.kernelSize.size() != 2 || attr.roundMode == hdi::ROUND_MODE_CEIL)
      return false;
    step.spatial = {pair(attr.kernelSize), pair(attr.strides), {1, 1}, {0, 0}};
    return y.rank == 4 && y.dims[0] == x.dims[0] && y.dims[3] == x.dims[3] &&
           fit(step.spatial, attr.padMode, attr.pad, x, y) && with_activation(Kernel::max_pool, attr);
  }
  template <typename Other>
  bool operator()(const Other&) const {
    return false;
  }
};

}  // namespace

std::optional<Step> compile(const hdi::Model& model, const hdi::Node& node) {
  if (node.inputIndex.empty() || node.inputIndex.size() > 3 || node.outputIndex.size() != 1) return {};
  Step step{};
  std::vector<Tensor> operands;
  for (const uint32_t index : node.inputIndex) {
    if (!is_taken(model.allTensors[index])) return {};
    operands.push_back(tensor_of(model.allTensors[index]));
    step.inputs[step.input_count++] = index;
  }
  if (!is_taken(model.allTensors[node.outputIndex[0]])) return {};
  operands.push_back(tensor_of(model.allTensors[node.outputIndex[0]]));
  step.output = node.outputIndex[0];
  if (!std::visit(Compiler{step, operands}, node.attr)) return {};
  return step;
}

bool compile(const hdi::Model& model, Program& program) {
  program.inputs = model.inputIndex;
  program.outputs = model.outputIndex;
  for (const hdi::Tensor& tensor : model.allTensors) {
    program.tensors.push_back(tensor_of(tensor));
    if (tensor.data.fd < 0 || !is_taken(tensor)) continue;
    const Mapping mapping(tensor.data);
    Tensor& made = program.tensors.back();
    if (mapping.data() == nullptr || tensor.data.dataSize != made.elements * sizeof(float)) return false;
    made.constant = int64_t(program.constants.size());
    program.constants.resize(program.constants.size() + made.elements);
    std::memcpy(&program.constants[size_t(made.constant)], mapping.data(), tensor.data.dataSize);
  }
  for (const hdi::Node& node : model.nodes) {
    const auto step = compile(model, node);
    if (!step) return false;
    program.steps.push_back(*step);
  }
  return true;
}

}  // namespace npu
