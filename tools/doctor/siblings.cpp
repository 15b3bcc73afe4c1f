#include "doctor/siblings.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>

namespace xylem::tools::doctor {
namespace {

int copy_from(pid_t other, const int* there) {
  int value = 0;
  const iovec local{&value, sizeof value};
  const iovec remote{const_cast<int*>(there), sizeof value};
  return process_vm_readv(other, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(sizeof value) ? 0 : errno;
}

int open_of(pid_t other, int descriptor) {
  const std::string path = "/proc/" + std::to_string(other) + "/fd/" + std::to_string(descriptor);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  return file >= 0 ? 0 : errno;
}

}  // namespace

SiblingAccess try_siblings() {
  static const int value = 1;
  const int file = memfd_create("xylem-doctor", MFD_CLOEXEC);
  void* const page = mmap(nullptr, sizeof(SiblingAccess), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (file < 0 || page == MAP_FAILED) return {errno, errno};
  auto& found = *new (page) SiblingAccess{ECHILD, ECHILD};
  const pid_t owner = fork();
  if (owner == 0) {
    pause();
    _exit(0);
  }
  const pid_t visitor = owner > 0 ? fork() : -1;
  if (visitor == 0) {
    found = {open_of(owner, file), copy_from(owner, &value)};
    _exit(0);
  }
  if (visitor > 0) waitpid(visitor, nullptr, 0);
  if (owner > 0) {
    kill(owner, SIGKILL);
    waitpid(owner, nullptr, 0);
  }
  const SiblingAccess result = found;
  munmap(page, sizeof(SiblingAccess));
  close(file);
  return result;
}

}  // namespace xylem::tools::doctor
