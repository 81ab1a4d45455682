// A setuid program ignores the environment: otherwise it would load libraries, start programs and write files
// chosen by an unprivileged user.
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

// Returns whether another user can access a file, by the permissions of all its parent folders.
bool is_for_everybody(fs::path path) {
  struct stat status {};
  while (true) {
    if (stat(path.c_str(), &status) != 0 || (status.st_mode & S_IXOTH) == 0) return false;
    if (path == path.root_path()) return true;
    path = path.parent_path();
  }
}

class SecureProgram : public testing::Test {
 protected:
  SecureProgram() { chmod(folder_.path().c_str(), 0777); }

  // Why this machine cannot run such a program; empty if it can.
  std::string obstacle() const {
    if (geteuid() != 0) return "only root can make a program that is another user's";
    struct statvfs place {};
    if (statvfs(folder_.path().c_str(), &place) != 0 || (place.f_flag & ST_NOSUID) != 0)
      return "the folder for temporary files is mounted with nosuid";
    for (const char* library : {CORE_LIBRARY, RUNTIME_LIBRARY}) {
      if (!is_for_everybody(fs::path(library).parent_path()))
        return "another user cannot read " + std::string(library);
    }
    return {};
  }

  std::string client(bool is_secure) const {
    const std::string path = folder_.file(is_secure ? "secure" : "plain");
    fs::copy_file(SECURE_CLIENT, path, fs::copy_options::overwrite_existing);
    const bool is_given_away = !is_secure || chown(path.c_str(), kNobody, kNobody) == 0;
    EXPECT_TRUE(is_given_away);
    EXPECT_EQ(chmod(path.c_str(), is_secure ? 04755 : 0755), 0);
    return path;
  }

  // The output of the client, run with these variables ("A=b C=d").
  static std::string output_of(const std::string& client, const std::string& variables) {
    const std::string command =
        "ASAN_OPTIONS=detect_leaks=0 NNRT_LOG=off " + variables + " " + client + " 2>&1";
    FILE* const pipe = popen(command.c_str(), "r");
    std::string text;
    for (int byte = std::fgetc(pipe); byte != EOF; byte = std::fgetc(pipe)) text += char(byte);
    pclose(pipe);
    return text;
  }

  std::string file(const std::string& name) const { return folder_.file(name); }
  bool exists(const std::string& name) const { return fs::exists(file(name)); }

 private:
  const nnrt::test::TemporaryFolder folder_;
};

bool says(const std::string& output, const std::string& what) {
  return output.find(what) != std::string::npos;
}

}  // namespace

TEST_F(SecureProgram, IgnoresTheEnvironment) {
  const std::string variables = "NNRT_DEVICES=cpu NNRT_PLUGINS=" PLUGIN " NNRT_TRACE=" + file("trace") +
                                " NNRT_PLACEMENT=" + file("placement") + " NNRT_COSTS=" + file("costs") +
                                " XDG_CACHE_HOME=" + file("cache");
  const std::string plain = output_of(client(false), variables);
  EXPECT_TRUE(says(plain, "secure 0") && says(plain, "run 0")) << plain;
  EXPECT_TRUE(says(plain, "ExampleNPU")) << plain;
  EXPECT_FALSE(says(plain, "NNRt auto")) << plain;
  for (const char* name : {"trace", "placement"}) {
    EXPECT_TRUE(exists(name)) << name;
    fs::remove(file(name));
  }

  if (const std::string why = obstacle(); !why.empty()) GTEST_SKIP() << why;
  const std::string secure = output_of(client(true), variables);
  ASSERT_TRUE(says(secure, "secure 1") && says(secure, "run 0")) << secure;
  EXPECT_FALSE(says(secure, "ExampleNPU")) << secure;
  EXPECT_TRUE(says(secure, "NNRt auto")) << secure << "as many devices as without the variables";
  for (const char* name : {"trace", "placement", "costs", "cache"}) EXPECT_FALSE(exists(name)) << name;
}

TEST_F(SecureProgram, StartsNoHostByTheEnvironment) {
  const std::string host = file("host");
  std::ofstream(host) << "#!/bin/sh\ntouch " << file("started") << "\n";
  ASSERT_EQ(chmod(host.c_str(), 0755), 0);
  const std::string variables = "NNRT_DEVICES=cpu NNRT_HOSTED=cpu NNRT_TEST_DEVICE_HOST=" + host;
  static_cast<void>(output_of(client(false), variables));
  EXPECT_TRUE(exists("started"));
  fs::remove(file("started"));

  if (const std::string why = obstacle(); !why.empty()) GTEST_SKIP() << why;
  const std::string secure = output_of(client(true), variables);
  ASSERT_TRUE(says(secure, "secure 1") && says(secure, "run 0")) << secure;
  EXPECT_FALSE(exists("started"));
}
