// The ranges of a calibration, chosen by the names of a network's tensors.
#pragma once

#include "tools/import/model_quantizer.h"

#include <map>
#include <string>

namespace nnrt::test {

inline import::Ranges ranges_by_name(const import::Network& network,
                                     const std::map<std::string, import::ValueRange>& by_name) {
  import::Ranges ranges;
  for (import::TensorId id = 0; id < network.tensors.size(); ++id)
    if (const auto found = by_name.find(network.tensors[id].name); found != by_name.end())
      ranges.emplace(id, found->second);
  return ranges;
}

}  // namespace nnrt::test
