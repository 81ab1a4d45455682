// Quantizes a float network to INT8, whatever file it came from.
#pragma once

#include "tools/import/quantizer/model_quantizer.h"

#include <filesystem>

namespace nnrt::import {

// Results are written in the format of `output`, with what `file` says beside the network: the file that the
// network comes from, empty if it has another format. See read_quantizer() for names and errors.
Result<std::unique_ptr<ModelQuantizer>> make_network_quantizer(Network network,
                                                               const std::filesystem::path& output,
                                                               std::string file,
                                                               const std::vector<std::string>& float_nodes);

}  // namespace nnrt::import
