package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// pathsRig sends odd ids and names everywhere, and looks at what the server asks of
// the file system. A round is a thousand of them.
var pathsRig = rig{
	name: "paths", fault: "T6 odd ids and names (../.., absolute, NUL, UNC, encoded, overlong) in every path, query, header and body that takes one, under strace", rounds: 10, run: wander,
	want: "no path outside the home but what Go and SQLite look at anyway, none within that an id has named",
	off:  "a session's id names a file", bareRounds: 1,
	bare: []change{
		{file: "internal/httpapi/torture.go", text: "package httpapi\n\nimport (\n\t\"os\"\n\t\"path/filepath\"\n)\n\n" +
			"func openNamed(id string) { _, _ = os.ReadFile(filepath.Join(os.Getenv(\"HERMES_HOME\"), \"sessions\", id)) }\n"},
		{"internal/httpapi/sessions.go",
			"	return s.named(r, id)\n", "	openNamed(string(id))\n	return s.named(r, id)\n"},
	},
}

// wanderer sends requests as they are, byte by byte: a library would put them right.
type wanderer struct {
	s    *subject
	rnd  *rand.Rand
	t    *tally
	conn net.Conn
	in   *bufio.Reader

	answers, refused, cut int
	statuses              map[int]int
}

// wander is the whole rig.
func wander(ctx context.Context, b *bench, rounds int) (*tally, error) {
	if _, err := exec.LookPath("strace"); err != nil {
		return nil, errors.New("it needs the program strace (apt-get install strace)")
	}
	w := &wanderer{t: &tally{}, rnd: rand.New(rand.NewPCG(1, 2)), statuses: make(map[int]int)}
	model := httptest.NewServer(http.HandlerFunc(callTool))
	defer model.Close()
	home, err := b.home()
	if err != nil {
		return nil, err
	}
	if home, err = filepath.EvalSymlinks(home); err != nil {
		return nil, err
	}
	skill := filepath.Join(home, "skills", "a-skill")
	if err := os.MkdirAll(skill, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(skill, "SKILL.md"), []byte("---\nname: a-skill\ndescription: one\n---\nDo it.\n"),
		0o600); err != nil {
		return nil, err
	}
	trace := filepath.Join(b.dir, filepath.Base(home)+".strace")
	w.s = &subject{
		hermes: b.hermes, home: home, upstream: model.URL + "/v1",
		env: []string{"HERMES_TOOLS=memory,session_search,skills", "API_SERVER_KEY=" + operatorKey},
		under: []string{"strace", "-f", "--seccomp-bpf", "-qq", "-y", "-xx", "-s", "16384", "-e", "trace=%file", "-e", "signal=none", "-o",
			trace},
	}
	if err := w.s.start(ctx); err != nil {
		return nil, err
	}
	defer w.s.kill()
	places, err := w.places(ctx)
	if err != nil {
		return nil, err
	}
	for n := range rounds * 1000 {
		if err := w.send(ctx, places[n%len(places)], n); err != nil {
			return nil, err
		}
		if n%1000 == 999 {
			b.say("paths: %d sent", n+1)
		}
	}
	w.s.stop()
	seen, err := readTrace(trace)
	if err != nil {
		return nil, err
	}
	return w.judge(seen, home, len(places), rounds*1000), os.Remove(trace)
}

// judge holds what the server asked for against what it may.
func (w *wanderer) judge(seen map[string]int, home string, places, sent int) *tally {
	calls, skills, outside, inside := 0, 0, 0, 0
	for path, n := range seen {
		if calls += n; strings.HasPrefix(path, home+"/skills/") {
			skills += n
		}
		switch why := forbidden(path, home, w.s.hermes); why {
		case "":
		case "within":
			inside += n
			w.t.miss("%d × %.200q in the home", n, path)
		default:
			outside += n
			w.t.miss("%d × %.200q", n, path)
		}
	}
	if n := w.statuses[http.StatusInternalServerError]; n > 0 {
		w.t.miss("%d answers were 500", n)
	}
	w.t.done = fmt.Sprintf("%d inputs in %d places, %d answers (%d of them 2xx), %d refused as no HTTP; %d calls with a path, %d of them of skills", sent, places, w.answers, w.good(), w.refused, calls, skills)
	w.t.figure = fmt.Sprintf("%d outside, %d within that an id has named", outside, inside)
	if w.cut > sent/100 || w.good() == 0 || skills == 0 {
		w.t.miss("%d connections were cut, %d answers were good, %d calls of skills seen: this shows nothing", w.cut, w.good(), skills)
	}
	return w.t
}

