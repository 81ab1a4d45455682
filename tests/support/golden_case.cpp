#include "tests/support/golden_case.h"

#include "core/schema/graph_builder.h"

namespace nnrt::test {
namespace {

Tensor tensor_of(const conformance::Tensor& tensor) {
  Tensor result;
  result.name = tensor.name;
  result.dtype = static_cast<DType>(tensor.dataType);
  result.format = static_cast<Format>(tensor.format);
  result.shape.assign(tensor.shape.begin(), tensor.shape.end());
  result.role = tensor.type;
  if (tensor.quant) result.quant = {tensor.quant->scales, tensor.quant->zeroPoints};
  return result;
}

// Records the first failing call and skips the rest.
class Calls {
 public:
  template <typename Call>
  void make(std::string_view name, const Call& call) {
    if (!name_.empty()) return;
    Status status = call();
    if (status.ok()) return;
    name_ = name;
    error_ = std::move(status).error();
  }

  Composed end(GraphPtr graph) { return {std::move(graph), name_, std::move(error_)}; }

 private:
  std::string_view name_;
  Error error_;
};

}  // namespace

Composed compose(const conformance::Case& golden) {
  GraphBuilder builder;
  Calls calls;
  for (uint32_t i = 0; i < golden.tensors.size(); ++i) {
    const conformance::Tensor& tensor = golden.tensors[i];
    calls.make("add_tensor", [&] { return builder.add_tensor(tensor_of(tensor)); });
    if (tensor.data) {
      calls.make("set_data", [&] { return builder.set_data(i, std::as_bytes(std::span(*tensor.data))); });
    }
  }
  for (const conformance::Operation& operation : golden.operations) {
    calls.make("add_operation", [&] {
      return builder.add_operation(operation.type, operation.params, operation.inputs, operation.outputs);
    });
  }
  calls.make("specify", [&] { return builder.specify(golden.inputs, golden.outputs); });
  calls.make("finish", [&] { return builder.finish(); });
  return calls.end(builder.graph());
}

}  // namespace nnrt::test
