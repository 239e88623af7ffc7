#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/supervisor.h"

namespace quern {
namespace {

using Clock = std::chrono::steady_clock;

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  int get() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Error no_resource(const char* what) {
  return make_error(ExitCode::unavailable, "cannot start a process: {}: {}", what,
                    std::strerror(errno));
}

// Owns `number`, moved above 2: if quern was started with stdin closed, say, a pipe may be given
// number 0, and making it the child's stdout would then destroy its stdin.
Descriptor above_standard(int number, const char* what) {
  if (number < 0) throw no_resource(what);
  if (number > 2) return Descriptor(number);
  const Descriptor low(number);
  const int moved = fcntl(number, F_DUPFD_CLOEXEC, 3);
  if (moved < 0) throw no_resource(what);
  return Descriptor(moved);
}

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw no_resource("pipe");
  return {above_standard(ends[0], "pipe"), above_standard(ends[1], "pipe")};
}

// stdin as a file in memory: the child reads at its own pace, nothing here can block or get
// SIGPIPE.
Descriptor input_file(const std::string& input) {
  if (input.empty()) return above_standard(open("/dev/null", O_RDONLY | O_CLOEXEC), "/dev/null");
  Descriptor file = above_standard(memfd_create("stdin", MFD_CLOEXEC), "memory file");
  for (std::size_t done = 0; done < input.size();) {
    const ssize_t n = write(file.get(), input.data() + done, input.size() - done);
    if (n < 0 && errno != EINTR) throw no_resource("memory file");
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

// A null-terminated array of C strings over `strings`, made before fork since malloc is unsafe
// after it.
std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (auto& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& added) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!added.contains(std::string(text.substr(0, text.find('='))))) out.emplace_back(text);
  }
  for (const auto& [name, value] : added) out.push_back(name + "=" + value);
  return out;
}

// All signals blocked in this thread: between fork and exec a child must not run our handlers.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

// The supervisor, and with it the command and whatever that started; the destructor leaves nothing
// of it alive.
class Supervisor {
 public:
  explicit Supervisor(const CommandPlan& plan) {
    const pid_t parent = getpid();
    const SignalsBlocked blocked;
    pid_ = fork();
    if (pid_ < 0) throw no_resource("fork");
    if (pid_ == 0) be_supervisor(parent, plan);
  }
  ~Supervisor() {
    send(end_now);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  // It is not yet reaped, so the number cannot have gone to another process.
  void send(int signal) const { kill(pid_, signal); }

 private:
  pid_t pid_;
};

[[noreturn]] void throw_start_error(const StartFailure& failure, const std::string& program,
                                    const std::filesystem::path& folder) {
  const auto [step, number] = failure;
  const char* reason = std::strerror(number);
  if (step == Step::folder)
    throw bad_input("{}: cannot enter this folder: {}", folder.string(), reason);
  if (step == Step::exec && number == ENOENT) {
    // The file exists or find_program would have missed it: its interpreter or loader is what
    // lacks.
    throw make_error(ExitCode::tool_missing, "{}: cannot run: its interpreter or loader is missing",
                     program);
  }
  if (step == Step::exec) throw bad_input("{}: cannot run: {}", program, reason);
  errno = number;
  throw no_resource("set-up of the child");
}

// A whole message from the children; false if all who could send one are gone.
template <class Message>
bool receive(const Descriptor& from, Message& message) {
  ssize_t n;
  while ((n = read(from.get(), &message, sizeof message)) < 0 && errno == EINTR) {
  }
  return n == static_cast<ssize_t>(sizeof message);
}

// One output stream of the child.
struct Stream {
  Descriptor descriptor;
  std::string* bytes;

