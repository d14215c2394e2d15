package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// diskRig has the system refuse what the server asks of the disk.
var diskRig = rig{
	name: "disk", fault: "F4 the N-th fsync, or the N-th write, of each thread fails with EIO (strace), then kill -9", rounds: 100, run: failDisk,
	want: "0 acknowledged lost, nothing acknowledged after the failure, readiness false ≤ 1 s after it",
	off:  "an I/O error does not end acknowledgements", bareRounds: 8,
	bare: []change{{
		"internal/sqlite/writer.go", "	case ioerr, corrupt, notadb:\n		return w.fail(err)", "	case ioerr, corrupt, notadb:\n		return err",
	}},
}

// faults are the calls that fail, and how far apart the N are.
var faults = []struct {
	calls string
	step  int
	share int // of the rounds, one in so many
}{{"fsync,fdatasync", 1, 1}, {"pwrite64", 8, 2}}

// failures counts what came of failing calls.
type failures struct {
	s    *subject
	t    *tally
	from string // a home with an empty database, so that the start needs few calls

	acked                                  []string
	all, lost, met, unmet, unstarted, late int
	slowest                                time.Duration // until readiness was false
}

// failDisk is the whole rig.
func failDisk(ctx context.Context, b *bench, rounds int) (*tally, error) {
	if _, err := exec.LookPath("strace"); err != nil {
		return nil, errors.New("it needs the program strace (apt-get install strace)")
	}
	f := &failures{t: &tally{}}
	if err := f.prepare(ctx, b); err != nil {
		return nil, err
	}
	var did []string
	for _, fault := range faults {
		n := max(1, rounds/fault.share)
		for i := range n {
			if err := f.round(ctx, b, fault.calls, 1+i*fault.step); err != nil {
				return nil, fmt.Errorf("%s %d: %w", fault.calls, 1+i*fault.step, err)
			}
			if i%20 == 19 {
				b.say("disk: %s, %d rounds", fault.calls, i+1)
			}
		}
		did = append(did, fmt.Sprintf("%s for %d N in 1..%d", fault.calls, n, 1+(n-1)*fault.step))
	}
	f.t.done = fmt.Sprintf("%s: failed at the start %d times, under load %d times, not reached %d times; %d messages acknowledged",
		strings.Join(did, ", "), f.unstarted, f.met, f.unmet, f.all)
	f.t.figure = fmt.Sprintf("%d lost, %d acknowledged after the failure, readiness false after at most %d ms", f.lost, f.late, f.slowest.Milliseconds())
	if f.lost+f.late > 0 {
		f.t.miss("%d lost, %d acknowledged after the failure", f.lost, f.late)
	}
	if f.slowest > time.Second {
		f.t.miss("readiness stayed true for %s", f.slowest)
	}
	return f.t, nil
}

// prepare makes the home that each round begins with a copy of.
func (f *failures) prepare(ctx context.Context, b *bench) error {
	s, err := b.serve(ctx, "", "HERMES_RESPONDER=recall")
	if err != nil {
		return err
	}
	f.from = s.home
	s.stop()
	return nil
}

// round runs a server whose n-th call fails.
func (f *failures) round(ctx context.Context, b *bench, calls string, n int) error {
	var err error
	if f.s, err = b.subject("", "HERMES_RESPONDER=recall", "GOMAXPROCS=1"); err != nil {
		return err
	}
	if err := os.CopyFS(f.s.home, os.DirFS(f.from)); err != nil {
		return err
	}
	f.acked = nil
	f.s.under = []string{
		"strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=" + calls, "-e", "signal=none",
		"-e", fmt.Sprintf("inject=%s:error=EIO:when=%d", calls, n),
	}
	if err := f.s.start(ctx); errors.Is(err, errNotReady) {
		f.unstarted++
		f.s.kill()
	} else if err != nil {
		return err
	} else {
		f.load(ctx)
		f.s.kill()
		idle.CloseIdleConnections()
	}
	f.s.under = nil
	if err := f.s.settle(ctx, f.t); err != nil {
		return err
	}
	rows, err := checkFile(ctx, f.s.file(), f.t)
	if err != nil {
		return err
	}
	there := make(map[string]bool)
	for _, m := range rows {
		there[m.text] = true
	}
	f.all += len(f.acked)
	for _, text := range f.acked {
		if !there[text] {
			f.lost++
		}
	}
	return nil
}

// load writes until a write is refused, and then looks for what must follow.
func (f *failures) load(ctx context.Context) {
	for n := range 1200 {
		texts, status, _, err := appendTo(ctx, f.s.addr, "disk", fmt.Sprintf("Write %d.", n))
		if err == nil && status == http.StatusOK {
			f.acked = append(f.acked, texts...)
			continue
		}
		refused := time.Now()
		f.met++
		for time.Since(refused) < 3*time.Second {
			if status, _, err := call(ctx, f.s.addr, "GET", "/readyz", "", nil); err == nil && status == http.StatusServiceUnavailable {
				break
			}
			pause(ctx, 5*time.Millisecond)
		}
		f.slowest = max(f.slowest, time.Since(refused))
		for k := range 3 {
			if texts, status, _, err := appendTo(ctx, f.s.addr, "disk", fmt.Sprintf("Late %d.", k)); err == nil && status == http.StatusOK {
				f.acked = append(f.acked, texts...)
				f.late++
			}
		}
		return
	}
	f.unmet++
}
