// A model of one node.
#pragma once

#include "core/base/bytes_of.h"
#include "core/schema/infer.h"
#include "core/schema/validate.h"

#include <span>
#include <string>
#include <vector>

namespace nnrt::testing_support {

inline Tensor tensor(DType dtype, Shape shape) {
  Tensor result;
  result.dtype = dtype;
  result.shape = std::move(shape);
  return result;
}

inline Tensor floats(Shape shape) { return tensor(DType::f32, std::move(shape)); }

inline Tensor quantized(Shape shape, std::vector<double> scales = {0.5}) {
  Tensor result = tensor(DType::i8, std::move(shape));
  result.quant.zero_points.assign(scales.size(), 0);
  result.quant.scales = std::move(scales);
  return result;
}

template <typename T>
Tensor constant(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor result = tensor(dtype, std::move(shape));
  result.data = std::make_shared<const Bytes>(bytes_of(values));
  return result;
}

inline Tensor i64s(const std::vector<int64_t>& values) {
  return constant<int64_t>(DType::i64, {int64_t(values.size())}, values);
}
inline Tensor i32s(const std::vector<int32_t>& values) {
  return constant<int32_t>(DType::i32, {int64_t(values.size())}, values);
}
inline Tensor i8(int8_t value) { return constant<int8_t>(DType::i8, {1}, {value}); }
inline Tensor boolean(bool value) { return constant<uint8_t>(DType::boolean, {1}, {uint8_t(value)}); }
inline Tensor f32(float value) { return constant<float>(DType::f32, {1}, {value}); }

inline Tensor as_param(int type, Tensor value) {
  value.role = type;
  return value;
}

inline Tensor in_format(Format format, Tensor value) {
  value.format = format;
  return value;
}

struct OneNode {
  Op op{};
  std::vector<Tensor> inputs{};
  std::vector<Tensor> params{};
  std::vector<Tensor> outputs{};

  Result<Attrs> operation_check() const {
    std::vector<Tensor> tensors;
    std::vector<uint32_t> ids[3];
    const std::vector<Tensor>* groups[] = {&params, &inputs, &outputs};
    for (size_t g = 0; g < 3; ++g) {
      for (const Tensor& member : *groups[g]) {
        ids[g].push_back(uint32_t(tensors.size()));
        tensors.push_back(member);
      }
    }
    return check_operation(schema(op), tensors, ids[0], ids[1], ids[2]);
  }

  // use(view), with the node as Finish sees it; its structure must be valid.
  template <typename Use>
  auto with_view(Use use) const -> decltype(use(std::declval<const NodeView&>())) {
    Graph graph;
    Node node;
    node.op = op;
    NNRT_ASSIGN(node.attrs, operation_check());
    std::vector<Shape> shapes;
    const auto add = [&](const std::vector<Tensor>& members, std::vector<TensorId>& ids) {
      for (const Tensor& member : members) {
        ids.push_back(TensorId(shapes.size()));
        shapes.push_back(member.shape);
        graph.tensors.push_back(member);
      }
    };
    add(inputs, node.inputs);
    add(outputs, node.outputs);
    return use(NodeView(graph, node, shapes, constant_values(graph)));
  }

  // The shapes that Finish infers.
  Result<std::vector<Shape>> infer() const { return with_view(infer_node); }

  // "ok", or the error.
  std::string complaint() const {
    const auto result = infer();
    return result.ok() ? "ok" : result.error().message;
  }
};

}  // namespace nnrt::testing_support
