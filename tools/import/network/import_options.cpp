#include "tools/import/network/import_options.h"

#include "core/base/shape.h"
#include "core/base/text.h"

#include <algorithm>

namespace nnrt::import {

namespace {

std::string text(const Shape& shape) { return to_string(nnrt::Shape(shape.begin(), shape.end())); }

Shape filled(const InputShapes& known, const std::string& name, Shape shape) {
  const auto found = known.find(name);
  if (found == known.end() || found->second.size() != shape.size()) return shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 0 && found->second[d] != 0) shape[d] = found->second[d];
  }
  return shape;
}

}  // namespace

Result<Options> options_for(std::span<const std::string> inputs, Options options) {
  if (auto nameless = options.input_shapes.extract(""); !nameless.empty()) {
    if (inputs.size() != 1) {
      return invalid("Shape ", text(nameless.mapped()), " does not name an input; the model has ",
                     inputs.size(), ".");
    }
    options.input_shapes.insert_or_assign(inputs.front(), std::move(nameless.mapped()));
  }
  if (auto nameless = options.open_dimensions.extract(""); !nameless.empty() && inputs.size() == 1)
    options.open_dimensions.insert_or_assign(inputs.front(), std::move(nameless.mapped()));
  for (const auto& entry : options.input_shapes) {
    if (std::ranges::find(inputs, entry.first) == inputs.end())
      return invalid("The model has no input of the given name (", entry.first, ").");
  }
  return options;
}

Result<Shape> input_shape(const Options& options, const std::string& name, const Shape& declared) {
  const auto given = options.input_shapes.find(name);
  if (given == options.input_shapes.end()) return filled(options.open_dimensions, name, declared);
  Shape shape = given->second;
  if (shape.size() != declared.size()) {
    return invalid("The rank of the given shape ", text(shape), " of input ", name, " is not that of ",
                   text(declared), ".");
  }
  if (std::ranges::any_of(shape, [](int32_t dimension) { return dimension < -1; }))
    return invalid("A dimension of shape ", text(shape), " of input ", name, " is negative.");
  std::ranges::replace(shape, 0, -1);
  return shape;
}

}  // namespace nnrt::import