  // Takes what is there now, at most `reads` buffers so that an endless writer cannot keep us from
  // looking at the clock; closes at the end of the file.
  void take(int reads, std::uint64_t limit, bool& cut, std::vector<char>& buffer) {
    while (descriptor.open() && reads-- > 0) {
      const ssize_t n = read(descriptor.get(), buffer.data(), buffer.size());
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (n <= 0) return descriptor.close();
      const auto room = limit - std::min<std::uint64_t>(limit, bytes->size());
      const auto kept = std::min<std::uint64_t>(room, static_cast<std::uint64_t>(n));
      bytes->append(buffer.data(), kept);
      cut |= kept < static_cast<std::uint64_t>(n);
    }
  }
};

bool readable(const Descriptor& descriptor) {
  pollfd event = {descriptor.get(), POLLIN, 0};
  return poll(&event, 1, 0) == 1;
}

// Collects the streams until the command is dead, which `death` tells, ending it when a limit says
// so.
void follow(const Descriptor& death, const Supervisor& supervisor, const ProcessOptions& options,
            Clock::time_point begin, std::array<Stream, 2>& streams, ProcessResult& result) {
  std::optional<Clock::time_point> deadline;
  if (options.time_limit) deadline = begin + *options.time_limit;
  bool asked = false;   // SIGTERM sent
  bool forced = false;  // SIGKILL sent
  std::vector<char> buffer(1 << 16);
  for (;;) {
    const bool dead = readable(death);
    // After the death all that it wrote is in the pipes, which hold one buffer by default.
    const int reads = dead ? 16 : 1;
    for (auto& stream : streams) {
      stream.take(reads, options.output_limit, result.output_cut, buffer);
    }
    if (dead) {
      // A supervisor that was killed tells nothing, and the command dies with it.
      CommandEnd ended = {SIGKILL};
      receive(death, ended);
      const bool killed = WIFSIGNALED(ended.status);
      result.status = killed ? WTERMSIG(ended.status) : WEXITSTATUS(ended.status);
      if (!asked) result.end = killed ? ProcessEnd::signalled : ProcessEnd::exited;
      return;
    }
    const auto now = Clock::now();
    const bool late = deadline && now >= *deadline;
    if (asked && late && !forced) {
      supervisor.send(end_now);
      forced = true;
    } else if (!asked && (late || interrupted())) {
      result.end = interrupted() ? ProcessEnd::interrupted : ProcessEnd::timed_out;
      supervisor.send(end_politely);
      asked = true;
      deadline = now + options.grace;
    }
    int wait = -1;
    if (deadline && !forced) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - now).count();
      wait = static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
    }
    // poll skips negative descriptors: closed streams, and the flag once it has been heard.
    std::array<pollfd, 4> events = {{{death.get(), POLLIN, 0},
                                     {streams[0].descriptor.get(), POLLIN, 0},
                                     {streams[1].descriptor.get(), POLLIN, 0},
                                     {asked ? -1 : interrupt_descriptor(), POLLIN, 0}}};
    poll(events.data(), events.size(), wait);
  }
}

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<std::filesystem::path> find_program(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos) {
    return is_program(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
  }
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (;;) {
    const auto end = folders.find(':');
    const std::filesystem::path folder = folders.substr(0, end);
    const auto path = (folder.empty() ? "." : folder) / name;  // an empty entry means "here"
    if (is_program(path)) return path;
    if (end == std::string_view::npos) return std::nullopt;
    folders.remove_prefix(end + 1);
  }
}

ProcessResult run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  QUERN_CHECK(!command.empty());
  const auto found = find_program(command[0]);
  if (!found) {
    std::error_code ignored;
    if (command[0].find('/') != std::string::npos && std::filesystem::exists(command[0], ignored)) {
      throw bad_input("{}: cannot run: not an executable file", command[0]);
    }
    throw make_error(ExitCode::tool_missing, "{}: program not found", command[0]);
  }
  // Found from our folder, started in another one.
  const std::string program = std::filesystem::absolute(*found).string();
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_with(options.environment);
  const auto argument_pointers = pointers(arguments);
  const auto environment_pointers = pointers(environment);
  const std::string folder = options.folder.string();

  const InterruptGuard guard;
  ProcessResult result;
  if (interrupted()) {
    result.end = ProcessEnd::interrupted;
    return result;
  }
  Descriptor input = input_file(options.input);
  Pipe output = make_pipe();
  Pipe errors = options.merge_stderr ? Pipe{} : make_pipe();
  const auto begin = Clock::now();
  Pipe failure = make_pipe();
  Pipe end = make_pipe();
  const Supervisor supervisor(
      {.program = program.c_str(),
       .arguments = argument_pointers.data(),
       .environment = environment_pointers.data(),
       .folder = folder.empty() ? nullptr : folder.c_str(),
       .memory_limit = options.memory_limit ? &*options.memory_limit : nullptr,
       .streams = {input.get(), output.write.get(),
                   options.merge_stderr ? output.write.get() : errors.write.get()},
       .failure = failure.write.get(),
       .end = end.write.get()});
  failure.write.close();
  end.write.close();
  StartFailure failed;
  if (receive(failure.read, failed)) throw_start_error(failed, command[0], options.folder);
  output.write.close();
  errors.write.close();
  std::array<Stream, 2> streams = {
      {{std::move(output.read), &result.output}, {std::move(errors.read), &result.errors}}};
  for (auto& stream : streams) {
    if (stream.descriptor.open()) fcntl(stream.descriptor.get(), F_SETFL, O_NONBLOCK);
  }
  follow(end.read, supervisor, options, begin, streams, result);
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return result;
}

std::string shell_quoted(const std::vector<std::string>& command) {
  static constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  std::string out;
  for (const auto& word : command) {
    if (!out.empty()) out += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      out += word;
      continue;
    }
    out += '\'';
    for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out;
}

}  // namespace quern
