#!/usr/bin/env bash
# test_cluster.sh [-n NODES] [-c CORES] [-g GPUS] command [arguments]
#
# Starts a SLURM of its own on this machine, runs a command in which sbatch, srun, salloc and squeue speak to it, and ends it.
# For trying batch scripts where no cluster is at hand; the machine's own SLURM, if it has one, is not touched.
#
#   -n NODES   nodes n0, n1, ... (default 2), each with a host name of its own, so that Xylem sees as many hosts
#   -c CORES   cores that each node claims to have (default 4)
#   -g GPUS    GPUs that each node claims to have (default 0)
#
# Needs Debian's packages slurm-wlm and munge (scripts/setup.sh --slurm), root, and leave to make namespaces. The exit status is
# the command's, or 77 with the reason where it cannot run here. All processes of the cluster and of its jobs end with this one,
# however it ends, and what they left behind lies in one temporary folder, which goes too.
set -euo pipefail

nodes=2 cores=4 gpus=0
while getopts n:c:g: option; do
  case $option in
    n) nodes=$OPTARG ;;
    c) cores=$OPTARG ;;
    g) gpus=$OPTARG ;;
    *) sed -n '2,14s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
(($# > 0)) || { sed -n '2,14s/^# \{0,1\}//p' "$0"; exit 2; }

cannot() { echo "test_cluster: cannot run here: $*" >&2; exit 77; }
# Daemons are not on the PATH of ordinary users.
PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch; do
  command -v $program >/dev/null || cannot "$program is not installed (Debian: slurm-wlm and munge; scripts/setup.sh --slurm)"
done
((EUID == 0)) || cannot "the daemons of SLURM start jobs, which takes root"

# A first instance of this script makes the folder and a namespace, in which a second one, its process 1, does the rest.
if [[ -z ${TEST_CLUSTER_FOLDER:-} ]]; then
  reason=$(unshare --mount --uts --pid --fork --mount-proc true 2>&1) || cannot "a node of its own takes namespaces: $reason"
  TEST_CLUSTER_FOLDER=$(mktemp -d "${TMPDIR:-/tmp}/slurm.XXXXXX")
  export TEST_CLUSTER_FOLDER
  end() { [[ -z ${inside:-} ]] || { kill -KILL "$inside" && wait "$inside"; } 2>/dev/null || true; rm -rf "$TEST_CLUSTER_FOLDER"; }
  trap end EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  unshare --mount --ipc --pid --fork --kill-child --mount-proc "$0" -n "$nodes" -c "$cores" -g "$gpus" -- "$@" <&0 &
  inside=$!
  status=0
  wait "$inside" || status=$?
  inside=
  exit "$status"
fi
folder=$TEST_CLUSTER_FOLDER
unset TEST_CLUSTER_FOLDER
chmod 755 "$folder" # munge refuses a socket in a folder that others may not enter
mount -t tmpfs tmpfs /dev/shm

# start <name> <command...>: a daemon in the foreground, as a child of this shell.
start() {
  local name=$1
  shift
  "$@" >"$folder/$name.out" 2>&1 &
}

# Ports that nobody uses at the moment, and outside of the range that the kernel gives to clients.
ports=($(python3 - $((nodes + 1)) <<'PORTS'
import random, socket, sys
taken = []
while len(taken) < int(sys.argv[1]):
    candidate = socket.socket()
    try:
        candidate.bind(("", random.randrange(12000, 30000)))
        taken.append(candidate)
    except OSError:
        pass
print(*(each.getsockname()[1] for each in taken))
PORTS
))

head -c 1024 /dev/urandom >"$folder/munge.key"
chmod 400 "$folder/munge.key"
mkdir "$folder/state" "$folder/pmix"
{
  cat /etc/hosts
  for ((i = 0; i < nodes; ++i)); do echo "127.0.0.1 n$i"; done
} >"$folder/hosts"
echo "PMIxCliTmpDirBase=$folder/pmix" >"$folder/mpi.conf"

{
  cat <<CONF
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
MpiDefault=none
KillWait=2
GresTypes=gpu
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
  for ((i = 0; i < nodes; ++i)); do
    echo "NodeName=n$i NodeAddr=127.0.0.1 Port=${ports[i + 1]} CPUs=$cores Gres=gpu:$gpus State=UNKNOWN"
  done
} >"$folder/slurm.conf"
for ((i = 0; i < gpus; ++i)); do
  touch "$folder/gpu$i" # in place of a device file: SLURM counts them
  echo "Name=gpu File=$folder/gpu$i"
done >"$folder/gres.conf"
export SLURM_CONF=$folder/slurm.conf

start munged munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munged.seed" --num-threads=2
for ((i = 0; i < 100; ++i)); do [[ -S $folder/munge.socket ]] && break; sleep 0.1; done
start slurmctld slurmctld -D -f "$SLURM_CONF"
# Of a node's own are its name and the folder in which PMIx keeps what is named after a job and not after a node.
cat >"$folder/node" <<'NODE'
hostname "$1"
mkdir "$folder/$1" "$folder/$1/pmix"
mount --bind "$folder/$1/pmix" "$folder/pmix"
mount --bind "$folder/hosts" /etc/hosts
exec slurmd -D -f "$SLURM_CONF" -N "$1"
NODE
export folder
for ((i = 0; i < nodes; ++i)); do
  start slurmd.n$i unshare --mount --uts bash -e "$folder/node" n$i
done

ready() { [[ $(timeout 5 sinfo --noheader --responding --states=idle --format=%D 2>/dev/null) == "$nodes" ]]; }
for ((i = 0; i < 300; ++i)); do ready && break; sleep 0.1; done
if ! ready; then
  echo "test_cluster: SLURM did not come up; its daemons said:" >&2
  tail -n 20 "$folder"/*.out "$folder"/*.log >&2
  exit 1
fi

"$@"
