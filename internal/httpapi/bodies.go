package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/hermes-memory/hermes/internal/fault"
)

// A body costs memory for as long as its request lasts, and reading it costs a
// multiple of its size: fifty of ten megabytes, made to be dear, took twenty
// gigabytes. So large ones share a room, and none is read that is all structure.
const (
	// smallBody is what is read without asking for room, in bytes.
	smallBody = 64 << 10
	// bodyRoom is how much of larger bodies there is at once, in bytes.
	bodyRoom = 32 << 20
	// bodyPatience is how long one waits for room.
	bodyPatience = 5 * time.Second
	// bodyTime is how long a larger body may take to arrive.
	bodyTime = 30 * time.Second
	// maxValues and maxNumber bound what a body of JSON is made of: members and
	// elements, and the characters of a number.
	maxValues = 200_000
	maxNumber = 1_000
	maxDepth  = 1_000
)

// bodies is the room for request bodies.
type bodies struct{ room *semaphore.Weighted }

func newBodies() bodies { return bodies{semaphore.NewWeighted(bodyRoom)} }

// enter waits for room for a request's body, which is kept until leave is called.
// It fails with Unavailable, "overloaded".
func (b bodies) enter(w http.ResponseWriter, r *http.Request) (leave func(), err error) {
	if r.ContentLength >= 0 && r.ContentLength <= smallBody {
		return func() {}, nil
	}
	size := r.ContentLength
	if size < 0 {
		size = maxBody // nobody knows
	}
	cost := min(size, bodyRoom)
	ctx, stop := context.WithTimeout(r.Context(), bodyPatience)
	defer stop()
	if b.room.Acquire(ctx, cost) != nil {
		f := fault.New(fault.Unavailable, "overloaded", "The server is busy with other large requests. Try again shortly.")
		f.RetryAfter = time.Second
		return nil, f
	}
	// Who sends slowly holds up the others. That a test's writer has no deadlines
	// is none of our concern.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime))
	r.Body = &arriving{ReadCloser: r.Body, whole: func() { _ = http.NewResponseController(w).SetReadDeadline(time.Time{}) }}
	return func() { b.room.Release(cost) }, nil
}

// arriving is a body with a deadline, which ends with it: what is read of the
// connection after that is whether the client is still there.
type arriving struct {
	io.ReadCloser
	whole func()
}

// Read implements io.Reader.
func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err != nil {
		a.whole()
	}
	return n, err
}

// readBody reads the whole body, whose size is limited already.
func readBody(r *http.Request) ([]byte, error) {
	if r.ContentLength > 0 {
		body := make([]byte, r.ContentLength)
		if _, err := io.ReadFull(r.Body, body); err != nil {
			return nil, bodyError(err)
		}
		return body, checkShape(body)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, bodyError(err)
	}
	return body, checkShape(body)
}

// bodyError keeps the size limit's error and makes the rest the client's.
func bodyError(err error) error {
	if f := asFault(err); f.Kind == fault.TooLarge {
		return err
	}
	return fault.Wrap(fault.Invalid, "incomplete_body", "The request body ended before its stated length.", err)
}

// checkShape refuses JSON that is nothing but structure, before it is parsed: each
// value costs a hundred bytes and more, be it ever so short. What is no JSON is
// for the parser to find.
func checkShape(body []byte) error {
	values, deep, number, quoted := 0, 0, 0, false
	for i := 0; i < len(body); i++ {
		c := body[i]
		if quoted {
			if c == '\\' {
				i++
			} else if c == '"' {
				quoted = false
			}
			continue
		}
		number++
		switch c {
		case '"':
			quoted = true
		case '{', '[':
			values++
			deep++
		case '}', ']':
			deep--
		case ',':
			values++
		case '+', '-', '.', 'e', 'E', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			if number > maxNumber {
				return fault.New(fault.Invalid, "invalid_json", fmt.Sprintf("The JSON body has a number of more than %d characters.", maxNumber))
			}
			continue
		}
		number = 0
		if values > maxValues {
			return fault.New(fault.Invalid, "invalid_json", fmt.Sprintf("The JSON body has more than %d members and elements.", maxValues))
		}
		if deep > maxDepth {
			return fault.New(fault.Invalid, "invalid_json", fmt.Sprintf("The JSON body is nested deeper than %d levels.", maxDepth))
		}
	}
	return nil
}