func (w *wanderer) good() (n int) {
	for status, times := range w.statuses {
		if status < 300 {
			n += times
		}
	}
	return n
}

// zones are where Go looks for a time zone by its name, which may not lead out of them.
var zones = []string{"/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/", "/usr/lib/locale/TZ/", "/etc/zoneinfo/"}

// usual is what Go and SQLite look at in every process: the machine's limits, its
// time zone, chance, and the program itself. A path that ends with a slash stands
// for what is below it.
var usual = []string{
	"/proc", "/proc/self/exe", "/proc/self/cgroup", "/proc/self/mountinfo", "/proc/sys/net/core/somaxconn", "/sys/fs/cgroup/",
	"/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "/etc", "/etc/localtime", "/etc/timezone", "/usr", "/usr/share", "/dev/urandom",
}

// ofProcess is what the metrics tell of the process itself.
var ofProcess = regexp.MustCompile(`^/proc/(stat|\d+(/(fd|limits|stat|net/netstat))?)$`)

// forbidden says why a server may not ask for a path: "within" if an id has named
// a file in the home, "outside" for all that is not usual; "" if it may.
func forbidden(path, home, program string) string {
	named := strings.Contains(path, mark)
	if rest, ok := strings.CutPrefix(path, home); ok && (rest == "" || rest[0] == '/') {
		if named && !strings.HasPrefix(rest, "/skills/") { // a skill's folder is called like it
			return "within"
		}
		return ""
	}
	for _, zone := range zones {
		if strings.HasPrefix(path+"/", zone) {
			return ""
		}
	}
	if named {
		return "outside"
	}
	if program, err := filepath.Abs(program); err == nil && path == program {
		return ""
	}
	if strings.HasPrefix(home, path+"/") {
		return "" // on the way to the home
	}
	if isUsual(path) {
		return ""
	}
	return "outside"
}

// isUsual reports whether every program may open a path.
func isUsual(path string) bool {
	return ofProcess.MatchString(path) || slices.ContainsFunc(usual, func(may string) bool {
		return path == may || strings.HasSuffix(may, "/") && strings.HasPrefix(path, may)
	})
}

// send sends one odd text in a place. What the server makes of it is counted; an
// error says that there is no server any more.
func (w *wanderer) send(ctx context.Context, p place, n int) error {
	line, header, body := p.fill(w.odd(n))
	if w.conn == nil {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", w.s.addr)
		if err != nil {
			return fmt.Errorf("the server is gone: %w", err)
		}
		w.conn, w.in = conn, bufio.NewReader(conn)
	}
	_ = w.conn.SetDeadline(time.Now().Add(30 * time.Second)) // a read fails then
	text := fmt.Sprintf("%sHost: %s\r\nContent-Length: %d\r\n%s", line, w.s.addr, len(body), header)
	if !strings.HasPrefix(header, "Authorization:") {
		text += "Authorization: Bearer " + operatorKey + "\r\n"
	}
	more := false
	if _, err := io.WriteString(w.conn, text+"\r\n"+body); err == nil {
		more = w.read()
	}
	if !more {
		w.hangUp()
	}
	return nil
}

// read reads an answer, and reports whether more may come this way.
func (w *wanderer) read() bool {
	res, err := http.ReadResponse(w.in, nil)
	if err != nil {
		w.cut++
		return false
	}
	_, err = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	w.answers++
	w.statuses[res.StatusCode]++
	if res.StatusCode == http.StatusBadRequest && res.Header.Get("X-Request-Id") == "" {
		w.refused++ // by net/http
	}
	return err == nil && !res.Close
}

func (w *wanderer) hangUp() {
	_ = w.conn.Close()
	w.conn = nil
}
