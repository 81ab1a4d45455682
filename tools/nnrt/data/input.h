// Options of a command line for a model's inputs: --input, --shape, --mean and --scale.
#pragma once

#include "tools/import/network/import_options.h"
#include "tools/nnrt/base/array.h"
#include "tools/nnrt/data/npz.h"
#include "tools/nnrt/image/image.h"

#include <memory>
#include <span>
#include <string>

namespace nnrt::tool {

using import::InputShapes;

struct InputOptions {
  std::vector<std::string> inputs;  // "x=cat.png", or without the name where the model has one input
  std::vector<std::string> shapes;  // "x=1,224,224,3"
  std::vector<std::string> mean, scale;
  std::shared_ptr<NpzFiles> archives = std::make_shared<NpzFiles>();  // those among the inputs
};

// By name; the name is empty where none was given. Fails where a shape cannot be read.
Result<InputShapes> parse_shapes(std::span<const std::string> texts);
// Shapes of the arrays (.npy, .npz) among the values of --input, by name as above. Files that cannot be read
// are left to make_inputs.
InputShapes shapes_of_arrays(const InputOptions& options);

struct Input {
  Array array;
  std::string origin;  // for people: "cat.png (640 x 480), (pixel - 127.5) / 127.5"
};

// One for each of the model's inputs, in order. Inputs without an option are random, from a fixed seed, so
// that every run is the same. Fails if an option does not fit.
Result<std::vector<Input>> make_inputs(std::span<const import::Tensor> tensors, const InputOptions& options);

}  // namespace nnrt::tool
