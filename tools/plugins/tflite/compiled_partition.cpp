#include "tools/plugins/tflite/compiled_partition.h"

#include "core/base/text.h"

#include <algorithm>
#include <iomanip>

namespace nnrt::tflite_plugin {
namespace {

constexpr size_t kMaxCompiled = 4;  // programs that are kept for other shapes

}  // namespace

Partition::Partition(PlannedPartition planned, plugins::PluginDevice device,
                     const plugins::PluginOptions& options)
    : section_(std::move(planned.section)),
      model_(std::move(planned.model)),
      network_(std::move(planned.hosted.network)),
      device_(std::move(device)),
      options_(options) {
  for (const size_t input : planned.hosted.states) states_.push_back(inputs()[input]);
}

std::vector<import::Shape> Partition::planned_shapes() const {
  std::vector<import::Shape> shapes;
  for (size_t i = 0; i < inputs().size(); ++i) shapes.push_back(model_.input_shape(i));
  return shapes;
}

Result<plugins::Program*> Partition::program_for(const std::vector<import::Shape>& shapes) {
  const auto found = std::ranges::find(compiled_, shapes, &CompiledShapes::shapes);
  if (found != compiled_.end()) {
    compiled_.splice(compiled_.begin(), compiled_, found);
    return &compiled_.front().program;
  }
  if (!network_ || shapes != planned_shapes()) {
    for (size_t i = 0; i < shapes.size(); ++i) model_.set_input_shape(i, shapes[i]);
    NNRT_ASSIGN(import::HostedNetwork hosted, model_.read());
    network_ = std::move(hosted.network);
  }
  std::string name;
  if (!options_.cache_dir.empty()) name = cat("tflite-", std::hex, model_.checksum(), "-");
  import::Network network = std::move(*network_);
  network_.reset();
  NNRT_ASSIGN(const plugins::CompiledNetwork model,
              plugins::CompiledNetwork::build(std::move(network), device_, options_, name));
  NNRT_ASSIGN(plugins::Program program, plugins::Program::create(model));
  if (compiled_.size() == kMaxCompiled) compiled_.pop_back();
  compiled_.push_front({shapes, std::move(program)});
  return &compiled_.front().program;
}

}  // namespace nnrt::tflite_plugin
