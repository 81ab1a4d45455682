// Folders are rooms: within an area a file includes what is in its own room and in those that rooms.h names
// for it. README.md of the area describes them in that order. No room is a bag of files.
#include "tests/unit/core/rooms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace nnrt::test {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 25;

// Folders with one source file, which have a reason to be folders.
const std::set<std::string> kAlone{
    "backends",                  // lists the devices that come with the runtime
    "python",                    // builds the module
    "tests/operator_page",       // a program that tests a page of docs
    "tests/support/no_threads",  // a library of its own
    "tests/unity",               // the test of a script
    "tools/device_host",         // a program
};

bool is_source(const fs::path& path) {
  static const std::set<std::string> extensions{".h", ".c", ".cpp", ".comp", ".glsl", ".py", ".js", ".sh"};
  return extensions.contains(path.extension().string());
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

std::string folder_of(const Area& area, const Room& room) {
  return room.name == "." ? area.folder : area.folder + "/" + room.name;
}

// Returns the room that the file is in: that with the longest name that its folder begins with.
const Room* room_of(const Area& area, const std::string& file) {
  const std::string folder = fs::path(file).parent_path().generic_string() + "/";
  const Room* found = nullptr;
  for (const Room& room : area.rooms) {
    if (!folder.starts_with(folder_of(area, room) + "/")) continue;
    if (found == nullptr || folder_of(area, room).size() > folder_of(area, *found).size()) found = &room;
  }
  return found;
}

std::vector<std::string> rooms_before(const Room& room) {
  std::istringstream names{std::string(room.includes)};
  return {std::istream_iterator<std::string>(names), {}};
}

// Headers are found beside the file, from the root, and shaders' in their folder.
std::vector<std::string> includes_of(const std::string& file) {
  static const std::regex include(R"re(\s*#\s*include\s*"([^"]+)".*)re");
  const fs::path root(NNRT_SOURCE_DIR);
  std::vector<std::string> includes;
  std::ifstream stream(root / file);
  std::smatch match;
  for (std::string line; std::getline(stream, line);) {
    if (!std::regex_match(line, match, include)) continue;
    fs::path found = match[1].str();
    for (const fs::path& from : {fs::path(file).parent_path(), fs::path("shaders/include")}) {
      const fs::path path = (from / match[1].str()).lexically_normal();
      if (fs::exists(root / path)) found = path;
    }
    includes.push_back(found.generic_string());
  }
  return includes;
}

std::string not_allowed(const Area& area, const std::string& file, const std::vector<std::string>& includes) {
  const Room* const room = room_of(area, file);
  if (room == nullptr) return file + " is in no room of " + area.folder;
  const std::vector<std::string> allowed = rooms_before(*room);
  for (const std::string& included : includes) {
    if (!included.starts_with(area.folder + "/")) continue;
    const Room* const other = room_of(area, included);
    if (other == room) continue;
    if (other == nullptr || std::ranges::find(allowed, other->name) == allowed.end())
      return file + " includes " + included + ", which tests/unit/core/rooms.h does not allow";
  }
  return {};
}

// Returns the folders that the README.md of `folder`, or of the next one above it, has a row for, in their
// order.
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
    for (const Room& room : area.rooms)
      if (room.name != ".") rooms.push_back(folder_of(area, room));
    std::erase_if(described,
                  [&](const std::string& name) { return std::ranges::find(rooms, name) == rooms.end(); });
    EXPECT_EQ(described, rooms) << area.folder;
  }
}

TEST(Rooms, AreAllDescribed) {
  for (const char* part :
       {"api", "backends", "bench", "cmake", "core", "examples", "nnapi", "python", "shaders", "tools"}) {
    for (const std::string& file : sources_in(part)) {
      const std::string folder = fs::path(file).parent_path().generic_string();
      if (is_public(file) || fs::exists(fs::path(NNRT_SOURCE_DIR) / folder / "README.md")) continue;
      const std::vector<std::string> described = described_near(folder);
      EXPECT_TRUE(std::ranges::find(described, folder) != described.end())
          << folder << " has no row in a README.md";
    }
  }
}

TEST(Rooms, IncludeOnlyWhatTheyMay) {
  for (const Area& area : areas()) {
    const std::vector<std::string> files = sources_in(area.folder);
    EXPECT_GT(files.size(), 20u) << area.folder;
    for (const std::string& file : files) EXPECT_EQ(not_allowed(area, file, includes_of(file)), "");
  }
}

TEST(Rooms, StandBehindThoseThatTheyInclude) {
  for (const Area& area : areas()) {
    std::set<std::string> before;
    for (const Room& room : area.rooms) {
      for (const std::string& name : rooms_before(room))
        EXPECT_TRUE(before.contains(name)) << area.folder << ": " << room.name << " includes " << name;
      before.insert(room.name);
    }
  }
}

TEST(Rooms, AreToldWhatPointsUpAndAside) {
  const auto core = std::ranges::find(areas(), "core", &Area::folder);
  EXPECT_NE(not_allowed(*core, "core/base/text.h", {"core/graph/graph.h"}), "");
  EXPECT_NE(not_allowed(*core, "core/graph/graph.h", {"core/platform/log.h"}), "");
  EXPECT_NE(not_allowed(*core, "core/new_room/file.h", {}), "");
  EXPECT_EQ(not_allowed(*core, "core/graph/graph.h", {"core/base/text.h", "api/base/boundary.h"}), "");
}

TEST(Rooms, HoldSomeFilesAndNotTooMany) {
  std::map<std::string, size_t> counts;
  for (const char* part :
       {"api", "backends", "bench", "core", "examples", "nnapi", "python", "shaders", "tests", "tools"})
    for (const std::string& file : sources_in(part))
      if (!is_public(file)) ++counts[fs::path(file).parent_path().generic_string()];
  EXPECT_GT(counts.size(), 100u);
  for (const auto& [folder, count] : counts) {
    EXPECT_LE(count, kMaxFiles) << folder;
    // Tests have the folders of what they test, a fuzz target lies beside its corpus, and an example is
    // whole.
    if (folder.starts_with("tests/unit/") || folder.starts_with("tests/fuzz/") ||
        folder.starts_with("examples/"))
      continue;
    EXPECT_TRUE(count > 1 || kAlone.contains(folder)) << folder << " has one file alone";
  }
}

}  // namespace nnrt::test
