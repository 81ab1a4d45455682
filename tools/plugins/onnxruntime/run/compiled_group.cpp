#include "tools/plugins/onnxruntime/run/compiled_group.h"

#include "tools/plugins/onnxruntime/run/runner.h"

namespace nnrt::ep {

CompiledGroup::CompiledGroup(plugins::CompiledNetwork model) : model_(std::move(model)) {}
CompiledGroup::~CompiledGroup() = default;

Result<std::shared_ptr<CompiledGroup>> CompiledGroup::create(plugins::CompiledNetwork model) {
  std::shared_ptr<CompiledGroup> made(new CompiledGroup(std::move(model)));
  NNRT_ASSIGN(auto runner, Runner::create(made->model_));
  made->idle_.push_back(std::move(runner));
  return made;
}

Result<std::unique_ptr<CompiledGroup::Runner>> CompiledGroup::take_runner() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto runner = std::move(idle_.back());
      idle_.pop_back();
      return runner;
    }
  }
  return Runner::create(model_);
}

Status CompiledGroup::run(std::span<const HostTensor> inputs, const Output& output) {
  NNRT_ASSIGN(auto runner, take_runner());
  NNRT_TRY(runner->run(inputs, output));  // a runner whose run failed is not used again
  ++runs_;
  copied_bytes_ += runner->copied_bytes();
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(runner));
  return {};
}

}  // namespace nnrt::ep
