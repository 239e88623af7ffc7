/* QEMU plugin: notes that the guest was refused memory.

   The memory limit of a run is RLIMIT_AS, so an allocation beyond it fails with ENOMEM and the
   program ends in its own way: abort, segmentation fault, exit code 1. From outside that looks like
   any other fault. This plugin hears every system call's result and leaves a mark, the file named
   by "mark=", when mmap or mremap fail for want of memory. (brk shows no error; malloc then tries
   mmap.) It costs nothing per instruction.

   QEMU's plugin header is not packaged, so the few declarations used are written here; API version
   1, QEMU documentation, "TCG Plugins". */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t qemu_plugin_id_t;
typedef struct qemu_info_t qemu_info_t;
typedef void (*syscall_return_callback)(qemu_plugin_id_t id, unsigned int vcpu, int64_t number,
                                        int64_t result);
extern void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id,
                                                     syscall_return_callback callback);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

/* System call numbers of riscv64 Linux (asm-generic/unistd.h). */
enum { guest_mremap = 216, guest_mmap = 222 };

static char mark[4096];

static void on_return(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, int64_t result) {
  (void)id;
  (void)vcpu;
  if (result != -ENOMEM || (number != guest_mmap && number != guest_mremap)) return;
  const int file = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
                                                               const qemu_info_t *info, int argc,
                                                               char **argv) {
  (void)info;
  if (argc != 1 || strncmp(argv[0], "mark=", 5) != 0 || strlen(argv[0] + 5) >= sizeof mark)
    return 1;
  strcpy(mark, argv[0] + 5);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, on_return);
  return 0;
}
