// Random ONNX models, deterministic for a seed on every platform.
#pragma once

#include "tests/random_onnx/model_draft.h"

#include <filesystem>

namespace nnrt::test {

struct RandomModel {
  OnnxModel file;
  std::vector<Feed> feeds;     // inputs in order
  std::vector<Drawn> outputs;  // in order
  std::vector<Drawn> values;   // all inputs and results, in node order
};

RandomModel draw_model(uint32_t seed);

// One line per node: its inputs with shapes, and its attributes.
std::string describe(const RandomModel& model);

// The smallest failing part of a failing model. Intermediate results become inputs and outputs.
template <typename Fails>
RandomModel shrink(const RandomModel& model, const Fails& fails);

// The part that computes `outputs` from the feeds and from `cuts`, which become inputs.
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
