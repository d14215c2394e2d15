# What the checks share. Sourced by run.

kept=$top/bin/installed
missed=0
checks=0

# wants tells whether a group of checks was asked for.
wants() { case " ${chosen[*]} " in *" $1 "*) ;; *) return 1 ;; esac; }

# check prints a line: the group, what is checked, its figure, what it wants. $5 is the
# command that decides.
check() {
  local group=$1 what=$2 figure=$3 want=$4
  shift 4
  checks=$((checks + 1))
  if "$@"; then
    printf '%-5s %-2s  %s: %s (wants %s)\n' ok "$group" "$what" "$figure" "$want"
    return
  fi
  missed=$((missed + 1))
  printf '%-5s %-2s  %s: %s (wants %s)\n' MISS "$group" "$what" "$figure" "$want"
}

# note says what belongs to a group and is no check.
note() { printf '%-5s %-2s  %s\n' '' "$1" "$2"; }

summary() {
  printf '%d checks, %d missed\n' "$checks" "$missed"
  [ "$missed" = 0 ]
}

# ms is the time in milliseconds.
ms() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# until_true repeats a command for some seconds, until it succeeds.
until_true() {
  local end=$(($(ms) + $1 * 1000))
  shift
  until "$@" >/dev/null 2>&1; do
    if [ "$(ms)" -gt "$end" ]; then return 1; fi
    sleep 0.05
  done
}

# healthy tells whether the server at the usual port is there.
healthy() { curl -sf -m 2 -o /dev/null http://127.0.0.1:11434/health; }

# silent tells whether nothing listens there.
silent() { ! curl -s -m 2 -o /dev/null http://127.0.0.1:11434/; }

# status is the HTTP status of a call, 000 if there is none.
status() { curl -s -m 60 -o /dev/null -w '%{http_code}' "$@" || true; }

# ended kills a process of ours at once, and waits for it.
ended() {
  kill -KILL "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

# chat is the body of a turn.
chat() { printf '{"model":"hermes","messages":[{"role":"user","content":"%s"}]}' "$1"; }

# boot starts the systemd of a Debian root as process 1 of a namespace. It sets booted to its
# process. `inside ROOT` runs commands there.
boot() {
  local root=$1
  if [ -z "$GROUP" ]; then
    echo "installed: this kernel has no cgroup2, which systemd needs" >&2
    exit 1
  fi
  (
    echo "$BASHPID" >"$GROUP/cgroup.procs"
    exec unshare --cgroup --mount --pid --ipc --uts --fork --kill-child --propagation private "$here/boot" "$root"
  ) >"$work/systemd" 2>&1 &
  manager=$!
  until_true 20 pgrep -P "$manager"
  booted=$(pgrep -P "$manager")
  until_true 60 settled
}

# settled tells whether systemd has started what it starts.
settled() { case $(within_root systemctl is-system-running) in running | degraded) ;; *) return 1 ;; esac; }

# within_root runs a command in the Debian root that was booted.
within_root() { nsenter -t "$booted" -m -p -i -u -C "$@"; }

# halt ends the systemd and all that it started.
halt() {
  ended "$manager"
  sleep 0.2
}
