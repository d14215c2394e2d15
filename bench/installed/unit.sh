# D4: how exposed the unit is, and 100 turns by a server that runs under it.

check_unit() {
  . "$here/package.sh"
  cp -a "$kept/booted" "$work/booted"
  root=$work/booted
  cp "$work/programs/hermes.deb" "$root/srv"
  boot "$root"
  dpkg_in -i /srv/hermes.deb
  local said level
  said=$(within_root systemd-analyze security --offline=true --no-pager /usr/lib/systemd/system/hermes.service 2>&1)
  level=$(sed -nE 's/.*Overall exposure level for hermes.service: ([0-9.]+).*/\1/p' <<<"$said")
  check D4 "systemd-analyze security, exposure" "${level:-$(tail -n 1 <<<"$said")}" "at most 1.5" at_most "${level:-10}" 1.5

  within_root systemctl enable --now hermes 2>/dev/null
  until_true 20 healthy || within_root journalctl -u hermes --no-pager -n 5 >&2
  turns
  confined
  halt
  rm -rf "$root"
}

at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'; }

# turns makes 100 turns, and then looks for them in the store, after another start.
turns() {
  local key answered=0 stored i
  key=$(key_of "$root")
  for i in {1..100}; do
    if turn "$key" "The locker number $i has the code $((i * 7919))." | grep -q '"role":"assistant"'; then answered=$((answered + 1)); fi
  done
  within_root systemctl restart hermes
  until_true 20 healthy
  stored=$(curl -s -m 20 "http://127.0.0.1:11434/api/sessions/rig/messages?limit=500" -H "Authorization: Bearer $key" | grep -oE 'The locker number [0-9]+ has the code' | sort -u | wc -l)
  check D4 "100 turns under the unit" "$answered answered, $stored stored after a restart" "100, 100" [ "$answered $stored" = "100 100" ]
}

# confined looks at the process of the server: what of the unit holds for it. A setting that
# this machine does not apply would make the turns above prove less.
confined() {
  local pid applied=0 missing=() name
  pid=$(main_pid)
  within_root cat "/proc/$pid/status" >"$work/status"
  within_root cat "/proc/$pid/mountinfo" >"$work/mounts"
  local names=(
    "User" "NoNewPrivileges" "CapabilityBoundingSet" "SystemCallFilter and other filters of calls" "PrivateUsers"
    "ProtectSystem" "ProtectHome" "PrivateTmp" "PrivateDevices" "ProcSubset" "ProtectControlGroups" "ProtectKernelLogs"
  )
  for name in "${names[@]}"; do
    if holds "$name" "$pid"; then applied=$((applied + 1)); else missing+=("$name"); fi
  done
  check D4 "of the unit hold for the process" "$applied of ${#names[@]}${missing:+, not: ${missing[*]}}" "all" [ "$applied" = "${#names[@]}" ]
  note D4 "filters of system calls on it: $(awk '/^Seccomp_filters/ { print $2 }' "$work/status"). Not seen from outside: DevicePolicy, KeyringMode, RemoveIPC; no AppArmor or SELinux here."
}

# holds tells whether a setting of the unit holds for its process.
holds() {
  local account
  case $1 in
  User) account=$(within_root id -u hermes) && grep -qE "^Uid:\s+$account\s+$account\s" <(real_status "$2") ;;
  NoNewPrivileges) grep -qE '^NoNewPrivs:\s+1' "$work/status" ;;
  CapabilityBoundingSet) grep -qE '^CapBnd:\s+0+$' "$work/status" && grep -qE '^CapEff:\s+0+$' "$work/status" ;;
  SystemCallFilter*) grep -qE '^Seccomp:\s+2' "$work/status" ;;
  PrivateUsers) [ "$(within_root readlink "/proc/$2/ns/user")" != "$(within_root readlink /proc/1/ns/user)" ] ;;
  ProtectSystem) mounted / ro && mounted /var/lib/hermes rw ;;
  ProtectHome) mounted /home ro && mounted /root ro && mounted /run/user ro ;;
  PrivateTmp) mounted /tmp rw && mounted /var/tmp rw ;;
  PrivateDevices) mounted /dev ro || ! within_root nsenter -t "$2" -m test -e /dev/kmsg ;;
  ProcSubset) grep -E ' /proc ' "$work/mounts" | grep -q 'subset=pid' ;;
  ProtectControlGroups) mounted /sys/fs/cgroup ro ;;
  ProtectKernelLogs) ! within_root nsenter -t "$2" -m test -c /dev/kmsg ;;
  esac
}
real_status() { within_root cat "/proc/$1/status"; }

# mounted tells whether a directory is a mount of the process, read-only or not.
mounted() { awk -v at="$1" -v how="$2" '$5 == at { split($6, o, ","); is = o[1] } END { exit is != how }' "$work/mounts"; }
