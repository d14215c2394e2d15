package transfer

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// said are the messages of a conversation that were read, one behind the other, and what must
// be known of all of them before the first one can be written.
type said struct {
	packed *bulk
	n      int // without those that are dropped
	// reread says that earlier versions of this program read other messages or texts.
	reread bool
	// first is the earliest message's time, of those with a time; zero if none has one.
	first time.Time
	// results counts the results of tools by the call that they belong to.
	results map[string]int
	scratch []byte
}

// say moves the messages of a conversation that were read so far out of memory. Those in which
// nothing is said and nothing called are left out and counted.
func (in *reading) say(c *Conversation) error {
	if c.said == nil {
		c.said = in.newSaid()
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		m.Text, m.Earlier = cleanText(m.Text), cleanText(m.Earlier)
		in.unthink(c, m)
		if m.Text == "" && len(m.Calls) == 0 && m.CallID == "" && !m.Dropped {
			in.report.omit("message without text", c.File.Name+", conversation "+c.ID)
			continue
		}
		m.At = in.within(m.At)
		if err := c.said.add(m); err != nil {
			return err
		}
	}
	clear(c.Messages)
	c.Messages = c.Messages[:0]
	return nil
}

func cleanText(text string) string { return strings.TrimSpace(strings.ToValidUTF8(text, "�")) }

// newSaid returns one without messages.
func (in *reading) newSaid() *said {
	s := in.spare
	in.spare = nil
	if s == nil {
		s = &said{packed: in.newBulk()}
	}
	s.packed.empty()
	s.n, s.reread, s.first, s.results = 0, false, time.Time{}, make(map[string]int)
	return s
}

// add adds a message.
func (s *said) add(m *Message) error {
	s.reread = s.reread || m.reread()
	if !m.Dropped {
		s.n++
		if s.first.IsZero() {
			s.first = m.At
		}
	}
	if m.Role == roleTool && m.CallID != "" {
		s.results[m.CallID]++
	}
	s.scratch = m.pack(s.scratch[:0])
	var size [binary.MaxVarintLen64]byte
	if _, err := s.packed.Write(binary.AppendUvarint(size[:0], uint64(len(s.scratch)))); err != nil {
		return err
	}
	_, err := s.packed.Write(s.scratch)
	return err
}

// reread reports whether earlier versions of this program read a message in another way.
func (m *Message) reread() bool {
	if m.Dropped || m.Earlier != "" || m.EarlierID != "" {
		return true
	}
	return slices.ContainsFunc(m.Calls, func(c Call) bool { return c.Earlier != "" })
}

// each calls take with each message.
func (s *said) each(take func(m *Message) error) error {
	r := bufio.NewReaderSize(s.packed.reader(), int(min(s.packed.size+1, 64<<10)))
	for {
		size, err := binary.ReadUvarint(r)
		if err != nil {
			return ended(err)
		}
		if uint64(cap(s.scratch)) < size {
			s.scratch = make([]byte, size)
		}
		if _, err := io.ReadFull(r, s.scratch[:size]); err != nil {
			return fmt.Errorf("read a message back: %w", err)
		}
		m, err := unpackMessage(string(s.scratch[:size]))
		if err == nil {
			err = take(&m)
		}
		if err != nil {
			return err
		}
	}
}

// pack appends a message in the form in which it waits.
func (m *Message) pack(b []byte) []byte {
	b = binary.AppendVarint(b, m.At.UnixMilli())
	b = append(b, '-')
	if m.Dropped {
		b[len(b)-1] = '+'
	}
	for _, text := range []string{m.ID, m.Role, m.Text, m.Name, m.Model, m.CallID, m.Earlier, m.EarlierID} {
		b = appendText(b, text)
	}
	for _, c := range m.Calls {
		b = appendText(appendText(appendText(appendText(b, c.ID), c.Name), c.Arguments), c.Earlier)
	}
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// unpackMessage is the message that was packed.
func unpackMessage(packed string) (m Message, err error) {
	p := unpacking{packed: packed}
	m.At = p.time()
	m.Dropped = p.flag()
	for _, text := range []*string{&m.ID, &m.Role, &m.Text, &m.Name, &m.Model, &m.CallID, &m.Earlier, &m.EarlierID} {
		*text = p.text()
	}
	for p.packed != "" && !p.bad {
		m.Calls = append(m.Calls, Call{ID: p.text(), Name: p.text(), Arguments: p.text(), Earlier: p.text()})
	}
	if p.bad {
		err = errors.New("a message cannot be read back from a temporary file")
	}
	return m, err
}

// unpacking reads a packed message.
type unpacking struct {
	packed string
	bad    bool
}

// head are the bytes in which a number may stand.
func (p *unpacking) head() []byte {
	return []byte(p.packed[:min(len(p.packed), binary.MaxVarintLen64)])
}

// time reads a time.
func (p *unpacking) time() time.Time {
	at, n := binary.Varint(p.head())
	if n <= 0 {
		p.bad = true
		return time.Time{}
	}
	p.packed = p.packed[n:]
	return time.UnixMilli(at).UTC()
}

// flag reads whether something is so.
func (p *unpacking) flag() bool {
	if p.packed == "" {
		p.bad = true
		return false
	}
	set := p.packed[0] == '+'
	p.packed = p.packed[1:]
	return set
}

// text reads a text.
func (p *unpacking) text() string {
	size, n := binary.Uvarint(p.head())
	if n <= 0 || size > uint64(len(p.packed)-n) {
		p.bad, p.packed = true, ""
		return ""
	}
	text := p.packed[n : n+int(size)]
	p.packed = p.packed[n+int(size):]
	return text
}
