// Every setting of Xylem as an option: XYLEM_STATS=FILE is --stats FILE. Made from the table of settings, so none is missing.
#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

namespace xylem::tools {

// Adds the options to `app`. One that is given is put into the environment, for the program that is started; a value that
// makes no sense is an error of the command line.
void add_setting_options(CLI::App& app);

}  // namespace xylem::tools
