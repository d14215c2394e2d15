package transfer

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
)

// markSize is the size of a message's mark, in bytes.
const markSize = 8

// marking are the marks of messages. sum is the hash over the ids of all messages so far, marks are the beginnings
// of these hashes, and texts are those of hashes over what the messages say.
type marking struct {
	sum, marks, texts []byte
	adds              bool // each mark is of its message only
}

// markEarlier adds the mark of a message as earlier versions of this program read it.
func (w *writing) markEarlier(m *Message) {
	read := *m
	read.ID, read.Text = cmp.Or(m.EarlierID, m.ID), cmp.Or(m.Earlier, m.Text)
	read.Calls = slices.Clone(m.Calls)
	for i := range read.Calls {
		c := &read.Calls[i]
		c.Arguments = cmp.Or(c.Earlier, c.Arguments)
	}
	w.earlier.mark(&read)
}

// mark adds the mark of a message: the beginning of a hash over the ids of all messages up to
// it. A message without an id counts by its role, time and text. The mark of one that stands alone is
// over its id and text, and a second one over its id.
func (k *marking) mark(m *Message) {
	h := sha256.New()
	h.Write(k.sum)
	switch {
	case k.adds:
		h.Reset()
		h.Write([]byte("id\x00" + m.ID + "\x00" + m.Text))
	case m.ID != "":
		h.Write([]byte("id\x00" + m.ID))
	default:
		h.Write([]byte(m.Role + "\x00" + strconv.FormatInt(m.At.UnixMilli(), 10) + "\x00" + m.Text))
	}
	k.sum = h.Sum(k.sum[:0])
	k.marks = append(k.marks, k.sum[:markSize]...)
	if k.adds {
		id := sha256.Sum256([]byte("id\x00" + m.ID))
		k.texts = append(k.texts, id[:markSize]...)
		return
	}
	k.texts = append(k.texts, k.textMark(m)...)
}

// textMark is the mark of what a message says and calls. The hash begins with the sum over the ids, which
// is not stored whole: the mark of a text that was forgotten later helps no one to guess the text.
func (k *marking) textMark(m *Message) []byte {
	h := sha256.New()
	h.Write(k.sum)
	h.Write([]byte(m.Role + "\x00" + m.Text))
	for _, c := range m.Calls {
		h.Write([]byte("\x00" + c.Name + "\x00" + c.Arguments))
	}
	return h.Sum(nil)[:markSize]
}
