#include "tools/nnrt/doctor/child.h"

#include "core/base/text.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sstream>

namespace nnrt::tool {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

// Documents and the log share a pipe: a document is a line that begins with a brace.
void send_to(int descriptor, const Json& document) {
  const std::string line = "\n" + document.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  if (write(descriptor, line.data(), line.size()) < 0) _exit(1);
}

void sort_lines(const std::string& text, ChildEnd& end) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Json document = line.starts_with('{') ? Json::parse(line, nullptr, false) : Json();
    if (document.is_object())
      end.sent.push_back(std::move(document));
    else
      end.log += line + '\n';
  }
}

// Returns whether the writer closed its end in time.
bool read_until(Clock::time_point end, int descriptor, std::string& text) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd item{descriptor, POLLIN, 0};
    const int ready = left > 0 ? poll(&item, 1, static_cast<int>(left)) : 0;
    if (ready == 0) return false;
    std::array<char, 4096> buffer;
    const ssize_t count = ready < 0 ? -1 : read(descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<size_t>(count));
    if (count == 0 || (count < 0 && errno != EINTR)) return true;
  }
}

}  // namespace

ChildEnd in_child(const std::function<void(const Send&)>& work, int seconds) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {{}, "", "cannot be tried: there is no pipe"};
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return {{}, "", "cannot be tried: there is no process"};
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    work([&](const Json& document) { send_to(ends[1], document); });
    _exit(0);  // drivers crash in exit handlers
  }
  close(ends[1]);
  ChildEnd end;
  std::string text;
  const bool in_time = read_until(Clock::now() + std::chrono::seconds(seconds), ends[0], text);
  close(ends[0]);
  sort_lines(text, end);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    end.fault = cat("took more than ", seconds, " s");
  } else if (WIFSIGNALED(status)) {
    end.fault = cat("crashed (", strsignal(WTERMSIG(status)), ")");
  } else if (WEXITSTATUS(status) != 0) {
    end.fault = cat("ended the process with ", WEXITSTATUS(status));
  }
  return end;
}

}  // namespace nnrt::tool
