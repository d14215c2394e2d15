package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// powerRig cuts the power: what a disk holds at some instant is looked at as it is.
var powerRig = rig{
	name: "power", fault: "F2 power cut under 16 writers: ext4 on a loop device, its image copied by reflink while they write", rounds: 60, run: cutPower,
	want: "0 of what was acknowledged before the instant missing, file sound",
	off:  "synchronous=NORMAL", bareRounds: 10,
	bare: []change{{"internal/cli/database.go", "sqlite.Options{Path:", "sqlite.Options{Synchronous: \"NORMAL\", Path:"}},
}

// disks are the file systems of one run.
type disks struct {
	outer, image, home, copied, after string
	mounted                           []string
}

// cutPower is the whole rig.
func cutPower(ctx context.Context, b *bench, rounds int) (*tally, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("it mounts file systems, which needs root")
	}
	if _, err := exec.LookPath("mkfs.xfs"); err != nil {
		return nil, errors.New("it needs mkfs.xfs (apt-get install xfsprogs)")
	}
	all := &outages{t: &tally{}}
	for done := 0; done < rounds; done += perDisk {
		if err := all.disk(ctx, b, min(perDisk, rounds-done)); err != nil {
			return nil, err
		}
		b.say("power: %d instants", min(rounds, done+perDisk))
	}
	return all.tally(rounds), nil
}

// perDisk is how many instants of one disk are looked at: each look reads all there is.
const perDisk = 40

// outages are what came of all instants.
type outages struct {
	t                       *tally
	acked, lost, bad, worst int
	refused                 atomic.Int64
}

// disk has writers fill a new disk, and looks at it in so many instants.
func (o *outages) disk(ctx context.Context, b *bench, rounds int) error {
	d := &disks{}
	defer d.umount()
	if err := d.make(ctx, b); err != nil {
		return err
	}
	s := &subject{hermes: b.hermes, home: d.home, env: []string{"HERMES_RESPONDER=recall"}}
	if err := s.start(ctx); err != nil {
		return err
	}
	defer func() { s.kill() }()
	var mu sync.Mutex
	var acked []string
	load, stop := context.WithCancel(ctx)
	var writing sync.WaitGroup
	for i := range 16 {
		writing.Go(func() {
			for n := 0; load.Err() == nil; n++ {
				texts, status, _, err := appendTo(load, s.addr, fmt.Sprintf("power/%d", i), fmt.Sprintf("Writer %d wrote %d.", i, n))
				if err == nil && status == http.StatusOK {
					mu.Lock()
					acked = append(acked, texts...)
					mu.Unlock()
				} else if load.Err() == nil {
					o.refused.Add(1)
				}
				pause(load, 5*time.Millisecond)
			}
		})
	}
	defer writing.Wait()
	defer stop()
	for n := range rounds {
		pause(ctx, 100*time.Millisecond+rand.N(400*time.Millisecond))
		mu.Lock()
		told := acked[:len(acked):len(acked)]
		mu.Unlock()
		gone, err := d.look(ctx, told, o.t)
		if err != nil {
			return fmt.Errorf("instant %d: %w", n+1, err)
		}
		if o.lost += gone; gone > 0 {
			o.bad++
		}
		o.worst = max(o.worst, gone)
	}
	mu.Lock()
	defer mu.Unlock()
	o.acked += len(acked)
	return nil
}

// tally holds what was lost against nothing.
func (o *outages) tally(rounds int) *tally {
	o.t.done = fmt.Sprintf("%d instants, %d messages acknowledged", rounds, o.acked)
	o.t.figure = fmt.Sprintf("%d lost, in %d of %d instants, at most %d at once", o.lost, o.bad, rounds, o.worst)
	if o.lost > 0 {
		o.t.miss("%d lost", o.lost)
	}
	if n := o.refused.Load(); n > 0 { // a disk without writes loses nothing
		o.t.miss("%d writes refused", n)
	}
	return o.t
}

// make makes the file systems: ext4 in an image that lies on XFS, which can copy
// it at one instant.
func (d *disks) make(ctx context.Context, b *bench) error {
	base, err := b.home()
	if err != nil {
		return err
	}
	d.outer, d.home, d.after = filepath.Join(base, "xfs"), filepath.Join(base, "home"), filepath.Join(base, "after")
	d.image, d.copied = filepath.Join(d.outer, "disk.img"), filepath.Join(d.outer, "copy.img")
	for _, dir := range []string{d.outer, d.home, d.after} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	under := filepath.Join(base, "xfs.img")
	for _, c := range []struct {
		file string
		size int64
		line []string
		at   string
	}{
		{under, 4 << 30, []string{"mkfs.xfs", "-q", "-m", "reflink=1", under}, d.outer},
		{d.image, 1 << 30, []string{"mkfs.ext4", "-q", "-F", d.image}, d.home},
	} {
		if err := os.WriteFile(c.file, nil, 0o600); err != nil {
			return err
		}
		if err := os.Truncate(c.file, c.size); err != nil {
			return err
		}
		if err := command(ctx, c.line...); err != nil {
			return err
		}
		if err := d.mount(ctx, c.file, c.at); err != nil {
			return err
		}
	}
	return nil
}

func (d *disks) mount(ctx context.Context, image, at string) error {
	if err := command(ctx, "mount", "-o", "loop", image, at); err != nil {
		return err
	}
	d.mounted = append(d.mounted, at)
	return nil
}

// umount takes everything down again.
func (d *disks) umount() {
	for i := len(d.mounted) - 1; i >= 0; i-- {
		_ = exec.Command("umount", "-l", d.mounted[i]).Run() //nolint:noctx // whatever becomes of the rest
	}
}

// look copies the disk at this instant, mounts the copy as a machine would that
// starts again, and counts what is missing there.
func (d *disks) look(ctx context.Context, told []string, t *tally) (lost int, err error) {
	if err := command(ctx, "cp", "--reflink=always", d.image, d.copied); err != nil {
		return 0, err
	}
	if err := command(ctx, "mount", "-o", "loop", d.copied, d.after); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, command(ctx, "umount", d.after)) }()
	db, err := openFile(filepath.Join(d.after, "state.db"), false)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	var answer string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check`).Scan(&answer); err != nil || answer != "ok" {
		t.miss("integrity check: %s %v", answer, err)
	}
	rows, err := messagesOf(ctx, db)
	if err != nil {
		t.miss("%v", err)
		return len(told), nil
	}
	there := make(map[string]bool, len(rows))
	for _, m := range rows {
		there[m.text] = true
	}
	for _, text := range told {
		if !there[text] {
			lost++
		}
	}
	return lost, nil
}

// command runs a program of the system.
func command(ctx context.Context, line ...string) error {
	if out, err := exec.CommandContext(ctx, line[0], line[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", line[0], err, out)
	}
	return nil
}
