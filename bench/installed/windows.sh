# D2: the Windows program under Wine does what the Linux program does, and says it in the
# same words. Both go through the same steps; their outputs are compared.

check_windows() {
  wine_prefix
  local linux=$work/d2/linux windows=$work/d2/windows
  steps linux
  steps windows

  step_is version "hermes version" 0 'windows/amd64'
  step_is idle "hermes health without a server" 1 'No server answers at http://127.0.0.1:11434'
  step_is health "hermes health with one" 0 'ready'
  step_is second "a second server on the same home" 1 'Another hermes \(process [0-9]+\) owns this database'
  step_is taken "a taken port" 1 'listens on 127.0.0.1:11434 already. Stop it, or choose another address'
  step_is asked "told, killed hard, asked again" 0 'Wandering Albatross'
  step_is doctor "hermes doctor" 0 '^✓ disk +[0-9.]+ MB of [0-9.]+ MB are free'
  step_is prove "hermes prove" 0 '29 of 29 promises hold'
  step_is backup "a backup while the server runs" 0 'It is verified'
  step_is restore "its restore into another home" 0 'estored'
  step_is restored "asked after the restore" 0 'Wandering Albatross'
  step_is aside "the port of an Ollama" none '127.0.0.1:8642|localhost:8642'

  local name equal=0 all=0
  for name in "$linux"/*.said; do
    name=${name##*/}
    all=$((all + 1))
    if diff <(as_linux "$linux/$name") <(as_linux "$windows/$name") >"$work/d2/diff"; then
      equal=$((equal + 1))
      continue
    fi
    note D2 "${name%.said} is another text than on Linux (< Linux, > Windows):"
    sed 's/^/            /' "$work/d2/diff" | grep '[<>]' | head -n 12
  done
  check D2 "what is printed" "$equal of $all steps as on Linux" "all, but for paths" [ "$equal" = "$all" ]
}

# wine_prefix makes a Windows of this run's own, in the Debian root that has Wine.
wine_prefix() {
  local root=$kept/wine
  mkdir -p "$work/d2/linux" "$work/d2/windows" "$work/d2/user" "$work/d2/prefix"
  cp "$work/programs/hermes.exe" "$work/d2"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/tmp"
  mount --bind "$work/d2" "$root/mnt"
  export WINEPREFIX=/mnt/prefix WINEDEBUG=-all
  wine64=(env HOME=/mnt/user XDG_RUNTIME_DIR=/tmp chroot "$root" /usr/lib/wine/wine64)
  # Its server would end with the last program, which may be while the next one starts.
  "${wine64[@]/%wine64/wineserver64}" -p
  "${wine64[@]}" wineboot -i >"$work/d2/boot" 2>&1 || { cat "$work/d2/boot" >&2; exit 1; }
}

# steps runs everything with one of the two programs. Each step leaves NAME.said: what was
# printed, and the exit code.
steps() {
  local system=$1 out=$work/d2/$1 other file
  if [ "$system" = linux ]; then
    program=("$work/programs/hermes")
    file=$work/d2/linux.tar
    other=$work/d2/other
  else
    program=("${wine64[@]}" /mnt/hermes.exe)
    file='C:\backup.tar'
    other='C:\other'
  fi
  export HOME=$work/d2/user HERMES_PROBE=false
  unset HERMES_HOME

  step version version
  step idle health
  start "$out/serve"
  step health health
  step second serve --addr 127.0.0.1:11435
  HERMES_HOME=$other step taken serve
  step told -q "My name is Alex. My boat is called Wandering Albatross and lies in Lisbon."
  ended "$server_pid"
  step killed health
  start "$out/again"
  step asked -q "What is my boat called?"
  step doctor doctor
  step prove prove
  step backup backup "$file"
  ended "$server_pid"
  HERMES_HOME=$other step restore restore "$file" --yes
  export HERMES_HOME=$other
  start "$out/third"
  step restored -q "What is my boat called?"
  ended "$server_pid"

  until_true 10 silent
  "$work/model" -addr 127.0.0.1:11434 -ollama &
  local ollama=$!
  until_true 10 curl -sf http://127.0.0.1:11434/
  unset HERMES_PROBE
  "${program[@]}" serve >"$out/aside.raw" 2>&1 </dev/null &
  server_pid=$!
  until_true 20 curl -sf http://127.0.0.1:8642/health
  greeted "$out/aside"
  echo "exit none" >>"$out/aside.said"
  ended "$server_pid"
  ended "$ollama"
  unset HERMES_HOME
}

# step runs the program once.
step() {
  local name=$1 code=0
  shift
  timeout 60 "${program[@]}" "$@" >"$out/$name.said" 2>&1 </dev/null || code=$?
  echo "exit $code" >>"$out/$name.said"
}

# start starts its server, and waits until it answers.
start() {
  until_true 10 silent
  "${program[@]}" serve >"$1.raw" 2>&1 </dev/null &
  server_pid=$!
  until_true 30 healthy || { echo "installed: the server did not answer:" >&2; cat "$1.raw" >&2; }
  greeted "$1"
}

# greeted waits for all that a server prints at its start.
greeted() {
  until_true 2 grep -q 'What tech stack' "$1.raw"
  cp "$1.raw" "$1.said"
}

# step_is checks the exit code and the words of a step of the Windows program.
step_is() {
  local said=$work/d2/windows/$1.said words
  words=$(grep -vE '^(exit [0-9]+|session .*|)$' "$said" | grep -m 1 -E "$4" || head -n 1 "$said")
  check D2 "$2" "$(ended_with "$(tail -n 1 "$said")"), \"$(tr -d '\r' <<<"$words" | cut -c 1-110)\"" "$(ended_with "exit $3"), as on Linux" said_so "$said" "$3" "$4"
}

ended_with() { if [ "$1" = "exit none" ]; then echo serving; else echo "$1"; fi; }
said_so() { [ "$(tail -n 1 "$1")" = "exit $2" ] && grep -qE "$3" "$1"; }

# as_linux is what a step has printed, without what is right to differ: the paths of homes, the
# number of the process, ids, times and sizes, the system in `hermes version`, the order in which
# promises are done, who can read the home (Windows has lists of access), and the line of the Unix
# socket, which a server on Windows does not open.
as_linux() {
  tr -d '\r' <"$1" | sed -E \
    -e '/^ *socket +/d; /^✓ home +/d; /^ +[0-9]+\/[0-9]+ +✓/d' \
    -e 's/[0-9.]+ MB( of [0-9.]+ MB)?([ ,])/SIZE\2/g; s/ +[0-9]+ +[0-9.]+$//; s/turns, [0-9.]+ s/turns/' \
    -e 's/process [0-9]+/process N/' \
    -e 's/(linux|windows)\/amd64/SYSTEM/' \
    -e "s#$work/d2/user/.hermes#HOME#g; s#$work/d2/other#OTHER#g; s#$work/d2/linux.tar#BACKUP#g" \
    -e 's#C:\\users\\[a-z]+\\.hermes#HOME#g; s#C:\\other#OTHER#g; s#C:\\backup.tar#BACKUP#g; /HOME|OTHER/s#\\#/#g' \
    -e 's/time=[^ ]+/time=T/' -e 's/[0-9T]+Z?-?[0-9]*\.before/before/' \
    -e 's/before-[0-9TZ-]+/before-T/' -e 's/\([0-9.]+ [kM]B\)/(SIZE)/' -e 's/session [0-9a-zA-Z_-]+/session ID/' \
    -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?/T/g'
}
