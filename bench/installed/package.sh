# D3: the Debian package, and `hermes service`, in and out twice. What is left afterwards is data.

check_package() {
  newer_package
  bare_rounds
  cp -a "$kept/booted" "$work/booted"
  root=$work/booted
  cp "$work/programs/hermes.deb" "$work/newer.deb" "$root/srv"
  boot "$root"
  booted_rounds
  machine_service
  user_service
  halt
  rm -rf "$root"
}

# newer_package is the same package with a higher version.
newer_package() {
  dpkg-deb -R "$work/programs/hermes.deb" "$work/newer"
  sed -i 's/^Version: /&9:/' "$work/newer/DEBIAN/control"
  dpkg-deb -Zgzip -z1 -b "$work/newer" "$work/newer.deb" >/dev/null
  rm -rf "$work/newer"
}

# bare_rounds installs in a Debian as containers have it: no systemd, and nothing running.
bare_rounds() {
  root=$work/bare
  cp -a "$kept/bare" "$root"
  cp "$work/programs/hermes.deb" "$work/newer.deb" "$root/srv"
  names "$root" >"$work/before"
  local round first="" key said
  for round in 1 2; do
    dpkg_in -i /srv/hermes.deb
    key=$(key_of "$root")
    key_is_good "without systemd, round $round: the key" "$key" "${first:-}"
    said=$(chroot "$root" hermes version 2>&1 | head -n 1 | tr -s ' ')
    check D3 "without systemd, round $round: the program" "$said" "a version" grep -q '^hermes ' <<<"$said"
    dpkg_in -i /srv/newer.deb
    dpkg_in -r hermes
    dpkg_in -i /srv/hermes.deb
    check D3 "without systemd, round $round: the key after upgrade, removal, installation" \
      "$(same "$key" "$(key_of "$root")")" "the same" [ "$key" = "$(key_of "$root")" ]
    dpkg_in -P hermes
    left_is "without systemd, round $round: after purge" "" ""
    first=$key
  done
  rm -rf "$root"
}

# booted_rounds installs in a Debian whose systemd runs, and uses the service.
booted_rounds() {
  names "$root" >"$work/before"
  local round first="" key pid
  for round in 1 2; do
    dpkg_in -i /srv/hermes.deb
    key=$(key_of "$root")
    key_is_good "round $round: the key" "$key" "${first:-}"
    check D3 "round $round: after the installation the service" "$(unit_state)" "disabled, inactive" [ "$(unit_state)" = "disabled, inactive" ]
    within_root systemctl enable --now hermes 2>/dev/null
    until_true 20 healthy
    check D3 "round $round: enabled and started" "$(unit_state), $(answers)" "enabled, active, answers" started
    turn "$key" "My boat is called Wandering Albatross and lies in Lisbon." >/dev/null
    pid=$(main_pid)
    dpkg_in -i /srv/newer.deb
    until_true 20 healthy
    check D3 "round $round: after the upgrade" "key $(same "$key" "$(key_of "$root")"), process $(same "$pid" "$(main_pid)"), $(knows "$key")" \
      "key the same, process another, knows what was told" upgraded "$key" "$pid"
    dpkg_in -r hermes
    until_true 10 silent
    check D3 "round $round: after the removal" "$(answers)" "no answer" silent
    left_is "round $round: after the removal" "/etc/hermes /etc/hermes/hermes.env" /var/lib/hermes
    dpkg_in -i /srv/hermes.deb
    within_root systemctl enable --now hermes 2>/dev/null
    until_true 20 healthy
    check D3 "round $round: installed again" "key $(same "$key" "$(key_of "$root")"), $(knows "$key")" \
      "key the same, knows what was told" knows_well "$key"
    dpkg_in -P hermes
    until_true 10 silent
    left_is "round $round: after purge" "" /var/lib/hermes
    first=$key
  done
  rm -rf "$root/var/lib/hermes"
}

# machine_service is `hermes service --system`, with the program alone.
machine_service() {
  cp "$work/programs/hermes" "$root/usr/local/bin/hermes"
  names "$root" >"$work/before"
  local round key first=
  for round in 1 2; do
    service_in "hermes service --system, round $round" --system within_root /usr/local/bin/hermes service
    key=$(key_of "$root")
    if [ -n "$first" ]; then check D3 "hermes service --system: the key of the second installation" "$(same "$first" "$key")" "the same" [ "$first" = "$key" ]; fi
    first=$key
    left_is "hermes service --system, round $round: after uninstall" "/etc/hermes /etc/hermes/hermes.env" /var/lib/hermes
  done
  rm -rf "$root/var/lib/hermes" "$root/etc/hermes"
}

# user_service is the service of an account.
user_service() {
  within_root useradd --create-home --shell /bin/bash alex
  within_root loginctl enable-linger alex
  local uid round
  uid=$(within_root id -u alex)
  until_true 20 within_root test -S "/run/user/$uid/systemd/private"
  names "$root" >"$work/before"
  for round in 1 2; do
    service_in "hermes service of an account, round $round" "" within_root runuser -u alex -- \
      env "HOME=/home/alex" "XDG_RUNTIME_DIR=/run/user/$uid" /usr/local/bin/hermes service
    left_is "hermes service of an account, round $round: after uninstall" "" /home/alex/.hermes
  done
}

