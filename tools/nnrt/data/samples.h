// The samples of a folder: a model's inputs for many runs.
#pragma once

#include "tools/nnrt/data/input.h"

#include <filesystem>
#include <limits>

namespace nnrt::tool {

struct Sample {
  std::filesystem::path path;  // a file, or a folder with a file for each input
  std::string name;            // its place in the folder: "cat/17.png"
};

// In the order of their names. For a model of one input each file below the folder that an input can be read
// from is a sample (.png, .jpg, .jpeg, .webp, .bmp, .npy, .bin, .raw, .jsonl); for a model of several each
// .jsonl file, and each folder in the folder. Fails where there is none.
Result<std::vector<Sample>> list_samples(const std::filesystem::path& folder, size_t input_count);

// The inputs of a run. Of a folder each file is the input whose name it has; of a .jsonl file its first case
// counts.
Result<std::vector<Array>> read_sample(const Sample& sample, std::span<const import::Tensor> inputs,
                                       const InputOptions& options);

}  // namespace nnrt::tool
