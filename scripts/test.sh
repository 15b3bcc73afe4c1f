#!/usr/bin/env bash
# test.sh        what CI runs: formatting, release build and tests, thread tests under AddressSanitizer and ThreadSanitizer
# test.sh --all  everything: also the tests labelled "long", clang-tidy on all sources, and the debug build
set -uo pipefail
cd "$(dirname "$0")/.."

all=false
case ${1:-} in
  "") ;;
  --all) all=true ;;
  *) sed -n '2,3s/^# //p' "$0"; exit 2 ;;
esac

summary=()
failures=0
# step <name> <command...>: runs it, whatever came before, and keeps the verdict for the end.
step() {
  local name=$1 start=$SECONDS verdict=passed
  shift
  printf '\n=== %s\n' "$name"
  "$@" || { verdict=FAILED; failures=$((failures + 1)); }
  summary+=("$(printf '%-8s %5d s  %s' "$verdict" $((SECONDS - start)) "$name")")
}

build() { cmake --preset "$1" -DXYLEM_WARNINGS_AS_ERRORS=ON >"build/$1.configure.log" || { cat "build/$1.configure.log"; return 1; }
  cmake --build --preset "$1"; }

run_tests() {
  local selection=(--label-exclude '^long$')
  $all && selection=()
  # ThreadSanitizer of this compiler cannot start where addresses are randomised widely; containers may forbid to turn it off.
  local plain_addresses=()
  setarch --addr-no-randomize true 2>/dev/null && plain_addresses=(setarch --addr-no-randomize)
  "${plain_addresses[@]}" ctest --preset "$1" --parallel "$(nproc)" --output-junit "$PWD/build/$1.tests.xml" \
    "${selection[@]}"
}

# The ten tests of all presets that took longest.
slowest_tests() {
  local preset
  for preset in "${presets[@]}"; do
    sed -nE "s/.*<testcase name=\"([^\"]*)\".* time=\"([0-9.]+)\".*/\2 $preset \1/p" "build/$preset.tests.xml"
  done | sort -rn | head -n 10 | xargs -n 3 printf '%7.1f s  %-8s %s\n'
}

setup=()
$all && setup=(--slurm --programs)
scripts/setup.sh "${setup[@]}" || exit 1
mkdir -p build
step "formatting" scripts/format.sh --check
presets=(release asan tsan)
$all && presets+=(debug)
for preset in "${presets[@]}"; do
  step "build $preset" build "$preset"
  step "tests $preset" run_tests "$preset"
done
if $all; then
  step "clang-tidy" scripts/tidy.sh --all
else
  step "clang-tidy, last change" scripts/tidy.sh
fi

printf '\n=== summary (%d s)\n' "$SECONDS"
printf '%s\n' "${summary[@]}"
printf '\nslowest tests\n'
slowest_tests
((failures == 0)) && echo "All steps passed." || echo "$failures steps FAILED."
exit $((failures > 0))
