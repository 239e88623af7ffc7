// Transport `qemu`: a riscv64 Linux program under QEMU's user-mode emulation on this host.
//
//   qemu-riscv64 -L sysroot -cpu rv64,v=true,vlen=256,... [-plugin timing.so,...] program arguments
//
// Two emulators serve. The one that loads plugins (Debian 12's 7.2) runs everything that it can,
// since the timing model counts through a plugin. What it lacks, vectors of bfloat16 and vl below
// AVL, runs on a newer one that came with the sysroot: verified there, but not timed.
//
// Tail and masked-off elements are filled with ones, the choice the vector specification allows
// that shows a kernel which wrongly relies on them being kept. Emulated time means nothing; figures
// come from the timing plugin, which the caller names.
#pragma once

#include <memory>

#include "boards/toolchain/toolchain.h"
#include "boards/transports/transport.h"

namespace quern::boards {

// A TCG plugin: a shared library that QEMU loads and tells what the guest executes.
struct QemuPlugin {
  std::filesystem::path library;
  std::vector<std::string> arguments = {};  // "name=value"
};

// The plugin that tells refused memory from other faults (memory_watch.c).
std::filesystem::path memory_watch_plugin();

class QemuTransport : public Transport {
 public:
  // Throws bad_input for a VLEN that QEMU does not have (a power of two in 128..1024 is needed, or
  // 0). settings["half_avl"]: vsetvli gives only half of AVL where the specification lets it
  // choose, in ceil(AVL/2)..VLMAX.
  QemuTransport(const Machine& machine, const Toolchain& toolchain);
  ~QemuTransport() override;

  std::string upload(const std::filesystem::path& file) override;
  std::string scratch(std::string_view name) override;
  bool fetch(const std::string& name, const std::filesystem::path& to) override;
  RunResult run(const Program& program) override;
  void use_timing_model(const TimingModel& model) override { model_ = model; }
  std::string version(const std::set<std::string>& needs) const override;

  // For the runs that follow.
  void set_plugins(std::vector<QemuPlugin> plugins) { plugins_ = std::move(plugins); }

 private:
  struct Emulator {
    std::string program;
    bool plugins;     // else its programs have no modelled cycles, `why_newer` says why
    std::string cpu;  // the value of -cpu
    std::string why_newer;
  };
  Emulator emulator_for(const std::set<std::string>& needs) const;
  std::vector<std::string> command(const Emulator& emulator, const Program& program,
                                   const std::vector<QemuPlugin>& plugins,
                                   const std::filesystem::path& binary) const;
  // Where the guest runs from: a guest's stack and heap, and so its modelled cycles, follow the
  // length of its path, which is made the same for every binary here.
  std::filesystem::path stage(const std::filesystem::path& binary);
  std::filesystem::path folder();  // for scratch files; made when first asked for

  Machine machine_;
  Toolchain toolchain_;
  std::optional<TimingModel> model_;
  std::vector<QemuPlugin> plugins_;
  std::filesystem::path folder_;
  int files_ = 0;
};

std::unique_ptr<Transport> make_qemu_transport(const Machine& machine);

}  // namespace quern::boards
