// The classes that samples belong to.
#pragma once

#include "tools/nnrt/data/samples.h"

namespace nnrt::tool {

// By sample. A class is the number of a score in the model's output, or a name, whose number is that of its
// line in `labels`. It stands in `list`, a file with lines of a sample's name and its class, or without such
// a file (empty) it is the folder right below that of all samples. Names of folders without labels count in
// the order of the alphabet.
Result<std::vector<size_t>> classes_of(std::span<const Sample> samples, const std::filesystem::path& list,
                                       std::span<const std::string> labels);

}  // namespace nnrt::tool
