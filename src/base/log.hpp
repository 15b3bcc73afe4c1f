// Lines to stderr, off unless XYLEM_LOG asks: "xylem: warn: rank 3 on node7: text". One write(2) a line, so that lines of
// several ranks never mix. Warnings are shown by default; a good run prints none.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace xylem::log {

enum class Level { off, warn, info, debug };
inline constexpr std::array<std::string_view, 4> kLevelNames = {"off", "warn", "info", "debug"};

// Who speaks; called once the rank is known (before that, lines carry the pid and the host's own name). Thread-safe.
void set_identity(int rank, const std::string& host);

bool enabled(Level level);
// Leaves errno as it was. Line breaks and other control characters in `text` become spaces, and what a pipe could not take
// whole is cut.
void write(Level level, const std::string& text);

// Whether this process has not asked so of this text before. For what all ranks of a communicator know and one of them says:
// all ask, so that none says it again in a communicator that is made later. Thread-safe.
bool is_news(const std::string& text);

inline void warn(const std::string& text) { write(Level::warn, text); }
// Guard the construction of costly texts with enabled().
inline void info(const std::string& text) { write(Level::info, text); }
inline void debug(const std::string& text) { write(Level::debug, text); }

}  // namespace xylem::log
