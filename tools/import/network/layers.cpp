#include "tools/import/network/layers.h"

#include "core/schema/schema.h"

namespace nnrt::import {
namespace {

std::string joined(std::string text, const Layer& layer) {
  for (const std::string& op : layer.fused) text += " + " + op;
  return text;
}

}  // namespace

int importance(Op type) {
  switch (schema(type).family) {
    case Family::data_movement:
    case Family::index:
    case Family::creation:
    case Family::cast: return 0;
    case Family::unary:
    case Family::binary:
    case Family::affine: return 1;
    default: return 2;
  }
}

std::string operators_of(const Layer& layer) { return joined(layer.op, layer); }

std::string label_of(const Layer& layer) { return joined(layer.op + " " + layer.name, layer); }

}  // namespace nnrt::import
