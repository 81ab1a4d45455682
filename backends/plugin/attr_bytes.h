// Reads the bytes of Node::nodeAttr as OpenHarmony's generated code writes them. A structure of numbers alone
// is its memory, padded to a multiple of 8 bytes. Any other is its members one after the other: 4 bytes for a
// boolean, 4 or 8 for an enumeration, depending on the generator's version, a list after its 4-byte count, a
// string with its 0, padded to a multiple of 4.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

#include <neural_network_runtime/hdi/v2_0/node_attr_types.h>

namespace nnrt::plugin {

// The attribute of the same type as `like`. invalid_parameter: these are not its bytes.
Result<::nnrt::hdi::V2_0::NodeAttr> read_attr(const ::nnrt::hdi::V2_0::NodeAttr& like, ByteView bytes);

}  // namespace nnrt::plugin
