// A description of a model file, for the note of an offline model (OH_NNRt_SetModelNote): what the file says
// of inputs and outputs that the compiled model no longer knows, and the files attached to it.
#pragma once

#include "tools/import/attached_files.h"
#include "tools/import/network/network.h"

#include <span>
#include <vector>

namespace nnrt::import {

struct Description {
  std::vector<Tensor> inputs, outputs;  // without data
  std::vector<AttachedFile> files;
};

// The inputs and outputs of a network.
Description description_of(const Network& network, std::vector<AttachedFile> files);

Bytes encode_description(const Description& description);

// invalid_file unless the bytes are exactly what encode_description() writes. They may be hostile.
Result<Description> decode_description(std::span<const std::byte> bytes);

}  // namespace nnrt::import
