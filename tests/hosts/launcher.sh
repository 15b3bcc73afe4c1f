#!/bin/sh
# launcher.sh [-options] HOST command...    what mpirun calls in place of ssh: runs a command on one of the hosts of hosts.py
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec nsenter --target "$(cat "$TEST_HOSTS_INSIDE/$host")" --net --uts --mount -- sh -c "$*"
