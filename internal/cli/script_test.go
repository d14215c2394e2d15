package cli_test

import (
	"bytes"
	"context"
	"database/sql"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScript runs testdata/script/*.txtar against the program. In addition to the
// usual commands there are:
//
//	exit CODE COMMAND ARGS…   runs a command that must end with that code
//	conversations FILE        writes an export of 28 conversations
//	answers                   waits until the server of the home answers
//	call STATUS KEY PATH      a GET with that key ("none" for no key)
//	callfile STATUS FILE PATH the same with the key in a file
//	sql STATEMENT…            does something to the database of the home, as another program would
func TestScript(t *testing.T) {
	t.Parallel()
	path := filepath.Dir(hermes(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "data")
			e.Setenv("PATH", path)
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("HERMES_HOME", home)
			e.Setenv("HERMES_PROBE", "false")
			return os.Mkdir(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit":          scriptExit,
			"conversations": scriptConversations,
			"answers":       scriptAnswers,
			"waitfor":       scriptWaitFor,
			"call":          scriptCall,
			"callfile":      scriptCallFile,
			"sql":           scriptSQL,
		},
	})
}

// scriptExit runs a command and checks its exit code.
func scriptExit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit CODE COMMAND ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		got = -1
		if e, ok := err.(*exec.ExitError); ok { //nolint:errorlint // as testscript returns it
			got = e.ExitCode()
		}
	}
	if got != want {
		ts.Fatalf("exit code: got %d (%v), want %d", got, err, want)
	}
}

// scriptAnswers waits for the server of the script's home.
func scriptAnswers(ts *testscript.TestScript, _ bool, _ []string) {
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if status, err := get(ts, "none", "/health"); err == nil && status == http.StatusOK {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			ts.Fatalf("the server does not answer")
		}
	}
}

// get makes a request to the server of the script's home.
func get(ts *testscript.TestScript, key, path string) (int, error) {
	file, err := readServerFile(ts.Getenv("HERMES_HOME"))
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+file.Address+path, nil)
	if err != nil {
		return 0, err
	}
	if key != "none" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	var body bytes.Buffer
	_, err = body.ReadFrom(res.Body)
	ts.Logf("%d %s", res.StatusCode, body.String())
	return res.StatusCode, err
}

// scriptCall makes a request and checks its status.
func scriptCall(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: call STATUS KEY PATH")
	}
	status, err := get(ts, args[1], args[2])
	ts.Check(err)
	if want := args[0]; strconv.Itoa(status) != want {
		ts.Fatalf("status of %s: got %d, want %s", args[2], status, want)
	}
}

// scriptSQL carries out statements with the driver alone.
func scriptSQL(ts *testscript.TestScript, _ bool, args []string) {
	u := url.URL{Scheme: "file", Path: filepath.Join(ts.Getenv("HERMES_HOME"), "state.db"), RawQuery: "_pragma=busy_timeout(10000)"}
	db, err := sql.Open("sqlite", u.String())
	ts.Check(err)
	for _, statement := range args {
		_, err := db.ExecContext(context.Background(), statement)
		ts.Check(err)
	}
	ts.Check(db.Close())
}

// scriptCallFile is scriptCall with the key in a file.
func scriptCallFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: callfile STATUS FILE PATH")
	}
	scriptCall(ts, false, []string{args[0], strings.TrimSpace(ts.ReadFile(args[1])), args[2]})
}

// scriptWaitFor runs a command until what it prints matches: waitfor REGEXP COMMAND…
func scriptWaitFor(ts *testscript.TestScript, _ bool, args []string) {
	wanted := regexp.MustCompile(args[0])
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(30 * time.Second); ; <-tick.C {
		ts.Check(ts.Exec(args[1], args[2:]...))
		got := ts.ReadFile("stdout")
		if wanted.MatchString(got) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%q never printed %s, but at last: %s", args[1:], args[0], got)
		}
	}
}
