// What the reader of a model file may be told.
#pragma once

#include "tools/import/network.h"

#include <functional>
#include <map>
#include <string>

namespace nnrt::import {

struct Options {
  std::map<std::string, Shape, std::less<>> input_shapes;  // by the name of the input; instead of the file's
};

}  // namespace nnrt::import
