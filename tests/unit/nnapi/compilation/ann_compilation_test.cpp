// The checks of "Compilation".
#include "tests/unit/nnapi/nnapi_test_handles.h"

#include <bit>
#include <cstdint>

namespace nnapi_tests {
namespace {

const uint8_t kToken[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {};

TEST(Compilation, Create) {
  const Model model = add_model();
  ANeuralNetworksCompilation* compilation = nullptr;
  EXPECT_EQ(ANeuralNetworksCompilation_create(nullptr, &compilation), kNull);
  EXPECT_EQ(ANeuralNetworksCompilation_create(model.get(), nullptr), kNull);
  compilation = reinterpret_cast<ANeuralNetworksCompilation*>(&compilation);
  EXPECT_EQ(ANeuralNetworksCompilation_create(open_add().get(), &compilation), kState);
  EXPECT_EQ(compilation, nullptr);
}

TEST(Compilation, CreateForDevices) {
  const Model model = add_model();
  const ANeuralNetworksDevice* const cpu = devices().back();
  const ANeuralNetworksDevice* const twice[] = {cpu, cpu};
  const ANeuralNetworksDevice* const hole[] = {cpu, nullptr};
  ANeuralNetworksCompilation* compilation = nullptr;
  const auto create = ANeuralNetworksCompilation_createForDevices;
  EXPECT_EQ(create(nullptr, &cpu, 1, &compilation), kNull);
  EXPECT_EQ(create(model.get(), nullptr, 1, &compilation), kNull);
  EXPECT_EQ(create(model.get(), &cpu, 1, nullptr), kNull);
  EXPECT_EQ(create(model.get(), &cpu, 0, &compilation), kData);
  EXPECT_EQ(create(model.get(), twice, 2, &compilation), kData);
  EXPECT_EQ(create(model.get(), hole, 2, &compilation), kNull);
  EXPECT_EQ(create(open_add().get(), &cpu, 1, &compilation), kState);
  EXPECT_EQ(compilation, nullptr);
}

TEST(Compilation, SetPreference) {
  const Model model = add_model();
  const Compilation open = open_compilation(model), done = finished(open_compilation(model));
  EXPECT_EQ(ANeuralNetworksCompilation_setPreference(nullptr, 0), kNull);
  for (const int32_t preference : {-1, 3, 40})
    EXPECT_EQ(ANeuralNetworksCompilation_setPreference(open.get(), preference), kData);
  for (const int32_t preference : {0, 1, 2})
    EXPECT_EQ(ANeuralNetworksCompilation_setPreference(open.get(), preference), kOk);
  EXPECT_EQ(ANeuralNetworksCompilation_setPreference(done.get(), 0), kState);
}

TEST(Compilation, SetPriority) {
  const Model model = add_model();
  const Compilation open = open_compilation(model), done = finished(open_compilation(model));
  EXPECT_EQ(ANeuralNetworksCompilation_setPriority(nullptr, 100), kNull);
  for (const int priority : {0, 89, 91, 99, 101, 109, 111})
    EXPECT_EQ(ANeuralNetworksCompilation_setPriority(open.get(), priority), kData);
  for (const int priority : {90, 100, 110})
    EXPECT_EQ(ANeuralNetworksCompilation_setPriority(open.get(), priority), kOk);
  EXPECT_EQ(ANeuralNetworksCompilation_setPriority(done.get(), 100), kState);
}

TEST(Compilation, SetTimeout) {
  const Model model = add_model();
  EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(nullptr, 1), kNull);
  EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(open_compilation(model).get(), 1), kData);
  EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(finished(open_compilation(model)).get(), 1), kState);
  const Compilation compilation = open_for_device(model);
  EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(compilation.get(), UINT64_MAX), kOk);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), kOk);
  EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(compilation.get(), 1), kState);
}

TEST(Compilation, FinishMissesShortDeadline) {
  const Model model = add_model();
  const Compilation compilation = open_for_device(model);
  EXPECT_EQ(ANeuralNetworksCompilation_setTimeout(compilation.get(), 1), kOk);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
  ANeuralNetworksExecution* execution = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_create(compilation.get(), &execution), kState);
}

TEST(Compilation, SetCaching) {
  const Model model = add_model();
  const Compilation open = open_compilation(model), done = finished(open_compilation(model));
  EXPECT_EQ(ANeuralNetworksCompilation_setCaching(nullptr, ".", kToken), kNull);
  EXPECT_EQ(ANeuralNetworksCompilation_setCaching(open.get(), nullptr, kToken), kNull);
  EXPECT_EQ(ANeuralNetworksCompilation_setCaching(open.get(), ".", nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksCompilation_setCaching(done.get(), ".", kToken), kState);
  EXPECT_EQ(ANeuralNetworksCompilation_setCaching(open.get(), "/nonexistent/directory", kToken), kOk);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(open.get()), kOk) << "as without a cache";
}

TEST(Compilation, Finish) {
  const Model model = add_model();
  EXPECT_EQ(ANeuralNetworksCompilation_finish(nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(finished(open_compilation(model)).get()), kState);
}

TEST(Compilation, PrefersAlignmentAndPadding) {
  const Model model = add_model();
  const Compilation open = open_compilation(model), done = finished(open_compilation(model));
  for (const auto ask : {ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput,
                         ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput,
                         ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput,
                         ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput}) {
    uint32_t value = 0;
    EXPECT_EQ(ask(nullptr, 0, &value), kNull);
    EXPECT_EQ(ask(done.get(), 0, nullptr), kNull);
    EXPECT_EQ(ask(open.get(), 0, &value), kState);
    EXPECT_EQ(ask(done.get(), 1000, &value), kData);
    EXPECT_EQ(ask(done.get(), 0, &value), kOk);
    EXPECT_TRUE(std::has_single_bit(value));
  }
}

TEST(Compilation, OthersNeedItFinished) {
  const Compilation open = open_compilation(add_model());
  ANeuralNetworksExecution* execution = nullptr;
  ANeuralNetworksBurst* burst = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_create(open.get(), &execution), kState);
  EXPECT_EQ(ANeuralNetworksExecution_create(nullptr, &execution), kNull);
  EXPECT_EQ(ANeuralNetworksBurst_create(open.get(), &burst), kState);
  EXPECT_EQ(ANeuralNetworksBurst_create(nullptr, &burst), kNull);
  const Compilation done = finished(open_compilation(add_model()));
  EXPECT_EQ(ANeuralNetworksExecution_create(done.get(), nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksBurst_create(done.get(), nullptr), kNull);
}

TEST(Compilation, FreeTakesNull) { ANeuralNetworksCompilation_free(nullptr); }

}  // namespace
}  // namespace nnapi_tests
