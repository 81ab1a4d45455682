// Functions defined by a model, and the graphs their calls expand to.
#pragma once

#include "core/base/result.h"
#include "tools/import/network/budget.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <map>
#include <memory>
#include <string_view>
#include <tuple>

namespace nnrt::import::onnx {

class Functions {
 public:
  explicit Functions(const onnx_file::ModelProto& model);

  // Null if the node is not a function call.
  const onnx_file::FunctionProto* find(const onnx_file::NodeProto& node) const;

  // The body with the call's attributes substituted. Lives as long as the Functions object; calls of a
  // function without attributes share one body.
  Result<const onnx_file::GraphProto*> body(const onnx_file::FunctionProto& function,
                                            const onnx_file::NodeProto& call, ConstantBudget& budget);

 private:
  using Name = std::tuple<std::string_view, std::string_view, std::string_view>;  // domain, name, overload

  std::map<Name, const onnx_file::FunctionProto*> functions_;
  std::map<const void*, std::unique_ptr<onnx_file::GraphProto>> bodies_;  // by function or call
};

}  // namespace nnrt::import::onnx
