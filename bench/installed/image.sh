# D5: the image. There is no container daemon here: the last stage of Containerfile is read, its
# files are the root directory of a process, and its ENV, USER, WORKDIR, ENTRYPOINT, CMD and
# HEALTHCHECK are what is run.

# image_files puts the files of the image into a directory; it needs the compiler.
image_files() {
  local words=() source target word build
  build=$(sed -n 's/.*\(go build .*\) -o .*/\1/p' Containerfile)
  mkdir "$1"
  while read -ra words; do
    source="" target=""
    local chown="" chmod=""
    for word in "${words[@]:1}"; do
      case $word in
      --from=*) ;;
      --chown=*) chown=${word#*=} ;;
      --chmod=*) chmod=${word#*=} ;;
      *) source=$target target=$word ;;
      esac
    done
    mkdir -p "$1/$(dirname "$target")"
    case $source in
    */hermes)
      if [ -n "${PROGRAMS:-}" ]; then cp "$PROGRAMS/hermes" "$1/$target"; else eval "CGO_ENABLED=0 $GO ${build#go} -o '$1/$target' ./cmd/hermes"; fi
      ;;
    /out/*) mkdir "$1/$target" ;;
    *) cp -L "$source" "$1/$target" ;;
    esac
    if [ -n "$chmod" ]; then chmod "$chmod" "$1/$target"; fi
    if [ -n "$chown" ]; then chown "$chown" "$1/$target"; fi
  done < <(last_stage | grep '^COPY ')
}

# last_stage are the lines of Containerfile behind its last FROM.
last_stage() { awk '/^FROM / { text = "" } { text = text $0 "\n" } END { printf "%s", text }' "$top/Containerfile"; }

# instruction is what an instruction of the last stage says; of a list, its words.
instruction() { last_stage | sed -nE "s/^$1 //p" | tr -d '[]",'; }

check_image() {
  local files=$work/image volume=$work/volume
  local packed unpacked
  packed=$(tar -C "$files" -c . | gzip | wc -c)
  unpacked=$(du -sb --apparent-size "$files" | cut -f 1)
  check D5 "size" "$(mb "$packed") compressed, $(mb "$unpacked") unpacked" "at most 40 MB compressed" [ "$packed" -le 40000000 ]

  # What every container has: /proc and some devices. The volume begins with the image's /data.
  mkdir -p "$files/proc" "$files/dev"
  cp -a "$files/data" "$volume"
  mount --bind "$files" "$files"
  mount -t proc proc "$files/proc"
  mount -t tmpfs tmpfs "$files/dev"
  local device
  for device in null zero random urandom; do
    touch "$files/dev/$device"
    mount --bind "/dev/$device" "$files/dev/$device"
  done
  mount -o remount,bind,ro "$files"
  mount --bind "$volume" "$files/data"

  local said code=0
  said=$(timeout 10 "$here/run" -contained serve 2>&1) || code=$?
  check D5 "without a key" "exit $code, \"$(head -n 1 <<<"$said" | cut -c 1-110)\"" "exit 1, names API_SERVER_KEY" refused "$code" "$said"

  local began took pid key=0123456789abcdef0123456789abcdef healthcheck
  read -ra healthcheck < <(instruction HEALTHCHECK | sed 's/.*CMD //; s#^/hermes ##')
  read -ra command < <(instruction CMD)
  began=$(ms)
  API_SERVER_KEY=$key "$here/run" -contained "${command[@]}" >"$work/contained" 2>&1 &
  pid=$!
  if until_true 20 "$here/run" -contained "${healthcheck[@]}"; then took="$(($(ms) - began)) ms"; else took=never; fi
  check D5 "read-only root, user $(instruction USER): healthy after" "$took" "at most 5000 ms" fast_enough "${took% ms}" 5000
  local writes
  writes=$(touch "$files/written" 2>/dev/null && echo writable || echo read-only)
  local user
  user=$(ps -o uid=,gid= -p "$pid" | tr -s ' ' ':' | sed 's/^://')
  check D5 "the process" "user $user, root $writes" "user 65532:65532, root read-only" [ "$user $writes" = "65532:65532 read-only" ]
  said=$(status http://127.0.0.1:11434/v1/chat/completions -H "Authorization: Bearer $key" -d "$(chat 'My boat is called Wandering Albatross.')")
  check D5 "a turn" "$said, $(find "$volume" -name state.db | wc -l) database in the volume" "200, 1 database" [ "$said" = 200 -a -s "$volume/state.db" ]
  ended "$pid"
  umount -R "$files"
}

mb() { awk -v n="$1" 'BEGIN { printf "%.1f MB", n / 1e6 }'; }
fast_enough() { [ "$1" != never ] && [ "$1" -le "$2" ]; }
refused() { [ "$1" = 1 ] && grep -q API_SERVER_KEY <<<"$2"; }

# contained runs the program of the image as its container would, with arguments.
contained() {
  local files=$WORK/image set user
  user=$(instruction USER)
  local entry
  read -ra entry < <(instruction ENTRYPOINT)
  read -ra set < <(instruction ENV)
  exec env -i "${set[@]}" ${API_SERVER_KEY:+"API_SERVER_KEY=$API_SERVER_KEY"} /usr/bin/setpriv --no-new-privs \
    /usr/bin/unshare --root "$files" --wd "$(instruction WORKDIR)" --setgid "${user#*:}" --setuid "${user%:*}" "${entry[@]}" "$@"
}
