package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/hermes-memory/hermes/internal/claim"
	"github.com/hermes-memory/hermes/internal/fault"
)

// A body takes memory as long as its request lasts, and decoding it takes a multiple of
// its size. So large bodies wait for memory within a common bound, and bodies of
// nothing but JSON structure are refused.
const (
	// smallBody is the largest body that is read without waiting for room, in bytes.
	smallBody = 64 << 10
	// bodyRoom bounds the larger bodies that are processed at once, in bytes; ownBodies
	// bounds those of one owner.
	bodyRoom, ownBodies = 32 << 20, 16 << 20
	// keptRoom bounds the bodies whose requests wait for an answer, in bytes; ownKept
	// bounds those of one owner.
	keptRoom, ownKept = 64 << 20, 32 << 20
	// bodyPatience is the timeout for memory.
	bodyPatience = 10 * time.Second
	// bodyTime is the timeout for an import. It is longer because an import may have
	// run for long, and may queue behind a large body that is still arriving.
	bodyTime = 30 * time.Second
	// sweepAfter is the number of processed bytes after which memory is returned to the
	// system.
	sweepAfter = 4 << 20
	// maxValues, maxNumber and maxDepth bound the structure of JSON: the number of
	// members and elements, the characters of a number, and the nesting.
	maxValues = 200_000
	maxNumber = 1_000
	maxDepth  = 1_000
)

// bodies is the room for request bodies: one part for bodies that are read, learnt and
// stored, and one for bodies that wait for an answer.
type bodies struct {
	work, kept *claim.Room
	swept      *atomic.Int64 // bytes processed since memory was last returned to the system
}

func newBodies() bodies {
	return bodies{work: claim.NewRoom(bodyRoom, ownBodies), kept: claim.NewRoom(keptRoom, ownKept), swept: new(atomic.Int64)}
}

// ticket is the memory reserved for a request's body; nil for a small one.
type ticket struct {
	bodies bodies
	owner  string
	size   int64
	waits  bool // counted in bodies.kept, not in bodies.work
}

type ticketKey struct{}

// enter reserves memory for a request's body until the ticket's leave is called. The
// returned request carries the ticket. It fails with Unavailable "overloaded".
func (b bodies) enter(r *http.Request) (*http.Request, *ticket, error) {
	var err error
	switch {
	case r.ContentLength < 0:
		err = begin(r)
	case r.ContentLength > 0 && r.ContentLength <= smallBody:
		err = take(r)
	}
	if fault.CodeOf(err) == tooSlow {
		return nil, nil, err
	}
	if r.ContentLength >= 0 && r.ContentLength <= smallBody {
		return r, nil, nil
	}
	t, err := b.ask(r, bodyPatience)
	if err != nil {
		return nil, nil, err
	}
	return r.WithContext(context.WithValue(r.Context(), ticketKey{}, t)), t, nil
}

// ask waits for memory for a request's body.
func (b bodies) ask(r *http.Request, patience time.Duration) (*ticket, error) {
	size := r.ContentLength
	if size < 0 {
		size = maxBody // the size is not stated
	}
	t := &ticket{bodies: b, owner: ownerOf(r).ID(), size: min(size, ownBodies)}
	ctx, stop := context.WithTimeout(r.Context(), patience)
	defer stop()
	if b.work.Enter(ctx, t.owner, t.size) != nil {
		f := fault.New(fault.Unavailable, "overloaded", "The server is busy with other large requests. Try again shortly.")
		f.RetryAfter = time.Second
		return nil, f
	}
	return t, nil
}

// begin reads the beginning of a body of no stated length. A body that ends there is as
// small as any other, and its length is then known. Its handler meets the same read
// error again.
func begin(r *http.Request) error {
	head, err := io.ReadAll(io.LimitReader(r.Body, smallBody+1))
	if err == nil && len(head) <= smallBody {
		r.ContentLength = int64(len(head))
	}
	r.Body = &opened{Reader: io.MultiReader(bytes.NewReader(head), r.Body), Closer: r.Body}
	return err
}

