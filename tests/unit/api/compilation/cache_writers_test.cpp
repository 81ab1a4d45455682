// Cache writers that are killed, interfere with each other, or lack permissions.
#include "tests/unit/api/compilation/cache_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <random>
#include <thread>

using namespace api_tests;
using namespace std::chrono_literals;

namespace {

constexpr int32_t kElements = 4099;

// A process that saves to a directory until it is killed.
class Writer {
 public:
  explicit Writer(const TemporaryDirectory& directory) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string program = CACHE_WRITER, path = directory.path(), count = std::to_string(kElements);
    char* arguments[] = {program.data(), path.data(), count.data(), nullptr};
    EXPECT_EQ(posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char started = 1;
    EXPECT_EQ(read(ends[0], &started, 1), 1);
    close(ends[0]);
  }
  ~Writer() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Writer(const Writer&) = delete;

 private:
  pid_t process_ = 0;
};

void expect_one_of_both(const TemporaryDirectory& directory) {
  const Compilation restored = for_cache();
  ASSERT_EQ(build_with_cache(restored, directory.path(), 1), OH_NN_SUCCESS);
  const float summand = summand_of(restored, kElements);
  EXPECT_TRUE(summand == 1 || summand == 2) << summand;
}

// Runs as a user other than root, who ignores permissions.
class AsNobody {
 public:
  AsNobody() { EXPECT_TRUE(!was_root_ || seteuid(65534) == 0); }
  ~AsNobody() {
    EXPECT_TRUE(!was_root_ || seteuid(0) == 0);
    prctl(PR_SET_DUMPABLE, 1);  // reset by the change of user; LeakSanitizer needs it
  }
  AsNobody(const AsNobody&) = delete;

 private:
  const bool was_root_ = geteuid() == 0;
};

OH_NN_ReturnCode save_as_nobody(const TemporaryDirectory& directory, fs::perms permissions) {
  fs::permissions(directory.path(), permissions);
  const AsNobody nobody;
  return save(2, directory.path(), 2);
}

}  // namespace

TEST(CacheWriters, ReplaceCachesAtomically) {
  const TemporaryDirectory directory;
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    {
      const Writer writer(directory);
      std::this_thread::sleep_for(1us * (random() % 8000));
    }
    expect_one_of_both(directory);
  }
  ASSERT_EQ(save(3, directory.path(), 1), OH_NN_SUCCESS);
  EXPECT_EQ(directory.files(), 2u) << "no temporary files of the dead";
}

TEST(CacheWriters, TwoAtOnceDoNotDisturbReaders) {
  const TemporaryDirectory directory;
  const Writer one(directory), two(directory);
  for (int round = 0; round < 300; ++round) expect_one_of_both(directory);
}

TEST(CacheWriters, CleanUpOnFullDisk) {
  const TemporaryDirectory directory;
  ASSERT_EQ(save(1, directory.path(), 1, kElements), OH_NN_SUCCESS);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  signal(SIGXFSZ, SIG_IGN);
  const rlimit full{4096, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  const Compilation compilation = compilation_of(summand_model(2, kElements));
  const OH_NN_ReturnCode code = build_with_cache(compilation, directory.path(), 2);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(code, OH_NN_SAVE_CACHE_EXCEPTION);
  EXPECT_EQ(OH_NNExecutor_Construct(compilation.get()), nullptr);
  EXPECT_EQ(directory.files(), 2u);
  expect_one_of_both(directory);
}

namespace {

OH_NN_ReturnCode build_optional(float summand, const std::string& path, float& result) {
  const Compilation compilation = compilation_of(summand_model(summand, kElements));
  EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "nnrt.cache", "optional", 8),
            OH_NN_SUCCESS);
  const OH_NN_ReturnCode code = build_with_cache(compilation, path, 2);
  if (code == OH_NN_SUCCESS) result = summand_of(compilation, kElements);
  return code;
}

}  // namespace

TEST(CacheWriters, AreOptionalIfTheClientSaysSo) {
  const TemporaryDirectory directory;
  float summand = 0;
  ASSERT_EQ(save(1, directory.path(), 1, kElements), OH_NN_SUCCESS);
  fs::permissions(directory.path(), fs::perms(0555));
  {
    const AsNobody nobody;
    EXPECT_EQ(build_optional(2, directory.path(), summand), OH_NN_SUCCESS);
  }
  EXPECT_EQ(summand, 2);
  fs::permissions(directory.path(), fs::perms(0755));
  EXPECT_EQ(directory.files(), 2u);
  EXPECT_EQ(build_optional(3, directory.file("none"), summand), OH_NN_SUCCESS);
  EXPECT_EQ(summand, 3);
  EXPECT_EQ(build_optional(4, directory.path(), summand), OH_NN_SUCCESS);
  EXPECT_EQ(summand_of(
                [&] {
                  Compilation restored = for_cache();
                  EXPECT_EQ(build_with_cache(restored, directory.path(), 2), OH_NN_SUCCESS);
                  return restored;
                }(),
                kElements),
            4)
      << "One that can be written is.";
}

TEST(CacheWriters, RejectUnwritableDirectory) {
  const TemporaryDirectory directory;
  EXPECT_EQ(save_as_nobody(directory, fs::perms(0555)), OH_NN_SAVE_CACHE_EXCEPTION);
  EXPECT_EQ(save_as_nobody(directory, fs::perms(0444)), OH_NN_INVALID_PATH);
  fs::permissions(directory.path(), fs::perms(0755));
  EXPECT_EQ(directory.files(), 0u);
}
