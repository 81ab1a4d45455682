// Folders are rooms: within an area a file includes what is in its own room and in those before it in the
// order below, which README.md of the area describes. No room is a bag of files, and tests mirror the rooms.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace nnrt {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 25;

struct Area {
  std::string folder;
  std::vector<std::string>
      rooms;  // from the lowest; a room has the folders in it that are not listed, "" is the area
};

const std::vector<Area>& areas() {
  static const std::vector<Area> all{
      {"api", {"include", "base", "tensor", "model", "compilation", "execution", ""}},
      {"backends/cpu",
       {"simd", "base", "gemm", "conv", "kernels/reduction", "kernels/elementwise", "kernels/data_movement",
        "kernels/sampling", "kernels/boxes", "kernels/lookup", "kernels/quantized_lstm", "kernels",
        "engine"}},
      {"backends/host", {"transport", "server", "client"}},
      {"backends/vulkan",
       {"device", "pipeline", "memory", "lower/common", "lower/data_movement", "lower/elementwise",
        "lower/reduction", "lower/gemm", "lower/int8", "lower/attention", "lower/recurrent", "lower/conv",
        "lower/sampling", "passes", "program", "tuning", "runtime"}},
      {"core",
       {"base", "platform", "graph", "schema", "schema/data_movement", "schema/boxes", "schema/operators",
        "passes/simplify", "passes", "device", "placement", "runtime", "cache"}},
      {"nnapi",
       {"include", "base", "model", "operations", "lower", "lower/families", "plan", "device", "memory",
        "builder", "compilation", "execution"}},
      {"shaders", {"include/base", "include/elementwise", "include/gemm", "include/conv", ""}},
      {"tools/import", {"include", "network", "quantizer", "onnx", "tflite", "nnapi", "", "library"}},
      {"tools/nnrt", {"base", "image", "data", "session", "generate", "plan", "quantize", "command", ""}},
  };
  return all;
}

// Folders with one source file, which have a reason to be folders.
const std::set<std::string> kAlone{
    "backends",           // lists the devices that come with the runtime
    "tools/device_host",  // a program
};

bool is_source(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".cpp" || extension == ".comp" || extension == ".glsl";
}

// Public headers stand where clients look for them.
bool is_public(const std::string& file) {
  return file.starts_with("api/include/") || file.starts_with("nnapi/include/") ||
         file.starts_with("tools/import/include/");
}

std::vector<std::string> sources_in(const std::string& folder) {
  std::vector<std::string> files;
  const fs::path root(NNRT_SOURCE_DIR);
  for (const auto& entry : fs::recursive_directory_iterator(root / folder))
    if (is_source(entry.path())) files.push_back(entry.path().lexically_relative(root).generic_string());
  return files;
}

// The index of the room that the file is in: that with the longest name that its folder begins with.
std::optional<size_t> room_of(const Area& area, const std::string& file) {
  const std::string folder = fs::path(file).parent_path().generic_string() + "/";
  std::optional<size_t> found;
  for (size_t i = 0; i < area.rooms.size(); ++i) {
    const std::string& room = area.rooms[i];
    const std::string prefix = area.folder + (room.empty() ? "/" : "/" + room + "/");
    if (!folder.starts_with(prefix)) continue;
    if (!found || room.size() > area.rooms[*found].size()) found = i;
  }
  return found;
}

