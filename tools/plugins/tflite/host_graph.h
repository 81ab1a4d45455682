// The graph of a TensorFlow Lite interpreter as plain values, without the framework's types.
#pragma once

#include "core/base/bytes.h"
#include "tools/import/network/network.h"

#include <tflite_generated.h>

#include <string>
#include <vector>

namespace nnrt::tflite_plugin {

namespace format = import::tflite::format;

struct HostTensor {
  format::TensorT table;  // without a buffer
  SharedBytes data;       // constants
  std::string fault;      // why no operator here can use it
  bool is_open = false;   // its shape may change with the inputs
};

struct HostNode {
  int32_t number = 0;  // in the interpreter
  format::BuiltinOperator code{};
  std::string custom_name;
  format::OperatorT table;  // with the interpreter's tensor numbers
  std::string fault;        // why it stays with the interpreter
};

struct HostGraph {
  std::vector<HostTensor> tensors;  // by the interpreter's numbers
  std::vector<HostNode> nodes;      // in execution order

  bool is_constant(int32_t tensor) const { return tensors[static_cast<size_t>(tensor)].data != nullptr; }
};

// "CONV_2D (node 12)"
std::string name_of(const HostNode& node);

}  // namespace nnrt::tflite_plugin
