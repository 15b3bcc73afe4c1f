#!/bin/sh
# rank_environment.sh RANKS HOSTS cyclic|block LIBRARY program [arguments]
# Started once per rank: preloads LIBRARY ("" for none) and, with more than one host, makes the rank believe that it is on host
# rank % HOSTS (cyclic) or on the host of its block of ranks (block), with emulated GPUs of its own. This shell itself is not
# preloaded.
ranks=$1 hosts=$2 placement=$3 library=$4
shift 4
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}}
if [ "$hosts" -gt 1 ]; then
  case $placement in
    cyclic) XYLEM_HOSTID=host$((rank % hosts)) ;;
    block) XYLEM_HOSTID=host$((rank * hosts / ranks)) ;;
  esac
  CUDA_EMU_MACHINE="$CUDA_EMU_MACHINE $XYLEM_HOSTID"
  export XYLEM_HOSTID CUDA_EMU_MACHINE
fi
[ -n "$library" ] && export LD_PRELOAD="$library"
exec "$@"
