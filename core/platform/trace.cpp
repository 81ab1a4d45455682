#include "core/platform/trace.h"

#include "core/base/exceptions.h"
#include "core/base/text.h"
#include "core/platform/descriptor.h"
#include "core/platform/file_limit.h"
#include "core/platform/fork.h"
#include "core/platform/log.h"
#include "core/platform/settings.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

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
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(nanoseconds / 1000),
                static_cast<long long>(nanoseconds % 1000));
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

struct Sink {
  std::mutex mutex;
  Session* current = nullptr;
  std::weak_ptr<Session> owner;         // owns the current one
  std::shared_ptr<Session> of_process;  // from NNRT_TRACE
};

// Never destroyed: threads may trace while the process exits.
Sink& sink() {
  static auto& instance = *std::make_unique<Sink>().release();
  return instance;
}

Result<std::shared_ptr<Session>> start_locked(Sink& target, const std::string& path) {
  const int fd = above_standard_streams(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (fd < 0) return Error{code_for(errno, Code::invalid_path), cat("Trace (", path, ") cannot be written.")};
  static const int at_exit = std::atexit(flush);
  static_cast<void>(at_exit);
  if (target.current != nullptr) target.current->finish();  // its last owner is just releasing it
  std::shared_ptr<Session> session;
  try {
    session = std::make_shared<Session>(path, fd);
  } catch (...) {
    close(fd);
    throw;
  }
  target.current = session.get();
  target.owner = session;
  state = State::on;
  return session;
}

void append(const JsonObject& event) {
  Sink& target = sink();
  const std::lock_guard lock(target.mutex);
  if (target.current != nullptr) target.current->append(event);
}

JsonObject event_of(const char* phase, const char* category, const Event& event, Time time, int64_t track) {
  JsonObject json;
  json.add("ph", phase).add("cat", category).add("name", event.name);
  json.add("pid", getpid()).add("tid", track).add_json("ts", microseconds(time.time_since_epoch()));
  if (!event.args.empty()) json.add_json("args", event.args.text());
  return json;
}

}  // namespace

Session::~Session() {
  Sink& target = sink();
  const std::lock_guard lock(target.mutex);
  finish();
  if (target.current != this) return;  // replaced by another session
  target.current = nullptr;
  state = State::off;
}

Result<std::shared_ptr<Session>> start(std::string_view path) {
  static_cast<void>(on());  // NNRT_TRACE takes precedence
  const std::string file = resolved(path);
  Sink& target = sink();
  std::shared_ptr<Session> running;  // released after the lock
  const std::lock_guard lock(target.mutex);
  running = target.owner.lock();
  if (running == nullptr) return start_locked(target, file);
  if (running->path() == file) return running;
  return Error{Code::forbidden, cat("This process is already being traced to ", running->path(), ".")};
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
  if (target.current != nullptr) target.current->flush();
}

void complete(const char* category, const Event& event, Time begin, Time end,
              std::string_view track) noexcept {
  best_effort([&] {
    Sink& target = sink();
    const std::lock_guard lock(target.mutex);
    if (target.current == nullptr) return;
    const int64_t row = track.empty() ? thread_number() : target.current->track(track);
    target.current->append(
        event_of("X", category, event, begin, row).add_json("dur", microseconds(end - begin)));
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

void Span::begin(const char* category, Event event) {
  running_.emplace(Running{category, std::move(event), Clock::now()});
}

void Span::end() noexcept { complete(running_->category, running_->event, running_->begin, Clock::now()); }

}  // namespace nnrt::trace
