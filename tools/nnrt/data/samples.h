// A folder of samples: inputs for many runs.
#pragma once

#include "tools/nnrt/data/input.h"

#include <filesystem>
#include <limits>

namespace nnrt::tool {

struct Sample {
  std::filesystem::path path;  // a file, or a folder with one file per input
  std::string name;            // path relative to the folder: "cat/17.png"
};

// Sorted by name. For a model with one input, every readable file below the folder is a sample (.png,
// .jpg, .jpeg, .webp, .bmp, .npy, .bin, .raw, .jsonl); with several inputs, every .jsonl file and every
// subfolder. Fails if there is none.
Result<std::vector<Sample>> list_samples(const std::filesystem::path& folder, size_t input_count);

// The inputs for one run, with their origins. Files in a folder are matched to inputs by name; a .jsonl file
// gives its first case.
Result<std::vector<Input>> read_sample(const Sample& sample, std::span<const import::Tensor> inputs,
                                       const InputOptions& options);

}  // namespace nnrt::tool
