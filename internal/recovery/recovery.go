// Package recovery keeps a panic from ending the process. A panic that leaves a
// goroutine ends the server for every owner, so all functions that get a goroutine are
// made by this package. cmd/hermes/goroutines_test.go checks that.
//
// A recovered panic is an error with the stack in its text. The error is not a fault:
// it is logged whole, and clients get an internal error.
package recovery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Panic is a panic that was recovered.
type Panic struct {
	Value any
	Stack []byte
}

// Error returns the text for logs: the value and the stack.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v\n%s", p.Value, p.Stack) }

// Is reports whether an error comes from a panic.
func Is(err error) bool {
	_, ok := errors.AsType[*Panic](err)
	return ok
}

// Do runs work and returns its error. A panic of work is returned as a [*Panic]. A
// *Panic from another goroutine keeps its stack.
func Do(work func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *Panic:
			err = p
		default:
			err = &Panic{Value: p, Stack: debug.Stack()}
		}
	}()
	return work()
}

// Task is work for a group of goroutines that collect errors: a panic becomes the
// task's error.
func Task(work func() error) func() error {
	return func() error { return Do(work) }
}

// Func is work for a goroutine. failed is called with a panic, after the deferred calls
// of work have run.
func Func(work func(), failed func(error)) func() {
	return func() {
		err := Do(func() error {
			work()
			return nil
		})
		if err != nil {
			_ = Do(func() error { // the panic handler must not end the process either
				failed(err)
				return nil
			})
		}
	}
}

// Async runs work in a goroutine. The channel receives the error of work, or its
// panic, and never blocks the goroutine.
func Async(work func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- Do(work) }()
	return done
}

// Logged returns a function that logs a panic under a name. The context names the
// request, if the work belongs to one.
func Logged(ctx context.Context, log *slog.Logger, what string, attrs ...any) func(error) {
	return func(err error) { Log(ctx, log, what, err, attrs...) }
}

// Log logs an error that comes from a panic, and no other error.
func Log(ctx context.Context, log *slog.Logger, what string, err error, attrs ...any) {
	if Is(err) {
		log.ErrorContext(ctx, "a panic was recovered", append([]any{"in", what, "err", err}, attrs...)...)
	}
}
