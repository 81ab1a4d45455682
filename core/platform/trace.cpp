#include "core/platform/trace.h"

#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/platform/descriptor.h"
#include "core/platform/file_limit.h"
#include "core/platform/fork.h"
#include "core/platform/log.h"
#include "core/platform/settings.h"
#include "core/platform/trace_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace nnrt::trace {

std::atomic<State> state{State::unknown};

namespace {

constexpr size_t kMaxBuffered = 1 << 18;
constexpr auto kLongestUnwritten = std::chrono::seconds(1);
constexpr std::string_view kHead = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
constexpr std::string_view kTail = "\n]}\n";
constexpr int64_t kFirstTrack = 1'000'000'000;  // above all thread ids

using Clock = std::chrono::steady_clock;

// Microseconds with three decimals.
std::string microseconds(Clock::duration duration) {
  const auto signed_count = std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
  const auto count = static_cast<unsigned long long>(signed_count);
  const unsigned long long nanoseconds = signed_count < 0 ? 0 - count : count;
  char text[32];
  std::snprintf(text, sizeof text, "%s%llu.%03llu", signed_count < 0 ? "-" : "", nanoseconds / 1000,
                nanoseconds % 1000);
  return text;
}

std::string resolved(std::string_view path) {
  std::string name(path);
  if (const size_t at = name.find("%p"); at != std::string::npos)
    name.replace(at, 2, std::to_string(getpid()));
  return name;
}

bool write_all(int fd, std::string_view text, off_t offset) {
  const FileLimit limit;
  while (!text.empty()) {
    const ssize_t written = pwrite(fd, text.data(), text.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
    offset += written;
  }
  return true;
}

int64_t thread_number() {
  static thread_local const int64_t number = gettid();
  return number;
}

}  // namespace

// All members are guarded by the sink's mutex.
class Session {
 public:
  Session(std::string path, int fd) : path_(std::move(path)), fd_(fd), process_(getpid()) {
    buffer_ = kHead;
    append(JsonObject()
               .add("ph", "M")
               .add("name", "process_name")
               .add("pid", process_)
               .add_json("args", JsonObject().add("name", cat("NNRt ", process_)).text()));
  }
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::string& path() const { return path_; }

  void append(const JsonObject& event) {
    const std::string text = (is_first_ ? "" : ",\n") + event.text();
    buffer_.reserve(buffer_.size() + text.size() + kTail.size());
    buffer_ += text;  // all or nothing
    is_first_ = false;
    const Time now = Clock::now();
    if (buffer_.size() > kMaxBuffered || now - flushed_ > kLongestUnwritten) flush();
  }

  // Does not allocate: called at the end of a client's work and at process exit.
  void flush() {
    flushed_ = Clock::now();
    // A forked child has a copy of the buffer, but the file belongs to its parent.
    if (getpid() != process_) return buffer_.clear();
    if (buffer_.empty() || is_broken_) return;
    const auto bytes = static_cast<off_t>(buffer_.size());
    buffer_ += kTail;  // already reserved
    is_broken_ = !write_all(fd_, buffer_, end_);
    if (is_broken_)
      best_effort([&] { log(LogLevel::warning, cat("Trace (", path_, ") cannot be written.")); });
    end_ += bytes;
    buffer_.clear();
  }

  // The final write.
  void finish() {
    if (fd_ < 0) return;
    flush();
    close(std::exchange(fd_, -1));
  }

  // The number of the row with this name.
  int64_t track(std::string_view name) {
    const auto known = tracks_.find(name);
    if (known != tracks_.end()) return known->second;
    const int64_t number = kFirstTrack + static_cast<int64_t>(tracks_.size());
    append(JsonObject()
               .add("ph", "M")
               .add("name", "thread_name")
               .add("pid", process_)
               .add("tid", number)
               .add_json("args", JsonObject().add("name", name).text()));
    tracks_.emplace(name, number);
    return number;
  }

