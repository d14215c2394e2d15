package terminal

import (
	"context"
	"strconv"
	"time"
)

// maxTyped bounds the keys stored for the next prompt.
const maxTyped = 4096

// During runs a function that writes to the terminal, and shows a spinner until its
// first output. Ctrl-C or Esc cancels its context; after it has returned, the error is
// ErrStopped. Other keys wait for the next Read.
func (t *Terminal) During(ctx context.Context, label string, do func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	begun, stopped := time.Now(), false
	tick := time.NewTicker(frameTime)
	defer tick.Stop()
	t.mu.Lock()
	t.wrote = false
	t.mu.Unlock()
	keys := t.keys.keys
	for n := 0; ; {
		select {
		case err := <-done:
			t.mu.Lock()
			t.clearSpinner()
			t.mu.Unlock()
			if stopped {
				return ErrStopped
			}
			return err
		case k, ok := <-keys:
			switch {
			case !ok: // the terminal is gone
				keys = nil
				cancel()
			case k.code == keyInterrupt || k.code == keyEscape:
				stopped = true
				cancel()
			case len(t.typed) < maxTyped:
				t.typed = append(t.typed, k)
			}
		case <-tick.C:
			t.spin(label, n, time.Since(begun))
			n++
		}
	}
}

// spin draws the next frame, unless something has been written.
func (t *Terminal) spin(label string, n int, since time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.wrote || t.dumb {
		return
	}
	t.spinning = true
	text := label
	if s := int(since.Seconds()); s > 0 {
		text += " " + strconv.Itoa(s) + "s"
	}
	t.emit(eraseLine + t.style.Paint(Dim, clip(frames[n%len(frames)]+" "+text, t.Width()-1)))
}

// clearSpinner clears the spinner's line. The caller holds the lock.
func (t *Terminal) clearSpinner() {
	if t.spinning {
		t.spinning = false
		t.emit(eraseLine)
	}
}

// up and right move the cursor.
func up(n int) string {
	if n <= 0 {
		return ""
	}
	return "\x1b[" + strconv.Itoa(n) + "A"
}

func right(n int) string {
	if n <= 0 {
		return ""
	}
	return "\x1b[" + strconv.Itoa(n) + "C"
}
