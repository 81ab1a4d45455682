// Shapes for the open inputs of a model that its file does not tell, but with which it builds.
#pragma once

#include "tools/nnrt/data/model_file.h"

#include <filesystem>
#include <span>
#include <vector>

namespace nnrt::tool {

// One shape per input, such that the model builds on the CPU; empty if none is found. Tries sizes of images
// in the graph, such as the one that its output is resized to, then common ones.
std::vector<Shape> usual_shapes(const std::filesystem::path& model, const import::Options& reading,
                                std::span<const import::Tensor> inputs);

// "--shape x=1,3,224,224" for each input that is open.
std::string shape_options(std::span<const import::Tensor> inputs, std::span<const Shape> shapes);

}  // namespace nnrt::tool
