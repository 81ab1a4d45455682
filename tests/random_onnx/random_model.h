// A random ONNX model: one number makes one model, the same everywhere.
#pragma once

#include "tests/random_onnx/model_draft.h"

#include <filesystem>

namespace nnrt::test {

struct RandomModel {
  OnnxModel file;
  std::vector<Feed> feeds;     // its inputs, in order
  std::vector<Drawn> outputs;  // in order
  std::vector<Drawn> values;   // all inputs and results, in the order of nodes
};

RandomModel draw_model(uint32_t seed);

// One line for each node: what it reads, with shapes, and its attributes.
std::string describe(const RandomModel& model);

// Returns the smallest part of a failing model that still fails. Results between become inputs and outputs.
template <typename Fails>
RandomModel shrink(const RandomModel& model, const Fails& fails);

// The part that computes `output` of what is fed and of `cuts`, which become inputs.
RandomModel part_of(const RandomModel& model, const std::vector<Drawn>& outputs,
                    const std::vector<Drawn>& cuts);

template <typename Fails>
RandomModel shrink(const RandomModel& model, const Fails& fails) {
  RandomModel min = model;
  for (const Drawn& value : model.values) {
    const RandomModel part = part_of(model, {value}, {});
    if (part.file.file.graph().node_size() > 0 && value.type != OnnxModel::kBool && fails(part)) {
      min = part;
      break;
    }
  }
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const Drawn& value : min.values) {
      if (!value.is_float()) continue;
      RandomModel part = part_of(min, min.outputs, {value});
      if (part.file.file.graph().node_size() >= min.file.file.graph().node_size() || !fails(part)) continue;
      min = std::move(part);
      smaller = true;
      break;
    }
  }
  return min;
}

}  // namespace nnrt::test
