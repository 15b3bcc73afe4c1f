#!/bin/bash
# per_rank.sh RANKS SETTINGS_OF_RANK_0 ... program [arguments]: starts the program with the settings of this rank ("-": none).
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}
ranks=$1
shift
own=${@:rank+1:1}
shift "$ranks"
[ "$own" = - ] && own=
# shellcheck disable=SC2086  # several NAME=VALUE words
exec env $own "$@"
