#include "base/supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <initializer_list>

namespace quern {

const int end_politely = SIGTERM;
const int end_now = SIGUSR2;

namespace {

constexpr int parent_died = SIGUSR1;

// fork() runs handlers and takes locks; where glibc has one (2.34) that does not, that.
pid_t fork_safely() {
#if defined(__GLIBC__) && !__GLIBC_PREREQ(2, 34)
  return fork();
#else
  return _Fork();
#endif
}

// --- the command ---------------------------------------------------------------------------------

[[noreturn]] void give_up(const CommandPlan& plan, Step step) {
  const StartFailure failure = {step, errno};
  if (write(plan.failure, &failure, sizeof failure) < 0) _exit(126);
  _exit(127);
}

[[noreturn]] void be_command(pid_t supervisor, const CommandPlan& plan) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(127);
  if (setpgid(0, 0) != 0) give_up(plan, Step::group);
  for (int i = 0; i < 3; ++i) {
    if (dup2(plan.streams[i], i) < 0) give_up(plan, Step::streams);
  }
  // Files that other code opened without O_CLOEXEC are not the command's business.
  if (syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC, Linux 5.11 */) != 0) {
    for (int file = 3; file < 1024; ++file) fcntl(file, F_SETFD, FD_CLOEXEC);
  }
  if (plan.folder != nullptr && chdir(plan.folder) != 0) give_up(plan, Step::folder);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (plan.memory_limit != nullptr) {
    const rlimit memory = {*plan.memory_limit, *plan.memory_limit};
    if (setrlimit(RLIMIT_AS, &memory) != 0) give_up(plan, Step::limits);
  }
  for (int signal : {SIGINT, SIGTERM, SIGPIPE, SIGQUIT, SIGCHLD, SIGUSR1, SIGUSR2}) {
    ::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(plan.program, plan.arguments, plan.environment);
  give_up(plan, Step::exec);
}

// --- the supervisor ------------------------------------------------------------------------------

// The decimal number at `text`; -1 if there is none.
pid_t number_at(const char* text) {
  if (*text < '0' || *text > '9') return -1;
  pid_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = 10 * value + (*text - '0');
  return value;
}

// The parent of a process, of the folder `proc` (/proc); -1 if it is gone.
pid_t parent_of(int proc, const char* pid) {
  char path[32];
  if (std::strlen(pid) > 16) return -1;
  std::strcpy(path, pid);
  std::strcat(path, "/stat");
  const int file = openat(proc, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char text[512];
  const ssize_t n = read(file, text, sizeof text - 1);
  close(file);
  if (n <= 0) return -1;
  text[n] = '\0';
  // "PID (NAME) STATE PARENT ...", where the name may hold parentheses and spaces.
  const char* name_end = std::strrchr(text, ')');
  return name_end != nullptr && std::strlen(name_end) > 4 ? number_at(name_end + 4) : -1;
}

// Kills every child we have. Their own children become ours, so this is done until none is left.
void kill_children() {
  const int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return;
  const pid_t self = getpid();
  alignas(std::uint64_t) char entries[4096];
  for (;;) {
    const auto bytes = syscall(SYS_getdents64, proc, entries, sizeof entries);
    if (bytes <= 0) break;
    for (long at = 0; at < bytes;) {
      // struct linux_dirent64: inode (8), offset (8), record length (2), type (1), name
      std::uint16_t length;
      std::memcpy(&length, entries + at + 16, sizeof length);
      const char* name = entries + at + 19;
      const pid_t pid = number_at(name);
      // Only we reap our children, so the number cannot have gone to another process.
      if (pid > 0 && parent_of(proc, name) == self) kill(pid, SIGKILL);
      at += length;
    }
  }
  close(proc);
}

struct Supervisor {
  pid_t parent, command;
  int end;
  bool told = false;  // the command's end

  // Collects the dead; false when no child is left.
  bool reap() {
    for (;;) {
      // Looked at before it is reaped: until then its process group cannot be another's.
      siginfo_t dead = {};
      if (waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != ECHILD;
      if (dead.si_pid == 0) return true;
      if (dead.si_pid == command) kill(-command, SIGKILL);
      CommandEnd ended = {};
      if (waitpid(dead.si_pid, &ended.status, 0) == command && !told) {
        told = true;
        if (write(end, &ended, sizeof ended) < 0) {
          // Then nobody is left to hear it.
        }
      }
    }
  }

  // Nobody lives after this, but for what the kernel itself holds (a dead file server's client):
  // not even that may keep quern for ever.
  [[noreturn]] void end_all() {
    if (!told) kill(-command, SIGKILL);
    for (int rounds = 0; reap() && rounds < 1000; ++rounds) {
      kill_children();
      sigset_t child;
      sigemptyset(&child);
      sigaddset(&child, SIGCHLD);
      const timespec wait = {0, 10'000'000};
      sigtimedwait(&child, nullptr, &wait);
    }
    _exit(0);
  }

  [[noreturn]] void watch() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (int signal : {parent_died, SIGCHLD, end_politely, end_now}) sigaddset(&wanted, signal);
    for (;;) {
      if (getppid() != parent) end_all();
      reap();
      if (told) end_all();
      siginfo_t info;
      const int signal = sigwaitinfo(&wanted, &info);
      const bool from_parent = signal > 0 && info.si_pid == parent;
      if (signal == end_now && from_parent) end_all();
      if (signal == end_politely && from_parent) {
        kill(-command, SIGTERM);
        kill(-command, SIGCONT);  // a stopped process would sleep through it
      }
    }
  }
};

}  // namespace

void be_supervisor(pid_t parent, const CommandPlan& plan) {
  setpgid(0, 0);  // the terminal's Ctrl-C is for quern
  prctl(PR_SET_NAME, "quern-watch");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, parent_died);  // blocked, so it waits for sigwaitinfo
  signal(SIGCHLD, SIG_DFL);              // ignored, there would be no dead to look at
  if (getppid() != parent) _exit(127);
  const pid_t self = getpid();
  const pid_t command = fork_safely();
  if (command < 0) give_up(plan, Step::fork);
  if (command == 0) be_command(self, plan);
  setpgid(command, command);  // both sides do it, whoever comes first
  const int end = 0;          // the one file that we keep
  if (dup2(plan.end, end) < 0) _exit(126);
  if (syscall(SYS_close_range, 1u, ~0u, 0u) != 0) {  // before Linux 5.9
    for (int file = 1; file < 1024; ++file) close(file);
  }
  Supervisor{parent, command, end}.watch();
}

}  // namespace quern
