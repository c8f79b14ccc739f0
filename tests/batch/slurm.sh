#!/usr/bin/env bash
# Start Slurm with one node on this machine, without systemd: slurm.sh FOLDER (for its configuration, state and logs).
# Needs root and Debian's slurmctld, slurmd, slurm-client and munge. Prints nothing; ends with 0 when a job can be run.
set -euo pipefail
folder=$(realpath "$1")
host=$(hostname -s)
mkdir -p "$folder/state" "$folder/spool" "$folder/munge"
chmod 755 "$folder"
memory=$(awk '/MemTotal/ {print int($2 / 1024 * 0.9)}' /proc/meminfo)
cat > "$folder/slurm.conf" <<CONF
ClusterName=newscorpus
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmctldPort=${SLURM_TEST_PORT:-16817}
SlurmdPort=$((${SLURM_TEST_PORT:-16817} + 1))
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ReturnToService=2
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
dd if=/dev/urandom of="$folder/munge/key" bs=1024 count=1 status=none
chmod 400 "$folder/munge/key"
chmod 711 "$folder/munge"
chown -R munge: "$folder/munge"
runuser -u munge -- munged --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
  --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
export SLURM_CONF="$folder/slurm.conf"
slurmctld
slurmd
until timeout 20 srun --time=1 true 2> "$folder/srun.log"; do
  if ((SECONDS > 70)); then
    cat "$folder/srun.log" "$folder/slurmctld.log" "$folder/slurmd.log" >&2
    exit 1
  fi
  sleep 1
done
