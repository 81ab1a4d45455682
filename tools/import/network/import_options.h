// Options for reading a model file.
#pragma once

#include "tools/import/network/network.h"

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace nnrt::import {

class SourceFiles;

using InputShapes = std::map<std::string, Shape, std::less<>>;

struct Options {
  // Overrides the file's shapes, by input name. A shape without a name applies to the only input.
  InputShapes input_shapes{};
  // Like input_shapes, but only for the file's dynamic dimensions. Shapes of other inputs or ranks are
  // ignored.
  InputShapes open_dimensions{};
  // Inputs of an ONNX model, of integers or BOOL, that become constants with this value everywhere. Open
  // dimensions are 1. Other names are ignored.
  std::map<std::string, int64_t, std::less<>> fixed_inputs{};
  // Folders that external data links may point to, besides the model's own.
  std::vector<std::filesystem::path> external_folders{};
  // Records the files of external data before they are opened; may be null.
  SourceFiles* sources = nullptr;
};

// What a file declares.
struct Interface {
  std::vector<Tensor> inputs, outputs;  // without the inputs that have a value in the file
  std::set<std::string> operators;      // of the outermost graph
};

// Resolves unnamed shapes for a file with these inputs. Fails with Code::invalid_parameter if an input does
// not exist, or if a name is missing and there are several inputs.
Result<Options> options_for(std::span<const std::string> inputs, Options options);

// The shape of an input: the declared one unless the options override it. Fails with Code::invalid_parameter
// if the rank differs or a dimension is below -1. A 0 becomes -1: OH_NN cannot declare a dimension of 0, but
// a dynamic one may be 0 in a run.
Result<Shape> input_shape(const Options& options, const std::string& name, const Shape& declared);

}  // namespace nnrt::import
