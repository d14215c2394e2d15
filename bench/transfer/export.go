package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

// perConversation is how many messages a conversation has.
const perConversation = 100

// writeExport writes an export of ChatGPT in one line. size is the length of the text in all
// messages together, in bytes; 0 for messages of usual length.
func writeExport(file string, messages int, size int64) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // no secret
	w := &writer{Writer: bufio.NewWriterSize(f, 1<<20), random: random, each: int(size) / messages}
	separator := "["
	for first := 0; first < messages; first += perConversation {
		w.text(separator)
		w.conversation(first, min(perConversation, messages-first))
		separator = ","
	}
	w.text("]")
	return w.Flush()
}

// writer writes conversations.
type writer struct {
	*bufio.Writer

	random *rand.Rand
	each   int // bytes of a message; 0 for usual ones
}

func (w *writer) text(text string) { _, _ = io.WriteString(w, text) } // Flush returns the error

// conversation writes a chain of messages, of which each is the parent of the next.
func (w *writer) conversation(first, messages int) {
	const begun = 1_700_000_000
	_, _ = fmt.Fprintf(w, `{"id":"c%d","title":"Number %d","create_time":%d,"current_node":"m%d","mapping":{`, first, first, begun+first, first+messages-1)
	for n := first; n < first+messages; n++ {
		parent, role, separator := fmt.Sprintf(`"m%d"`, n-1), "assistant", ","
		if (n-first)%2 == 0 {
			role = "user"
		}
		if n == first {
			parent, separator = "null", ""
		}
		_, _ = fmt.Fprintf(w, `%s"m%d":{"id":"m%d","parent":%s,"children":[],"message":{"id":"m%d","author":{"role":%q},"create_time":%d.5,`,
			separator, n, n, parent, n, role, begun+n)
		w.text(`"weight":1,"recipient":"all","content":{"content_type":"text","parts":["`)
		w.message(n)
		w.text(`"]}}}`)
	}
	w.text("}}")
}

// things are what the messages are about.
func things() []string {
	return []string{"tea", "Rust", "Lisbon", "the gateway", "a red bicycle", "PostgreSQL", "the ledger", "Clara", "chess", "jazz"}
}

// message writes a statement, and words behind it.
func (w *writer) message(n int) {
	words := 10 + w.random.IntN(40)
	all := things()
	size, _ := fmt.Fprintf(w, "I use %s for number %d.", all[w.random.IntN(len(all))], n)
	for i := 0; w.each == 0 && i < words || size < w.each; i++ {
		written, _ := fmt.Fprintf(w, " w%x", w.random.IntN(20_000))
		size += written
		if i%12 == 11 {
			w.text(".")
			size++
		}
	}
}
