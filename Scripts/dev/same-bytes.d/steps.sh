# shellcheck shell=bash
# Functions for the shell scripts of cases.

steps=0
# Runs a command and keeps its output, errors and status.
run() {
  local step
  steps=$((steps + 1))
  # shellcheck disable=SC2153
  step=$STEPS/$(printf %03d $steps)
  printf '%s\n' "$*" >"$step.command"
  timeout -k 2 240 "$@" >"$step.stdout" 2>"$step.stderr"
  echo $? >"$step.status"
}

# Runs a script in shards and merges them. The files of the shards are copied first, because the merge removes them.
shards() { # COUNT OUT [--on-error WHAT] SCRIPT [ARGUMENTS...]
  local count=$1 out=$2 shard
  shift 2
  if [ "$1" = --on-error ]; then run imghost plan --shards "$count" "${@:3}"; else run imghost plan --shards "$count" "$@"; fi
  for ((shard = 0; shard < count; shard++)); do
    run imghost run --shard "$shard/$count" --out "$out" "$@"
  done
  if [ -d "$out/.imghost" ]; then cp -R "$out/.imghost" "$out-shards"; fi
  run imghost merge --out "$out" "$@"
}
