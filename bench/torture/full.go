package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// fullRig fills the disk and frees it again.
var fullRig = rig{
	name: "full", fault: "F5 a full disk (tmpfs of 512 MiB with 10 of them free), freed again; every second time killed while it is full", rounds: 20, run: fillDisk,
	want: "refused with 503 disk_full, reads go on, a session can be deleted, writes back ≤ 5 s after space is freed, 0 lost, file sound",
	off:  "no reserve, and a full disk counts as a broken one", bareRounds: 2,
	bare: []change{
		{"internal/sqlite/writer.go", "	case full:\n", "	case full:\n		if err != nil {\n			return w.fail(err)\n		}\n"},
		{"internal/sqlite/reserve.go", "	r.low = Room{", "	r.low = !ok && Room{"},
	},
}

// fill is one round of filling.
type fill struct {
	s     *subject
	t     *tally
	mu    sync.Mutex
	acked []string
	codes map[string]int // of refusals
}

// fillDisk is the whole rig.
func fillDisk(ctx context.Context, b *bench, rounds int) (*tally, error) {
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("it mounts a file system, which needs root")
	}
	t := &tally{}
	acked, lost, refused := 0, 0, 0
	var slowest time.Duration
	codes := make(map[string]int)
	for n := range rounds {
		f := &fill{t: t, codes: codes}
		back, gone, err := f.round(ctx, b, n%2 == 1)
		if err != nil {
			return nil, fmt.Errorf("round %d: %w", n+1, err)
		}
		slowest = max(slowest, back)
		acked, lost = acked+len(f.acked), lost+gone
	}
	var told []string
	for code, n := range codes {
		refused += n
		told = append(told, fmt.Sprintf("%d × %s", n, code))
		if code != "503 disk_full" {
			t.miss("refused with %s", code)
		}
	}
	t.done = fmt.Sprintf("%d times full, %d messages acknowledged, %d writes refused", rounds, acked, refused)
	t.figure = fmt.Sprintf("%d lost, writes back after at most %.2f s, refused: %s", lost, slowest.Seconds(), strings.Join(told, ", "))
	if lost > 0 {
		t.miss("%d lost", lost)
	}
	if slowest > 5*time.Second {
		t.miss("writes were not back in 5 s")
	}
	return t, nil
}

// round fills a disk of its own, and returns how long writes took to be back and
// how many messages are gone.
func (f *fill) round(ctx context.Context, b *bench, kill bool) (back time.Duration, lost int, err error) {
	if f.s, err = b.subject("", "HERMES_RESPONDER=recall"); err != nil {
		return 0, 0, err
	}
	home := f.s.home
	mount := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", "size=512m,mode=0700", "torture", home)
	if out, err := mount.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("mount: %w: %s", err, out)
	}
	defer func() { _ = exec.Command("umount", home).Run() }() //nolint:noctx // whatever becomes of the rest
	ballast := filepath.Join(home, "ballast")
	if out, err := exec.CommandContext(ctx, "fallocate", "-l", "502MiB", ballast).CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("fallocate: %w: %s", err, out)
	}
	if err := f.s.start(ctx); err != nil {
		return 0, 0, err
	}
	defer func() { f.s.kill() }()
	if _, status, answer, err := appendTo(ctx, f.s.addr, "spare", "Nobody will miss this."); err != nil || status != http.StatusOK {
		return 0, 0, fmt.Errorf("the first write: %d %s %w", status, answer, err)
	}
	f.fill(ctx)
	f.use(ctx)
	if kill {
		f.s.kill()
		idle.CloseIdleConnections()
	}
	if err := os.Remove(ballast); err != nil {
		return 0, 0, err
	}
	freed := time.Now()
	if kill {
		if err := f.s.start(ctx); err != nil {
			return 0, 0, err
		}
	}
	for n := 0; !f.write(ctx, 0, 100_000+n, nil) && time.Since(freed) < 10*time.Second; n++ {
		pause(ctx, 50*time.Millisecond)
	}
	back = time.Since(freed)
	f.s.stop()
	if err := f.s.settle(ctx, f.t); err != nil {
		return 0, 0, err
	}
	rows, err := checkFile(ctx, f.s.file(), f.t)
	if err != nil {
		return 0, 0, err
	}
	there := make(map[string]bool)
	for _, m := range rows {
		there[m.text] = true
	}
	for _, text := range f.acked {
		if !there[text] {
			lost++
		}
	}
	return back, lost, nil
}

// use reads from the full disk, and deletes a small session.
func (f *fill) use(ctx context.Context) {
	for _, want := range [][2]string{
		{"GET", "/api/sessions/full%2F0/messages"}, {"GET", "/api/search?q=filler"}, {"GET", "/health"}, {"DELETE", "/api/sessions/spare"},
	} {
		if status, body, err := send(ctx, f.s.addr, want[0], want[1], nil, nil); err != nil || status != http.StatusOK {
			f.t.miss("%s %s on a full disk: status %d, %v: %.100s", want[0], want[1], status, err, body)
		}
	}
}

// fill writes from eight sides until nothing goes any more.
func (f *fill) fill(ctx context.Context) {
	var writing sync.WaitGroup
	var refused atomic.Int64
	for i := range 8 {
		writing.Go(func() {
			for n := 0; refused.Load() < 40 && n < 10_000; n++ {
				if f.write(ctx, i, n, f.codes) {
					refused.Store(0)
				} else {
					refused.Add(1)
				}
			}
		})
	}
	writing.Wait()
}

// write appends some kilobytes and reports whether they were taken.
func (f *fill) write(ctx context.Context, i, n int, codes map[string]int) bool {
	said := fmt.Sprintf("Writer %d fills with filler %d: %s", i, n, strings.Repeat("filler and more of it, ", 40))
	texts, status, answer, err := appendTo(ctx, f.s.addr, fmt.Sprintf("full/%d", i), said)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil && status == http.StatusOK {
		f.acked = append(f.acked, texts...)
		return true
	}
	if codes != nil {
		code := fmt.Sprint(status)
		if strings.Contains(answer, `"disk_full"`) {
			code += " disk_full"
		} else {
			code += fmt.Sprintf(" %.120s %v", answer, err)
		}
		codes[code]++
	}
	return false
}
