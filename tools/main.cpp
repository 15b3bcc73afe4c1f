// The xylem command.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>

#include "base/settings.hpp"
#include "base/version.hpp"
#include "bench/files.hpp"
#include "bench/options.hpp"
#include "diagnose.hpp"
#include "doctor/doctor.hpp"
#include "info.hpp"
#include "installation.hpp"
#include "launcher.hpp"
#include "setting_options.hpp"
#include "simulate/simulate.hpp"
#include "start_program.hpp"
#include "tune/options.hpp"
#include "usage.hpp"
#include "verify.hpp"
#include "why.hpp"

namespace xylem::tools {
namespace {

// Takes the program and its arguments off the words behind "xylem exec": whatever they are, none of them is an option of the
// tool. They begin behind "--", or with the first word that is neither an option of `exec` nor the value of one.
std::vector<std::string> take_command(const CLI::App& exec, std::vector<std::string>& words) {
  auto word = words.begin();
  for (; word != words.end() && word->starts_with('-') && *word != "--"; ++word) {
    const CLI::Option* option = exec.get_option_no_throw(*word);
    const bool takes_value = option != nullptr && option->get_items_expected_min() > 0;
    if (takes_value && word + 1 != words.end() && word[1] != "--") ++word;
  }
  std::vector<std::string> command(word != words.end() && *word == "--" ? word + 1 : word, words.end());
  words.erase(word, words.end());
  return command;
}

int run_exec(const std::vector<std::string>& command) {
  if (command.empty()) return usage_error("xylem exec: no program given, as in: mpirun -n 4 xylem exec -- ./app arguments");
  return start_preloaded(command, "xylem exec");
}

// Starts the program of the MPI that started this process, `mpi` or as the environment tells, with the same arguments.
int run_under_mpi(const std::string& name, const std::string& mpi, const std::vector<std::string>& arguments,
                  int (*start)(const std::vector<std::string>& command, const std::string& caller)) {
  const std::string launcher = mpi.empty() ? launched_by(launcher_variable) : mpi, caller = "xylem " + name;
  if (launcher.empty()) {
    return usage_error(fmt::format(
        "{0}: not started by an MPI launcher, so there is nothing to measure. Use it as: mpirun -n 2 {0}", caller));
  }
  const std::filesystem::path program = back_end_folder(preload_library()) / ("xylem-" + name + "." + launcher);
  if (!exists(program)) {
    fmt::print(stderr, "{}: this job was started by {}, and this build of Xylem has no {} for it\n", caller, launcher,
               program.string());
    return exit_tool_failed;
  }
  std::vector<std::string> command = {program.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return start(command, caller);
}

int run(int argc, char** argv) {
  CLI::App app("Xylem: collective communication for HPC programs", "xylem");
  app.set_version_flag("--version", fmt::format("xylem {}", kVersion));
  app.require_subcommand(0, 1);
  app.allow_extras();

  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const std::string name = words.empty() ? "" : words.front();
  // The programs that these become report what is wrong with the settings; they are the same processes.
  if (name != "exec" && name != "bench" && name != "tune") tell_settings_complaints();

  CLI::App* exec = app.add_subcommand("exec", "Run an MPI program with Xylem: mpirun -n 4 xylem exec -- ./app arguments");
  exec->allow_extras();
  exec->footer("What follows the options, or --, is the program and its arguments.");
  add_setting_options(*exec);

  bool json = false;
  CLI::App* info = app.add_subcommand("info", "Show this machine, the MPIs and networks found, and the settings in force");
  info->add_flag("--json", json, "As one JSON object");
  info->allow_extras();

  BenchOptions options;
  CLI::App* bench = app.add_subcommand("bench", "Compare Xylem with the MPI below: mpirun -n 2 xylem bench");
  bench->allow_extras();
  add_bench_options(*bench, options);

  TuneOptions tune_options;
  CLI::App* tune =
      app.add_subcommand("tune", "Measure which algorithms are best here, and write rules: mpirun -n 2 xylem tune");
  tune->allow_extras();
  add_tune_options(*tune, tune_options);

  WhyOptions why_options;
  CLI::App* why = app.add_subcommand("why", "Tell which algorithm a call takes, and why");
  why->allow_extras();
  add_why_options(*why, why_options);

  VerifyOptions verify_options;
  CLI::App* verify = app.add_subcommand("verify", "Prove the algorithms right, for many numbers of ranks and placements");
  verify->allow_extras();
  add_verify_options(*verify, verify_options);

  SimulateOptions simulate_options;
  CLI::App* simulate = app.add_subcommand("simulate", "Predict how long algorithms take on hosts that are not there");
  simulate->allow_extras();
  add_simulate_options(*simulate, simulate_options);

  DoctorOptions doctor_options;
  CLI::App* doctor = app.add_subcommand(
      "doctor", "Look for what stands in the way of a job: mpirun -n 4 xylem doctor, or srun xylem doctor");
  doctor->allow_extras();
  add_doctor_options(*doctor, doctor_options);

  DiagnoseOptions diagnose_options;
  CLI::App* diagnose = app.add_subcommand("diagnose", "Tell who is where, from dumps of a job's last calls");
  diagnose->allow_extras();
  add_diagnose_options(*diagnose, diagnose_options);

  std::vector<std::string> command;
  if (name == "exec") {
    std::vector<std::string> behind(words.begin() + 1, words.end());
    command = take_command(*exec, behind);
    words.resize(1 + behind.size());
  }
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return explain(app, error);
  }
  for (const CLI::App* part :
       {exec, info, bench, tune, why, verify, simulate, doctor, diagnose, static_cast<CLI::App*>(&app)})
    if (part->remaining_size() > 0) return refuse_unknown_word(*part);
  if (exec->parsed()) return run_exec(command);
  if (info->parsed()) return run_info(json);
  if (doctor->parsed()) return run_doctor(doctor_options);
  if (diagnose->parsed()) return run_diagnose(diagnose_options);
  if (why->parsed()) return run_why(why_options);
  if (verify->parsed()) return run_verify(verify_options);
  if (simulate->parsed()) return run_simulate(simulate_options);
  const std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
  if (tune->parsed()) return run_under_mpi("tune", tune_options.mpi, arguments, start_program);
  if (bench->parsed() && options.reads_files()) return run_on_files(options);
  if (bench->parsed()) return run_under_mpi("bench", options.mpi, arguments, start_preloaded);
  return usage_error(app.help());
}

}  // namespace
}  // namespace xylem::tools

int main(int argc, char** argv) {
  try {
    return xylem::tools::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xylem: %s\n", error.what());
    return 1;
  }
}
