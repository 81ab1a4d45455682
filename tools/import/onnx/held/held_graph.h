// Reads an ONNX graph that another program, such as a framework, holds in memory.
#pragma once

#include "core/base/bytes.h"
#include "tools/import/network/network.h"
#include "tools/import/onnx/messages/onnx_messages.h"

#include <string_view>
#include <vector>

namespace nnrt::import {

struct HeldGraph {
  onnx_file::ModelProto model;
  std::vector<ByteView> data;  // TensorProto.payload is an index into this; little-endian elements

  size_t data_size() const;
};

enum class Constants : uint8_t {
  copied,
  lent,  // the network's constants are valid as long as the graph's data
};

// `failed` receives the position of the node that cannot be expressed, or -1 if that is not the error.
Result<Network> read_onnx(const HeldGraph& graph, Constants constants, int& failed);

// Whether nodes of this operator can be read at all.
bool has_onnx_operator(std::string_view type, std::string_view domain);

}  // namespace nnrt::import