// take reads a small body of a stated length before it is handled: an unread body would
// end its connection. Its handler meets the same read error again.
func take(r *http.Request) error {
	body := make([]byte, r.ContentLength)
	n, err := io.ReadFull(r.Body, body)
	rest := io.Reader(bytes.NewReader(body[:n]))
	if err != nil {
		rest = io.MultiReader(rest, failing{err})
	}
	r.Body = &opened{Reader: rest, Closer: r.Body}
	return err
}

// failing is a reader of nothing but an error.
type failing struct{ err error }

// Read implements io.Reader.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// opened is a body of which the beginning has been read.
type opened struct {
	io.Reader
	io.Closer
}

// passage is a body of any length that is read in pieces. Memory is reserved for a
// large piece while it is processed.
type passage struct {
	bodies bodies
	r      *http.Request
	read   int64 // of the piece, in bytes
	room   *ticket
}

// Read implements io.Reader. It fails with Unavailable, "overloaded".
func (p *passage) Read(b []byte) (int, error) {
	if p.read > smallBody && p.room == nil {
		var err error
		if p.room, err = p.bodies.ask(p.r, bodyTime); err != nil {
			return 0, err
		}
	}
	n, err := p.r.Body.Read(b)
	p.read += int64(n)
	return n, err
}

// parsed says that the piece has been decoded and its bytes are no longer needed.
func (p *passage) parsed() {
	if p.read >= sweepAfter {
		debug.FreeOSMemory()
	}
}

// next says that the piece has been stored.
func (p *passage) next() {
	if t := p.room; t != nil {
		t.bodies.sweep(p.read)
		t.bodies.work.Leave(t.owner, t.size)
	}
	p.read, p.room = 0, nil
}

// parsed says that a request's body has been decoded. The memory of a large one is
// released before the request is worked on, which takes a multiple of it.
func parsed(r *http.Request) {
	if t, _ := r.Context().Value(ticketKey{}).(*ticket); t != nil && t.size >= sweepAfter {
		debug.FreeOSMemory()
	}
}

// digested says that a request's body has been read and stored, and that only the
// answer remains. It makes room for the next body, unless too many bodies wait for
// answers already.
func digested(r *http.Request) {
	t, _ := r.Context().Value(ticketKey{}).(*ticket)
	if t == nil || t.waits || !t.bodies.kept.Try(t.owner, t.size) {
		return
	}
	t.waits = true
	t.bodies.sweep(t.size)
	t.bodies.work.Leave(t.owner, t.size)
}

// leave releases the memory.
func (t *ticket) leave() {
	switch {
	case t == nil:
	case t.waits:
		t.bodies.kept.Leave(t.owner, t.size)
	default:
		t.bodies.sweep(t.size)
		t.bodies.work.Leave(t.owner, t.size)
	}
}

// sweep returns memory to the system before the next body arrives. The garbage
// collector would keep several times as much, because it is tuned for bodies of usual
// size.
func (b bodies) sweep(size int64) {
	if sum := b.swept.Add(size); sum >= sweepAfter && b.swept.CompareAndSwap(sum, 0) {
		debug.FreeOSMemory()
	}
}

// readBody reads the whole body, whose size is limited already, and refuses one that
// consists of structure only.
func readBody(r *http.Request) ([]byte, error) {
	body, err := readAll(r)
	if err != nil {
		return nil, bodyError(err)
	}
	return body, checkShape(body)
}

// readAll reads a body into one buffer of its stated length.
func readAll(r *http.Request) ([]byte, error) {
	if r.ContentLength <= 0 {
		return io.ReadAll(r.Body)
	}
	body := make([]byte, r.ContentLength)
	_, err := io.ReadFull(r.Body, body)
	return body, err
}

// bodyError keeps the error of the size limit. Every other read error becomes the
// client's.
func bodyError(err error) error {
	if f := asFault(err); f.Kind == fault.TooLarge || f.Code == tooSlow {
		return err
	}
	return fault.Wrap(fault.Invalid, "incomplete_body", "The request body ended before its stated length.", err)
}

// checkShape refuses JSON that consists of structure only, before it is parsed: each
// value costs a hundred bytes or more, however short it is. The parser reports invalid
// JSON.
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
