// The true classes of samples.
#pragma once

#include "tools/nnrt/data/samples.h"

namespace nnrt::tool {

struct SampleClasses {
  std::vector<size_t> numbers;  // the class index of each sample
  size_t counted_folders = 0;   // folders, if they are numbered alphabetically; there must be one per class
};

// The class index of each sample. `list` is a file with lines of a sample's name and its class; if it is
// empty, the class is the top-level folder of the sample. A class is an index into the model's scores, or
// a name, whose index is its line in `labels`. Without labels, folder names are numbered alphabetically.
Result<SampleClasses> classes_of(std::span<const Sample> samples, const std::filesystem::path& list,
                                 std::span<const std::string> labels);

}  // namespace nnrt::tool
