#include "tools/nnrt/command/run_session.h"

#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/base/repeat.h"

namespace nnrt::tool {

Result<LoadedModel> start(const RunOptions& options) {
  if (options.compare.empty()) {
    NNRT_ASSIGN(ReadyModel ready, make_ready(options.model));
    return LoadedModel{std::move(ready.file), std::move(ready.executable)};
  }
  // The tolerances of a comparison depend on the network.
  NNRT_ASSIGN(ModelFile file, open(options.model));
  NNRT_ASSIGN(const Device device, choose_device(options.model, file));
  NNRT_ASSIGN(Executable executable, Executable::build(file, device, options.model.build));
  return LoadedModel{std::move(file), std::move(executable)};
}

Result<RunResult> run(const Executable& executable, std::span<const Array> inputs,
                      const RunOptions& options) {
  NNRT_ASSIGN(Runner runner, Runner::create(executable, inputs));
  RunResult answer;
  const auto once = [&]() -> Status {
    const Stopwatch stopwatch;
    NNRT_TRY(options.async ? runner.run_async() : runner.run());
    answer.ms.push_back(stopwatch.ms());
    return {};
  };
  NNRT_TRY(repeat("running on " + executable.device().name, options.runs, once));
  NNRT_ASSIGN(answer.outputs, runner.outputs());
  return answer;
}

}  // namespace nnrt::tool
