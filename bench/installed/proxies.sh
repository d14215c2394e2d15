# D7: nginx and Caddy of Debian in front of a server, with the configuration of docs/proxy.md.

site=memory.example.org

check_proxies() {
  cp -a "$kept/booted" "$work/booted"
  root=$work/booted
  boot "$root"
  mkdir "$work/d7"
  "$work/model" &
  local model=$! server
  picture >"$work/d7/large"

  start_server "$site"
  local direct
  direct=$(gaps http://127.0.0.1:11434 hermes)
  ended "$server"
  rm -rf "$work/d7/home"
  note D7 "without a proxy: longest gap ${direct% *} ms, ${direct#* } pieces"

  proxy nginx
  proxy caddy
  ended "$model"
  halt
  rm -rf "$root"
}

# proxy checks one of them.
proxy() {
  local which=$1 authority server key said through
  "${which}_conf"
  if ! within_root systemctl start "$which" 2>/dev/null; then
    check D7 "$which with the configuration of the docs" "$(within_root journalctl -u "$which" --no-pager -n 3 -o cat | tail -n 1)" "starts" false
    return
  fi
  through=(--cacert "$authority" --resolve "$site:443:127.0.0.1")
  until_true 20 test -s "$authority"
  until_true 20 curl -s "${through[@]}" "https://$site/health"

  start_server "$site"
  said=$(status "${through[@]}" "https://$site/v1/models" -H 'Authorization: Bearer hermes')
  check D7 "$which: the development key" "$said, $(status http://127.0.0.1:11434/v1/models -H 'Authorization: Bearer hermes') without the proxy" "401, 200 without" [ "$said" = 401 ]
  key=$(HERMES_HOME=$work/d7/home "$work/programs/hermes" --json keys create --name rig --owner local | sed -nE 's/.*"key": *"([^"]+)".*/\1/p')
  said=$(gaps "https://$site" "$key" "${through[@]}")
  check D7 "$which: a streamed answer" "longest gap ${said% *} ms, ${said#* } pieces" "at most $((${direct% *} + 50)) ms, ${direct#* } pieces" \
    as_direct "${said% *}" "${said#* }" "${direct% *}" "${direct#* }"
  said=$(status "${through[@]}" "https://$site/v1/chat/completions" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' --data-binary "@$work/d7/large")
  check D7 "$which: a body of $(stat -c %s "$work/d7/large") bytes" "$said" 200 [ "$said" = 200 ]
  ended "$server"
  start_server elsewhere.example.org
  said=$(status "${through[@]}" "https://$site/health")
  check D7 "$which: a host that the server was not told" "$said" 421 [ "$said" = 421 ]
  ended "$server"
  rm -rf "$work/d7/home"
  within_root systemctl stop "$which"
}

# start_server starts the server that answers to a name. It sets server.
start_server() {
  until_true 10 silent
  HERMES_HOME=$work/d7/home API_SERVER_HOSTS=$1 HERMES_UPSTREAM_URL=http://127.0.0.1:8080/v1 \
    "$work/programs/hermes" serve >"$work/d7/said" 2>&1 </dev/null &
  server=$!
  until_true 20 healthy || cat "$work/d7/said" >&2
}

# of_docs is the first block of code behind a heading of docs/proxy.md.
of_docs() { awk -v heading="## $1" '$0 == heading { here = 1 } here && /^```/ { if (inside) exit; inside = 1; next } inside' docs/proxy.md; }

nginx_conf() {
  chroot "$root" openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$site" -addext "subjectAltName=DNS:$site" \
    -keyout /etc/nginx/key.pem -out /etc/nginx/cert.pem 2>/dev/null
  authority=$root/etc/nginx/cert.pem
  rm -f "$root/etc/nginx/sites-enabled/default"
  of_docs nginx | sed 's#\# ssl_certificate and ssl_certificate_key#ssl_certificate /etc/nginx/cert.pem; ssl_certificate_key /etc/nginx/key.pem;#' \
    >"$root/etc/nginx/conf.d/hermes.conf"
}

# Caddy would ask a public authority for its certificate. There is no network here, so that it
# makes its own.
caddy_conf() {
  authority=$root/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt
  {
    printf '{\n\tlocal_certs\n\tskip_install_trust\n}\n'
    of_docs Caddy
  } >"$root/etc/caddy/Caddyfile"
}

# gaps is the longest wait for the next piece of a streamed answer in milliseconds, the wait for
# the first included, and the number of pieces. Of three answers it is that with the shortest,
# because other work on the machine only makes it longer.
gaps() {
  local url=$1 key=$2 best="" pieces="" one now last longest n line
  shift 2
  for one in 1 2 3; do
    longest=0 n=0 last=$(ms)
    while IFS= read -r line; do
      case $line in
      data:*)
        n=$((n + 1))
        now=$(ms)
        if [ $((now - last)) -gt "$longest" ]; then longest=$((now - last)); fi
        last=$now
        ;;
      esac
    done < <(curl -sN -m 30 "$@" "$url/v1/chat/completions" -H "Authorization: Bearer $key" -H "X-Hermes-Session-Id: gaps" \
      -d '{"model":"hermes","stream":true,"messages":[{"role":"user","content":"Count."}]}')
    if [ -z "$best" ] || [ "$longest" -lt "$best" ]; then best=$longest pieces=$n; fi
  done
  echo "$best $pieces"
}

as_direct() { [ "$2" = "$4" ] && [ "$2" -ge 40 ] && [ "$1" -le $(($3 + 50)) ]; }

# picture is a turn with a picture, 9 MB in all.
picture() {
  printf '{"model":"hermes","messages":[{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,'
  head -c 6749850 /dev/urandom | base64 -w 0
  printf '"}}]}]}'
}