 private:
  const std::string path_;
  int fd_;
  const int process_;
  std::string buffer_;
  off_t end_ = 0;  // end of the written part, without the tail
  bool is_first_ = true, is_broken_ = false;
  Time flushed_ = Clock::now();
  std::map<std::string, int64_t, std::less<>> tracks_;
};

namespace {

struct Live {
  Session* session;
  std::weak_ptr<Session> owner;
};

struct Sink {
  std::mutex mutex;
  std::vector<Live> sessions;
  std::shared_ptr<Session> of_process;  // NNRT_TRACE
};

// Never destroyed: threads may trace while the process exits.
Sink& sink() {
  static auto& instance = *std::make_unique<Sink>().release();
  return instance;
}

Result<std::shared_ptr<Session>> start_locked(Sink& target, const std::string& path) {
  target.sessions.reserve(target.sessions.size() + 1);  // ~Session takes the lock, so nothing may throw later
  const int fd = above_standard_streams(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (fd < 0) return Error{code_for(errno, Code::invalid_path), cat("Trace (", path, ") cannot be written.")};
  static const int at_exit = std::atexit(flush);
  static_cast<void>(at_exit);
  std::shared_ptr<Session> session;
  try {
    session = std::make_shared<Session>(path, fd);
  } catch (...) {
    close(fd);
    throw;
  }
  target.sessions.push_back({session.get(), session});
  state = State::on;
  return session;
}

void append(const JsonObject& event) {
  Sink& target = sink();
  const std::lock_guard lock(target.mutex);
  for (const Live& live : target.sessions) live.session->append(event);
}

JsonObject event_of(const char* phase, const char* category, const Event& event, Time time, int64_t track) {
  JsonObject json;
  json.add("ph", phase).add("cat", category).add("name", event.name);
  json.add("pid", getpid()).add("tid", track).add_json("ts", microseconds(time.time_since_epoch()));
  JsonObject args = event.args;
  if (const uint64_t run = current_run(); run != 0) args.add("run", run);
  if (!args.empty()) json.add_json("args", args.text());
  return json;
}

}  // namespace

Session::~Session() {
  Sink& target = sink();
  const std::lock_guard lock(target.mutex);
  finish();
  std::erase_if(target.sessions, [&](const Live& live) { return live.session == this; });
  if (target.sessions.empty()) state = State::off;
}

Result<std::shared_ptr<Session>> start(std::string_view path) {
  static_cast<void>(on());  // starts that of the environment
  const std::string file = resolved(path);
  Sink& target = sink();
  std::shared_ptr<Session> running;  // released after the lock
  const std::lock_guard lock(target.mutex);
  for (const Live& live : target.sessions) {
    if (live.session->path() != file) continue;
    running = live.owner.lock();
    if (running != nullptr) return running;
    live.session->finish();  // another thread is destroying it
  }
  return start_locked(target, file);
}

bool start_from_environment() {
  Sink& target = sink();
  const std::lock_guard lock(target.mutex);
  if (state != State::unknown) return state == State::on;
  const char* path = setting_text(Setting::trace);
  if (path == nullptr || *path == '\0') {
    state = State::off;
    return false;
  }
  auto session = start_locked(target, resolved(path));  // retried if it throws
  if (session.ok()) {
    target.of_process = std::move(session).value();
  } else {
    state = State::off;
    log(LogLevel::warning, session.error().message);
  }
  return state == State::on;
}

void flush() {
  if (is_forked()) return;  // the file belongs to the parent
  Sink& target = sink();
  const std::lock_guard lock(target.mutex);
  for (const Live& live : target.sessions) live.session->flush();
}

void complete(const char* category, const Event& event, Time begin, Time end,
              std::string_view track) noexcept {
  best_effort([&] {
    Sink& target = sink();
    const std::lock_guard lock(target.mutex);
    for (const Live& live : target.sessions) {
      const int64_t row = track.empty() ? thread_number() : live.session->track(track);
      live.session->append(
          event_of("X", category, event, begin, row).add_json("dur", microseconds(end - begin)));
    }
  });
}

void instant(const char* category, const Event& event) noexcept {
  best_effort([&] { append(event_of("i", category, event, Clock::now(), thread_number()).add("s", "t")); });
}

void counter(const char* name, uint64_t value) noexcept {
  best_effort([&] {
    append(event_of("C", "counter", {name, JsonObject().add("value", value)}, Clock::now(), thread_number()));
  });
}

namespace {
thread_local uint64_t run_of_thread = 0;
}  // namespace

uint64_t current_run() noexcept { return run_of_thread; }

RunScope::RunScope(uint64_t run) noexcept : outer_(std::exchange(run_of_thread, run)) {}
RunScope::~RunScope() { run_of_thread = outer_; }

uint64_t Run::next_number() noexcept {
  static std::atomic<uint64_t> last = 0;
  return on() ? ++last : 0;
}

Run::Run(const Session* owner) noexcept
    : owner_(owner), scope_(next_number()), begin_(current_run() != 0 ? Clock::now() : Time()) {}

Run::~Run() {
  if (current_run() == 0) return;
  const Time end = Clock::now();
  best_effort([&] {
    Sink& target = sink();
    const std::lock_guard lock(target.mutex);
    for (const Live& live : target.sessions) {
      Event event{"run"};
      if (live.session == owner_) event.args.add_json("own", "true");
      live.session->append(
          event_of("X", "run", event, begin_, thread_number()).add_json("dur", microseconds(end - begin_)));
    }
  });
}

void Span::begin(const char* category, Event event) {
  running_.emplace(Running{category, std::move(event), Clock::now()});
}

void Span::end() noexcept { complete(running_->category, running_->event, running_->begin, Clock::now()); }

}  // namespace nnrt::trace