std::vector<std::string> includes_of(const std::string& file) {
  static const std::regex include(R"re(\s*#\s*include\s*"([^"]+)".*)re");
  std::vector<std::string> includes;
  std::ifstream stream(fs::path(NNRT_SOURCE_DIR) / file);
  std::smatch match;
  for (std::string line; std::getline(stream, line);) {
    if (!std::regex_match(line, match, include)) continue;
    const fs::path beside = (fs::path(file).parent_path() / match[1].str()).lexically_normal();
    includes.push_back(fs::exists(fs::path(NNRT_SOURCE_DIR) / beside) ? beside.generic_string()
                                                                      : match[1].str());
  }
  return includes;
}

std::string pointing_up(const Area& area, const std::string& file, const std::vector<std::string>& includes) {
  const auto room = room_of(area, file);
  if (!room) return file + " is in no room of " + area.folder;
  for (const std::string& included : includes) {
    if (!included.starts_with(area.folder + "/")) continue;
    const auto other = room_of(area, included);
    if (!other || *other > *room) return file + " includes " + included + ", which is in a later room";
  }
  return {};
}

// The folders that the README.md of `folder`, or of the next one above it, has a row for, in their order.
std::vector<std::string> described_near(const std::string& folder) {
  fs::path above(folder);
  const fs::path root(NNRT_SOURCE_DIR);
  while (!fs::exists(root / above / "README.md")) above = above.parent_path();
  static const std::regex row(R"re(\| `([^`]+)` \| .*\S.* \|)re");
  std::vector<std::string> folders;
  std::ifstream stream(root / above / "README.md");
  std::smatch match;
  for (std::string line; std::getline(stream, line);)
    if (std::regex_match(line, match, row))
      folders.push_back((above / match[1].str()).lexically_normal().generic_string());
  for (std::string& name : folders)
    if (name.ends_with('/')) name.pop_back();
  return folders;
}

}  // namespace

TEST(Rooms, AreDescribedInTheOrderOfTheirIncludes) {
  for (const Area& area : areas()) {
    std::vector<std::string> rooms, described = described_near(area.folder);
    for (const std::string& room : area.rooms)
      if (!room.empty()) rooms.push_back(area.folder + "/" + room);
    std::erase_if(described,
                  [&](const std::string& name) { return std::ranges::find(rooms, name) == rooms.end(); });
    EXPECT_EQ(described, rooms) << area.folder;
  }
}

TEST(Rooms, AreAllDescribed) {
  for (const char* part :
       {"api", "backends", "bench", "core", "examples", "nnapi", "python", "shaders", "tools"}) {
    for (const std::string& file : sources_in(part)) {
      const std::string folder = fs::path(file).parent_path().generic_string();
      if (is_public(file) || fs::exists(fs::path(NNRT_SOURCE_DIR) / folder / "README.md")) continue;
      const std::vector<std::string> described = described_near(folder);
      EXPECT_TRUE(std::ranges::find(described, folder) != described.end())
          << folder << " has no row in a README.md";
    }
  }
}

TEST(Rooms, IncludeOnlyWhatIsBeforeThem) {
  for (const Area& area : areas()) {
    const std::vector<std::string> files = sources_in(area.folder);
    EXPECT_GT(files.size(), 20u) << area.folder;
    for (const std::string& file : files) EXPECT_EQ(pointing_up(area, file, includes_of(file)), "");
  }
}

TEST(Rooms, AreToldWhatPointsUp) {
  const auto core = std::ranges::find(areas(), "core", &Area::folder);
  EXPECT_NE(pointing_up(*core, "core/base/text.h", {"core/graph/graph.h"}), "");
  EXPECT_NE(pointing_up(*core, "core/new_room/file.h", {}), "");
  EXPECT_EQ(pointing_up(*core, "core/graph/graph.h", {"core/base/text.h", "api/base/boundary.h"}), "");
}

TEST(Rooms, HoldSomeFilesAndNotTooMany) {
  std::map<std::string, size_t> counts;
  for (const char* part :
       {"api", "backends", "bench", "core", "examples", "nnapi", "python", "shaders", "tools"})
    for (const std::string& file : sources_in(part))
      if (!is_public(file)) ++counts[fs::path(file).parent_path().generic_string()];
  EXPECT_GT(counts.size(), 40u);
  for (const auto& [folder, count] : counts) {
    EXPECT_LE(count, kMaxFiles) << folder;
    EXPECT_TRUE(count > 1 || kAlone.contains(folder)) << folder << " has one file alone";
  }
}

TEST(Rooms, HaveNoTwoFilesOfOneBaseName) {
  std::map<std::string, std::string> folders;
  for (const char* part : {"api", "backends", "bench", "core", "examples", "python", "shaders", "tools"}) {
    for (const std::string& file : sources_in(part)) {
      if (file.starts_with("api/include/")) continue;
      const std::string folder = fs::path(file).parent_path().generic_string();
      const auto [found, is_new] = folders.emplace(fs::path(file).stem().string(), folder);
      EXPECT_TRUE(is_new || found->second == folder) << file << " and one in " << found->second;
    }
  }
}

TEST(Rooms, AreMirroredByTheirTests) {
  const std::map<std::string, std::string> mirrors{{"tests/unit/core", "core"},
                                                   {"tests/unit/cpu", "backends/cpu"},
                                                   {"tests/unit/nnapi", "nnapi"},
                                                   {"tests/unit/vulkan", "backends/vulkan"}};
  const fs::path root(NNRT_SOURCE_DIR);
  size_t folders = 0;
  for (const auto& [tests, area] : mirrors) {
    for (const auto& entry : fs::recursive_directory_iterator(root / tests)) {
      if (!entry.is_directory()) continue;
      ++folders;
      const fs::path mirrored = root / area / entry.path().lexically_relative(root / tests);
      EXPECT_TRUE(fs::is_directory(mirrored)) << entry.path() << " mirrors no folder of " << area;
    }
  }
  EXPECT_GT(folders, 20u);
}

}  // namespace nnrt
