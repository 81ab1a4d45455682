#include "tools/nnrt/command/run_session.h"

#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/base/repeat.h"
#include "tools/nnrt/session/nnapi_session.h"

#include <memory>

namespace nnrt::tool {
namespace {

Result<Answer> run(const Executable& executable, std::span<const Array> inputs, unsigned runs, bool async) {
  NNRT_ASSIGN(Runner runner, Runner::create(executable, inputs));
  Answer answer;
  const auto once = [&]() -> Status {
    const Stopwatch stopwatch;
    NNRT_TRY(async ? runner.run_async() : runner.run());
    answer.ms.push_back(stopwatch.ms());
    return {};
  };
  NNRT_TRY(repeat("running on " + executable.device().name, runs, once));
  NNRT_ASSIGN(answer.outputs, runner.outputs());
  return answer;
}

Result<Answer> run(const NnapiSession& session, std::span<const Array> inputs, unsigned runs, bool async) {
  Answer answer;
  const auto once = [&]() -> Status {
    double ms = 0;
    NNRT_ASSIGN(answer.outputs, session.run(inputs, async, ms));
    answer.ms.push_back(ms);
    return {};
  };
  NNRT_TRY(repeat("running on " + session.device(), runs, once));
  return answer;
}

template <typename Session>
Built built(std::shared_ptr<const Session> session, std::string device, std::optional<size_t> id,
            const RunOptions& options) {
  return {std::move(device),
          id,
          session->inputs(),
          session->outputs(),
          session->build_ms(),
          [session, &options](std::span<const Array> inputs) {
            return run(*session, inputs, options.runs, options.async);
          }};
}

Result<Built> build_nnapi(const RunOptions& options, const ModelFile& file) {
  const ModelOptions& model = options.model;
  if (!file.network) return invalid("An offline model runs only through OH_NN, not through NNAPI.");
  if (!model.build.cache.empty()) return invalid("Option --cache works only with OH_NN.");
  if (model.device_given && model.device.empty()) return invalid("The name of the device is empty.");
  NNRT_ASSIGN(NnapiSession session,
              NnapiSession::build(*file.network, {model.device_given ? model.device : "", model.build.float16,
                                                  model.build.fallback}));
  std::string device = session.device();
  return built(std::make_shared<const NnapiSession>(std::move(session)), std::move(device), std::nullopt,
               options);
}

}  // namespace

namespace {

Built built(Executable executable, const RunOptions& options) {
  const Device device = executable.device();
  return built(std::make_shared<const Executable>(std::move(executable)), device.name, device.id, options);
}

}  // namespace

Result<Started> start(const RunOptions& options) {
  // The tolerances of a comparison depend on the network.
  if (options.api == "oh_nn" && options.compare.empty()) {
    NNRT_ASSIGN(ReadyModel ready, make_ready(options.model));
    return Started{std::move(ready.file), built(std::move(ready.executable), options)};
  }
  NNRT_ASSIGN(ModelFile file, open(options.model));
  if (options.api == "nnapi") {
    NNRT_ASSIGN(Built model, build_nnapi(options, file));
    return Started{std::move(file), std::move(model)};
  }
  if (options.api != "oh_nn") return invalid("API (", options.api, ") is not one of: oh_nn, nnapi.");
  NNRT_ASSIGN(const Device device, choose_device(options.model, file));
  NNRT_ASSIGN(Executable executable, Executable::build(file, device, options.model.build));
  return Started{std::move(file), built(std::move(executable), options)};
}

}  // namespace nnrt::tool
