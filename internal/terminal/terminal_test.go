//go:build unix

package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// desk is a Terminal with a person who types.
type desk struct {
	*Terminal
	t    *testing.T
	keys *os.File

	mu  sync.Mutex
	out bytes.Buffer
}

func sit(t *testing.T, name string) *desk {
	t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, keys: keys}
	if d.Terminal, err = Open(tty, tty, func(k string) string { return map[string]string{"TERM": name}[k] }); err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	reading.Go(func() {
		b := make([]byte, 1024)
		for {
			n, err := keys.Read(b)
			d.mu.Lock()
			d.out.Write(b[:n])
			d.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		_ = tty.Close()
		reading.Wait()
		_ = keys.Close()
	})
	return d
}

func (d *desk) types(keys string) {
	d.t.Helper()
	if _, err := d.keys.WriteString(keys); err != nil {
		d.t.Fatal(err)
	}
}

// sees waits until a text is on the screen.
func (d *desk) sees(text string) {
	d.t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		d.mu.Lock()
		found := strings.Contains(d.out.String(), text)
		d.mu.Unlock()
		if found {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			d.t.Fatalf("waited in vain for %q in %q", text, d.out.String())
		}
	}
}

func (d *desk) read() (string, error) {
	return d.Read(d.t.Context(), &Prompt{Mark: "> ", Status: "status", Leave: true})
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"xterm", "dumb"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := sit(t, name)
			d.types("helo\x7flo\r")
			if got, err := d.read(); got != "hello" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
			d.types("\r\r\x1b[200~a\rb\x1b[201~\r") // nothing is not sent
			if got, err := d.read(); got != "a\nb" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
			d.types("\x04")
			if _, err := d.read(); !errors.Is(err, io.EOF) {
				t.Errorf("leaving: got %v, want io.EOF", err)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := d.Read(ended, &Prompt{}); !errors.Is(err, context.Canceled) {
				t.Errorf("when all ends: got %v", err)
			}
			d.types("y\r")
			if yes, err := d.Confirm(t.Context(), "Really?"); !yes || err != nil {
				t.Errorf("yes: got %v, %v", yes, err)
			}
			d.types("\x03")
			if yes, err := d.Confirm(t.Context(), "Really?"); yes || err != nil {
				t.Errorf("an interrupt: got %v, %v, want no", yes, err)
			}
		})
	}
}

func TestDuring(t *testing.T) {
	t.Parallel()
	d := sit(t, "xterm")
	spoken := make(chan struct{})
	err := d.During(t.Context(), "thinking", func(context.Context) error {
		d.sees("thinking")
		d.types("typed ahead\r")
		_, _ = io.WriteString(d, "words\n")
		close(spoken)
		return nil
	})
	if err != nil {
		t.Errorf("got %v", err)
	}
	<-spoken
	d.sees(eraseLine + "words\r\n")
	if got, err := d.read(); got != "typed ahead" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	err = d.During(t.Context(), "thinking", func(ctx context.Context) error {
		d.types("\x03")
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, ErrStopped) {
		t.Errorf("stopped: got %v", err)
	}
	failed := errors.New("failed")
	if err := d.During(t.Context(), "", func(context.Context) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("got %v, want the error", err)
	}
}

// TestTextIsClean writes what would take the terminal over.
func TestTextIsClean(t *testing.T) {
	t.Parallel()
	d := sit(t, "xterm")
	_, _ = io.WriteString(d.Text(), "\x1b[2J\u009bA\n")
	d.Line(Dim, "\x1b]0;title\a")
	d.sees("␛[2J\ufffdA\r\n\x1b[2m␛]0;title␇\x1b[0m\r\n")
}
