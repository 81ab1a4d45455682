// Command line options for inputs: --input, --shape, --mean and --scale.
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
  std::vector<std::string> inputs;  // "x=cat.png"; the name is optional with one input
  std::vector<std::string> shapes;  // "x=1,224,224,3"
  std::vector<std::string> mean, scale;
  std::shared_ptr<NpzFiles> archives = std::make_shared<NpzFiles>();  // those among the inputs
};

// "x=1,3,H,W" for an input with open dimensions.
std::string shape_pattern(const import::Tensor& tensor);
// Whether a dimension other than the first one, which counts rows, is open.
bool is_open(const import::Tensor& tensor);

// By name, which is empty if not given. Fails if a shape cannot be parsed.
Result<InputShapes> parse_shapes(std::span<const std::string> texts);
// Shapes of the arrays (.npy, .npz) among the values of --input, by name as above. Skips unreadable files;
// make_inputs reports them.
InputShapes shapes_of_arrays(const InputOptions& options);

struct Input {
  Array array;
  std::string origin;  // "cat.png (640 x 480), (pixel - 127.5) / 127.5"
};

std::vector<Array> arrays_of(std::vector<Input> inputs);

// One per input of the model, in order. Inputs without an option are random with a fixed seed. A first
// dimension that is open becomes 1. Fails if an option does not fit; with Code::dynamic_shape if nothing
// tells an open dimension.
Result<std::vector<Input>> make_inputs(std::span<const import::Tensor> tensors, const InputOptions& options);

}  // namespace nnrt::tool
