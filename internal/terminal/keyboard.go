package terminal

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/muesli/cancelreader"
)

// keyboard reads keys in the background until it is closed.
type keyboard struct {
	keys chan key // closed when there will be no more
	in   cancelreader.CancelReader
	quit chan struct{}
	done sync.WaitGroup
}

// escapeWait is how long an escape waits for the rest of a sequence, which a network
// may delay.
const escapeWait = 50 * time.Millisecond

func newKeyboard(in *os.File) (*keyboard, error) {
	reader, err := cancelreader.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("read the keyboard: %w", err)
	}
	k := &keyboard{keys: make(chan key), in: reader, quit: make(chan struct{})}
	raw := make(chan []byte)
	k.done.Go(func() { k.read(raw) })
	k.done.Go(func() { k.decode(raw) })
	return k, nil
}

// close stops reading and waits for the end of the reader.
func (k *keyboard) close() error {
	k.in.Cancel()
	close(k.quit)
	k.done.Wait()
	return k.in.Close()
}

func (k *keyboard) read(raw chan<- []byte) {
	defer close(raw)
	for {
		b := make([]byte, 4096)
		n, err := k.in.Read(b)
		if n > 0 {
			select {
			case raw <- b[:n]:
			case <-k.quit:
				return
			}
		}
		if err != nil {
			return // closed, or the terminal is gone
		}
	}
}

// decode converts bytes to keys.
func (k *keyboard) decode(raw <-chan []byte) {
	defer close(k.keys)
	var held []byte
	for more := range raw {
		held = append(held, more...)
		for wait := true; len(held) > 0; {
			pressed, n := decode(held, wait)
			if n == 0 && wait && held[0] == 0x1b && len(held) < maxSequence {
				more, ok := k.soon(raw)
				held = append(held, more...)
				wait = ok
				continue
			}
			if n == 0 {
				break // an incomplete paste or character
			}
			held, wait = held[n:], true
			if pressed.code == keyNone {
				continue
			}
			select {
			case k.keys <- pressed:
			case <-k.quit:
				return
			}
		}
	}
}

// soon returns the next input; false if none arrives in time.
func (k *keyboard) soon(raw <-chan []byte) ([]byte, bool) {
	timer := time.NewTimer(escapeWait)
	defer timer.Stop()
	select {
	case more, ok := <-raw:
		return more, ok
	case <-timer.C:
		return nil, false
	case <-k.quit:
		return nil, false
	}
}
