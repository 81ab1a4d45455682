// Options of the reader of a model file.
#pragma once

#include "tools/import/network/network.h"

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace nnrt::import {

using InputShapes = std::map<std::string, Shape, std::less<>>;

struct Options {
  // By the name of the input, instead of the file's. A shape without a name is meant for the only input.
  InputShapes input_shapes{};
  // The same for the dimensions that the file leaves open. Shapes of other ranks or inputs are ignored.
  InputShapes open_dimensions{};
  // Folders into which links to external data may point, besides that of the model.
  std::vector<std::filesystem::path> external_folders{};
};

// Options for a file with these inputs, all of whose shapes have names. Fails with Code::invalid_parameter
// where the file has no such input, or several and the name is missing.
Result<Options> options_for(std::span<const std::string> inputs, Options options);

// The shape of an input that a file declares: what the caller says instead, if anything. Fails with
// Code::invalid_parameter where that has another rank, or a dimension below -1. Of 0 comes -1: OH_NN declares
// no dimension of 0, and runs may have it where a dimension is open.
Result<Shape> input_shape(const Options& options, const std::string& name, const Shape& declared);

}  // namespace nnrt::import
