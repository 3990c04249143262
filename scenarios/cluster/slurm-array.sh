#!/bin/sh
# A sweep in eight shares, as a Slurm array.
#
#   sbatch slurm-array.sh sweep.yaml
#   gqsim merge part-*.db -o all.db
#
# Each task runs the share that its index says (SLURM_ARRAY_TASK_ID of
# SLURM_ARRAY_TASK_COUNT). A task that is requeued goes on from its file.
#SBATCH --job-name=gqsim-sweep
#SBATCH --array=0-7
#SBATCH --cpus-per-task=4
#SBATCH --mem=4G
#SBATCH --requeue
set -eu
exec gqsim sweep "$1" -o "part-$SLURM_ARRAY_TASK_ID.db" -j "${SLURM_CPUS_PER_TASK:-1}"
