#include "bench/mpi_program.hpp"

#include <mpi.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "usage.hpp"

namespace xylem::tools {
namespace {

// A launcher that is told of an abort may end before it has read what the rank said last: so it reads first.
void await_reader(int descriptor) {
  constexpr std::chrono::milliseconds nap(1), longest(1000);
  const auto until = std::chrono::steady_clock::now() + longest;
  int unread = 0;
  while (ioctl(descriptor, FIONREAD, &unread) == 0 && unread > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(nap);
}

}  // namespace

int run_mpi_program(CLI::App& app, int argc, char** argv, const std::function<int()>& run) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }

  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    status = run();
  } catch (const std::exception& error) {
    const std::string text = app.get_name() + ": " + error.what() + "\n";
    std::fputs(text.c_str(), stderr);
    await_reader(STDERR_FILENO);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}

}  // namespace xylem::tools
