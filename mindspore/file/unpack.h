// Makes the constants of a file plain: external, packed and compressed ones.
#pragma once

#include "mindspore/model/source_graph.h"

#include <functional>

namespace nnrt::mindspore {

struct UnpackRules {
  // Reads `size` bytes of an external file; fails if `location` may not be read.
  std::function<Result<SharedBytes>(const ExternalData& data, size_t size)> external;
  // Called with the size of a constant before it is decoded; fails if that is too much. Few bytes can decode
  // to many.
  std::function<Status(size_t bytes)> take;
};

Status unpack_constants(SourceGraph& graph, const UnpackRules& rules);

}  // namespace nnrt::mindspore
