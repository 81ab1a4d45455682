// A part of an ONNX model as a model of its own.
#pragma once

#include "tools/import/network/import_options.h"
#include "tools/import/network/network.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace nnrt::import {

struct OnnxCut {
  std::string file;
  std::vector<Tensor> inputs, outputs;
  size_t nodes = 0, all_nodes = 0;  // of the part, and of the model
};

// The nodes that compute `to` from `from`, and their constants. Both are values, or nodes, which stand for
// their outputs or for their inputs other than constants; without them, they are the model's own outputs or
// inputs. Other inputs of the model that the part reads stay inputs. `folder` holds external data, which are
// embedded. Fails if a name is unknown, if `to` does not depend on all of `from`, or if the model cannot be
// read: the types and shapes of new inputs are known from reading it.
Result<OnnxCut> cut_onnx(std::span<const std::byte> file, const std::filesystem::path& folder,
                         const Options& options, std::span<const std::string> from,
                         std::span<const std::string> to);

}  // namespace nnrt::import
