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

Result<Built> build(const RunOptions& options, ModelFile& file) {
  if (options.api == "nnapi") return build_nnapi(options, file);
  if (options.api != "oh_nn") return invalid("API (", options.api, ") is not one of: oh_nn, nnapi.");
  NNRT_ASSIGN(const Device device, choose_device(options.model, file));
  // A comparison builds the model again.
  auto executable = options.compare.empty() ? Executable::build_once(file, device, options.model.build)
                                            : Executable::build(file, device, options.model.build);
  if (!executable.ok()) return std::move(executable).error();
  return built(std::make_shared<const Executable>(std::move(executable).value()), device.name, device.id,
               options);
}

}  // namespace nnrt::tool
