#include "linked_mpi.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace xylem::tools {

std::string mpi_of_libraries(const std::string& ldd_output) {
  if (ldd_output.find("libmpi.so.40") != std::string::npos) return "openmpi";
  for (const char* name : {"libmpi.so.12", "libmpich.so.12", "libmpi.so.0"})
    if (ldd_output.find(name) != std::string::npos) return "mpich";
  return "";
}

std::string linked_mpi(const std::string& program) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(pipe_ends[1], STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    execlp("ldd", "ldd", program.c_str(), nullptr);
    _exit(1);
  }
  close(pipe_ends[1]);
  std::string output;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(pipe_ends[0], part.data(), part.size())) > 0;)
    output.append(part.data(), static_cast<std::size_t>(got));
  close(pipe_ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return mpi_of_libraries(output);
}

}  // namespace xylem::tools
