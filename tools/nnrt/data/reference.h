// Expected outputs in files, such as another framework's.
#pragma once

#include "tools/nnrt/data/difference.h"

namespace nnrt::tool {

// Whether the text names a reference, not a device: an archive (.npz), [OUTPUT=]an array (.npy), or a folder
// with a '/' in its path.
bool is_reference(const std::string& text);

// The expected values of each output; empty for those that the files lack. Archives assign arrays by name,
// or by position where these are NumPy's arr_0, arr_1; folders have a file for each output, as written by
// write_outputs() or with the output's name. Fails if an array belongs to no output, or there is none.
Result<std::vector<std::optional<Array>>> read_reference(std::span<const std::string> texts,
                                                         std::span<const import::Tensor> outputs);

// Compares an output with its expected values. Dimensions of 1 do not count in shapes. Floats are compared
// with the real values of a quantized output.
Result<OutputDifference> compare_with_reference(const import::Tensor& output, const Array& got,
                                                const Array& want, const Tolerance& tolerance);

// Of all outputs that have a reference.
Result<std::vector<OutputDifference>> compare_all(std::span<const import::Tensor> outputs,
                                                  std::span<const Array> got,
                                                  std::span<const std::optional<Array>> want,
                                                  std::span<const Tolerance> tolerances);

// "ref.npz", "y=y.npy, z=z.npy"
std::string title_of(std::span<const std::string> texts);

}  // namespace nnrt::tool
