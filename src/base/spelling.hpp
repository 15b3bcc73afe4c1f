// What to say of a word that nobody knows: the word itself, and "did you mean ...?" for names of settings, options and
// collectives.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace xylem {

// The known name that is most like `name`; of equals the first. A name cut short or drawn out, such as XYLEM_ALGO or
// XYLEM_LOG_LEVEL, is nearly right. Empty if none is near: a guess that is far off helps nobody.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

// "; did you mean allreduce?", or nothing.
std::string suggestion(std::string_view name, std::span<const std::string_view> known);

// `text` of unknown origin as a message shows it: what is no printable ASCII as \xNN, and cut where it gets long.
std::string printable(std::string_view text);

}  // namespace xylem
