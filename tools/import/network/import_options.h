// Options of the reader of a model file.
#pragma once

#include "tools/import/network/network.h"

#include <functional>
#include <map>
#include <string>

namespace nnrt::import {

struct Options {
  std::map<std::string, Shape, std::less<>> input_shapes;  // by the name of the input; instead of the file's
};

// The shape of an input that a file declares: what the caller says instead, if anything. Fails with
// Code::invalid_parameter where that has another rank, or a dimension that is neither positive nor -1.
Result<Shape> input_shape(const Options& options, const std::string& name, const Shape& declared);

}  // namespace nnrt::import