# service_in installs a service, asks for its status, and uninstalls it, and checks each. It is
# given a name, the flag of all three (may be empty), and the command.
service_in() {
  local what=$1 flag=$2 said code
  shift 2
  code=0
  said=$("$@" install ${flag:+"$flag"} 2>&1) || code=$?
  until_true 20 healthy
  check D3 "$what: install" "exit $code, $(answers), \"$(first_line "$said")\"" "exit 0, answers" went_well "$code" healthy
  code=0
  said=$("$@" status ${flag:+"$flag"} 2>&1) || code=$?
  check D3 "$what: status" "exit $code, $(tr -s ' \n' ' ' <<<"$said")" "exit 0, running yes" went_well "$code" grep -qE 'running +yes' <<<"$said"
  code=0
  said=$("$@" uninstall ${flag:+"$flag"} 2>&1) || code=$?
  until_true 10 silent
  check D3 "$what: uninstall" "exit $code, $(answers), \"$(first_line "$said")\"" "exit 0, no answer" went_well "$code" silent
}

# went_well is exit code 0 of a command before, and of the one that is given.
went_well() {
  [ "$1" = 0 ] || return 1
  shift
  "$@" >/dev/null
}
first_line() { head -n 1 <<<"$1"; }

# dpkg_in runs dpkg, in the running Debian if there is one.
dpkg_in() {
  local enter=(chroot "$root")
  if [ "$root" = "$work/booted" ]; then enter=(within_root); fi
  if ! "${enter[@]}" env DEBIAN_FRONTEND=noninteractive dpkg "$@" >"$work/dpkg" 2>&1; then
    check D3 "dpkg $*" "$(tail -n 1 "$work/dpkg")" "exit 0" false
  fi
}

# names lists the files of a root but for those that every dpkg and systemd writes.
names() {
  (cd "$1" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./run -o -path ./tmp -o -path ./dev -o -path ./srv -o -path ./var/log \
    -o -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/lib/systemd -o -path ./var/tmp -o -path './etc/*-' -o -path './etc/.pwd.lock' \) -prune -o -print) |
    sed 's/^\.//' | sort
}

# left_is checks what the files are that were not there before: some by name ($2), and
# everything in one directory of data ($3).
left_is() {
  local left extra data=0
  left=$(comm -13 "$work/before" <(names "$root"))
  if [ -n "$3" ]; then
    data=$(grep -cE "^$3(/|\$)" <<<"$left")
    left=$(grep -vE "^$3(/|\$)" <<<"$left")
  fi
  extra=$(comm -13 <(tr ' ' '\n' <<<"$2" | sort) <(sort <<<"$left") | grep . | paste -sd ' ')
  check D3 "$1, left are" "${2:-no settings}, ${3:-no data}${3:+ ($data files)}${extra:+, and $extra}" "${3:+data and }nothing else" \
    only_data "$3" "$data" "$extra"
}
only_data() { [ -z "$3" ] && { [ -z "$1" ] || [ "$2" -gt 1 ]; }; }

key_of() { sed -n 's/^API_SERVER_KEY=//p' "$1/etc/hermes/hermes.env" 2>/dev/null; }

# key_is_good checks the key: 64 hexadecimal digits, 0640, and another than that of before.
key_is_good() {
  local mode
  mode=$(chroot "$root" stat -c '%a %U:%G' /etc/hermes/hermes.env)
  check D3 "$1" "${#2} characters, $mode${3:+, $(same "$3" "$2")}" "64 of hex, 640 root:hermes${3:+, another}" \
    key_fits "$2" "$mode" "$3"
}
key_fits() { [[ $1 =~ ^[0-9a-f]{64}$ ]] && [ "$2" = "640 root:hermes" ] && [ "$1" != "$3" ]; }

same() { if [ "$1" = "$2" ]; then echo "the same"; else echo another; fi; }
answers() { if healthy; then echo answers; else echo "no answer"; fi; }
started() { [ "$(unit_state)" = "enabled, active" ] && healthy; }
main_pid() { within_root systemctl show -P MainPID hermes; }
unit_state() {
  echo "$(within_root systemctl is-enabled hermes 2>/dev/null), $(within_root systemctl is-active hermes)"
}

# turn tells or asks the server something.
turn() {
  curl -s -m 20 http://127.0.0.1:11434/v1/chat/completions -H "Authorization: Bearer $1" -H 'X-Hermes-Session-Id: rig' -d "$(chat "$2")"
}
knows() { if remembers "$1"; then echo "knows what was told"; else echo "does not know what was told"; fi; }
remembers() { turn "$1" "What is my boat called?" | grep -q Albatross; }
knows_well() { [ "$1" = "$(key_of "$root")" ] && remembers "$1"; }
upgraded() { [ "$2" != "$(main_pid)" ] && knows_well "$1"; }
