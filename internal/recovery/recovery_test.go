package recovery_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/recovery"
)

var errPlain = errors.New("an error")

func breakDown() error { panic("a defect") }

// TestDo: a panic becomes an error that names its value and its place. A client sees
// neither.
func TestDo(t *testing.T) {
	t.Parallel()
	err := recovery.Do(breakDown)
	if !recovery.Is(err) || !strings.Contains(err.Error(), "a defect") || !strings.Contains(err.Error(), "breakDown") {
		t.Errorf("got %v, want the panic and where it was", err)
	}
	if fault.KindOf(err) != fault.Internal || strings.Contains(fault.MessageOf(err), "a defect") {
		t.Errorf("got %s %q, want an internal error that shows nothing", fault.KindOf(err), fault.MessageOf(err))
	}
	again := recovery.Do(func() error { panic(err) })
	if !errors.Is(again, err) {
		t.Errorf("got %v, want the first panic with its stack", again)
	}
	if err := recovery.Do(func() error { return errPlain }); !errors.Is(err, errPlain) || recovery.Is(err) {
		t.Errorf("got %v, want the error as it was", err)
	}
	if err := recovery.Do(func() error { return []error{nil}[len(t.Name())] }); !recovery.Is(err) {
		t.Errorf("got %v, want the panic of the runtime", err)
	}
}

// TestGoroutines: no function of this package lets a panic leave its goroutine.
func TestGoroutines(t *testing.T) {
	t.Parallel()
	var told error
	var wait sync.WaitGroup
	cleaned := false
	wait.Go(recovery.Func(func() {
		defer func() { cleaned = true }()
		_ = breakDown()
	}, func(err error) {
		if !cleaned {
			t.Error("failed was called before the deferred functions")
		}
		told = err
	}))
	wait.Go(recovery.Func(func() { panic("first") }, func(error) { panic("second") }))
	wait.Wait()
	if !recovery.Is(told) {
		t.Errorf("got %v, want the panic", told)
	}
	if err := <-recovery.Async(breakDown); !recovery.Is(err) {
		t.Errorf("got %v, want the panic", err)
	}
	if err := recovery.Task(breakDown)(); !recovery.Is(err) {
		t.Errorf("got %v, want the panic", err)
	}
}

// TestLogged: the log has the stack of a panic, and no line for another error.
func TestLogged(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	failed := recovery.Logged(context.Background(), slog.New(slog.NewTextHandler(&out, nil)), "a test", "number", 7)
	failed(fmt.Errorf("around: %w", recovery.Do(breakDown)))
	for _, want := range []string{"level=ERROR", "a test", "breakDown", "number=7"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %q, want %q in it", out.String(), want)
		}
	}
	out.Reset()
	if failed(errPlain); out.Len() > 0 {
		t.Errorf("got %q, want nothing", out.String())
	}
}
