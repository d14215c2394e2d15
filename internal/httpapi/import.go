package httpapi

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/session"
)

// importReply is the outcome of each line.
type importReply struct {
	Object    string          `json:"object"`
	Imported  int             `json:"imported"`
	Unchanged int             `json:"unchanged"`
	Failed    int             `json:"failed"`
	Messages  int             `json:"messages"`
	Errors    []importProblem `json:"errors"`
	importFates
}

type importProblem struct {
	Line    int        `json:"line"`
	ID      session.ID `json:"id,omitempty"`
	Code    string     `json:"code"`
	Message string     `json:"message"`
}

const (
	// maxImportErrors bounds how many errors are listed.
	maxImportErrors = 100
	// maxImportValue bounds a message of an import, in bytes.
	maxImportValue = 4 * maxBody
)

// importSessions answers POST /api/sessions/import: it takes an export, line by line,
// of any length. Ids are kept. A line whose id is taken is reported and changes
// nothing; a line that is already stored is skipped. Forgotten content stays out unless
// restore=true.
func (s *server) importSessions(w http.ResponseWriter, r *http.Request) error {
	in := &archiveReader{body: &passage{bodies: s.bodies, r: r}}
	defer in.body.next()
	in.decode()
	im := &archiveImport{
		s: s, r: r, in: in, restore: r.URL.Query().Get("restore") == "true", dry: r.URL.Query().Get("dry_run") == "true",
		keys: make(map[session.Key]bool), out: importReply{Object: "hermes.import", Errors: []importProblem{}},
	}
	for line := 1; ; line++ {
		more, err := im.line(line)
		if err != nil {
			return im.broken(err)
		}
		if !more {
			break
		}
	}
	if err := s.Curator.SettleKeys(r.Context(), ownerOf(r), slices.Sorted(maps.Keys(im.keys))); err != nil {
		return im.broken(err)
	}
	return writeJSON(w, http.StatusOK, im.out)
}

// archiveImport is an import under way.
type archiveImport struct {
	s       *server
	r       *http.Request
	in      *archiveReader
	restore bool
	dry     bool // only tell what would be done
	out     importReply
	keys    map[session.Key]bool // whose memory is to be settled at the end
}

// broken is an error that ends an import, and what is stored until then.
func (im *archiveImport) broken(err error) error {
	f := asFault(callerLeft(im.r, err))
	if f.Kind == fault.Canceled || im.dry {
		return err
	}
	told := *f
	told.Err = err
	told.Msg = fmt.Sprintf("The import broke off. Of its conversations, %d are stored, with %d messages; a second run goes on behind them. The reason: %s",
		im.out.Imported+im.out.Grown+im.out.Changed+im.out.Apart, im.out.Messages, f.Msg)
	return &told
}

// line imports the next line and tells what is wrong with it. more says that another
// line may follow: behind broken JSON nothing can be made out. An error that is not the
// line's own ends the import.
func (im *archiveImport) line(n int) (more bool, err error) {
	im.in.next()
	head, err := im.in.head()
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err == nil {
		err = im.store(head)
	}
	if err != nil {
		if !linesOwn(err) {
			return false, err
		}
		im.out.problem(n, head.ID, asFault(err))
	}
	lost := im.in.rest()
	if lost == nil && !im.in.lost {
		return true, nil
	}
	if err == nil {
		im.out.problem(n, head.ID, asFault(im.in.unreadable(lost)))
	}
	return false, nil
}

// store stores the lineage of a line and counts it. The keys of a lineage that was
// stored in part are to be settled, too.
func (im *archiveImport) store(head *archiveHead) error {
	got, err := im.importLine(head)
	for _, k := range got.Keys {
		im.keys[k] = true
	}
	if err != nil {
		return err
	}
	im.out.Messages += got.Messages
	switch {
	case got.Same:
		im.out.Unchanged++
	case got.Fate == "", got.Fate == curate.FateNew:
		im.out.Imported++
	default:
		im.out.tell(&got, head)
	}
	return nil
}

// linesOwn reports whether an error concerns only its line, so that the next line may
// succeed.
func linesOwn(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Conflict, fault.TooLarge:
		return true
	}
	return false
}

func (out *importReply) problem(line int, id session.ID, f *fault.Error) {
	out.Failed++
	if len(out.Errors) < maxImportErrors {
		out.Errors = append(out.Errors, importProblem{Line: line, ID: id, Code: f.Code, Message: f.Msg})
	}
}

// importLine stores one lineage.
func (im *archiveImport) importLine(head *archiveHead) (curate.Imported, error) {
	a, err := im.archived(head)
	if err == nil && a.Origin != nil && len(a.Sessions) == 1 {
		err = im.recognize(a, head.Origin.Formerly)
	}
	if err != nil {
		return curate.Imported{}, err
	}
	var got curate.Imported
	if im.dry {
		got, err = im.s.Curator.Forecast(im.r.Context(), a)
	} else {
		got, err = im.s.Curator.Import(im.r.Context(), a)
	}
	if err == nil {
		err = im.noteKey(a, &got)
	}
	return got, err
}

// archived is the lineage of a line. Its messages are read from the request one by one.
func (im *archiveImport) archived(head *archiveHead) (*curate.Archived, error) {
	rows, err := head.rows()
	if err != nil {
		return nil, err
	}
	origin, err := head.Origin.parse()
	if err != nil {
		return nil, err
	}
	from, err := head.ImportedFrom.parse()
	if err != nil {
		return nil, err
	}
	hash, err := hex.DecodeString(head.Hash)
	last := &rows[len(rows)-1]
	var key session.Key // of messages that name none
	if err != nil {
		hash = nil
	}
	if len(head.Sessions) == 0 { // of another program: in an export of this one, each message names its key
		key, hash, from = last.Key, nil, nil
	}
	return &curate.Archived{
		Owner: ownerOf(im.r), Sessions: rows, Hash: hash, Restore: im.restore, Origin: origin, From: from,
		Messages: func(yield func(session.Message, error) bool) {
			for {
				m, err := im.in.message(last)
				m.Key = cmp.Or(m.Key, key)
				if errors.Is(err, io.EOF) || !yield(m, err) || err != nil {
					return
				}
			}
		},
	}, nil
}

// unreadable is the fault of text that is not a JSON object.
func (a *archiveReader) unreadable(err error) error {
	a.lost = true
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	return fault.Wrap(fault.Invalid, "invalid_json", "The line is not a JSON object. This line and all later lines were not imported.", err)
}

// archiveReader reads an export value by value.
type archiveReader struct {
	body   *passage
	dec    *jsontext.Decoder
	left   int  // bytes that may still be read for the next value
	list   bool // the decoder stands in the list of messages
	told   bool // at least one message has been read
	behind []byte
	// grown says that the decoder has read a large value.
	grown bool
	lost  bool // the start of the next line is unknown
}

// next discards the value just read and begins another.
func (a *archiveReader) next() {
	a.left = maxImportValue
	a.shrink()
	a.body.next()
}

// shrink replaces a decoder that has read a large value, because the decoder keeps a
// buffer of that size. The new decoder is brought to the same position: between lines,
// or in the list of messages, at its beginning or after an element.
func (a *archiveReader) shrink() {
	a.grown = a.grown || a.body.room != nil
	between := a.list || a.dec.StackDepth() == 0
	if !a.grown || !between {
		return
	}
	place := ""
	if a.list {
		place = `{"":[`
		if a.told {
			place += `""`
		}
	}
	a.grown = false
	a.behind = slices.Concat([]byte(place), a.dec.UnreadBuffer(), a.behind)
	a.decode()
	for a.dec.InputOffset() < int64(len(place)) {
		if _, err := a.dec.ReadToken(); err != nil {
			return // the next read returns the error
		}
	}
}

// decode begins to read the next value. Duplicate names are allowed, because values are
// only cut out here and judged later.
func (a *archiveReader) decode() { a.dec = jsontext.NewDecoder(a, jsontext.AllowDuplicateNames(true)) }

// Read implements io.Reader for the decoder.
func (a *archiveReader) Read(p []byte) (int, error) {
	if len(a.behind) > 0 {
		n := copy(p, a.behind)
		a.behind = a.behind[n:]
		return n, nil
	}
	if a.left <= 0 {
		return 0, fault.New(fault.TooLarge, "message_too_large", "A message of the import is larger than 40,000,000 bytes.")
	}
	n, err := a.body.Read(p[:min(len(p), a.left)])
	a.left -= n
	return n, err
}

// head reads a line up to its messages. io.EOF says that there is none.
func (a *archiveReader) head() (*archiveHead, error) {
	head := &archiveHead{}
	a.list = false
	if a.dec.PeekKind() == 0 {
		_, err := a.dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return head, io.EOF
		}
		return head, a.unreadable(err)
	}
	if a.dec.PeekKind() != '{' {
		return head, a.unreadable(errors.New("no object"))
	}
	if _, err := a.dec.ReadToken(); err != nil {
		return head, a.unreadable(err)
	}
	fields := make(map[string]json.RawMessage)
	for a.dec.PeekKind() != '}' {
		name, err := a.dec.ReadToken()
		if err != nil {
			return head, a.unreadable(err)
		}
		if key := name.String(); key != "messages" {
			value, err := a.dec.ReadValue()
			if err != nil {
				return head, a.unreadable(err)
			}
			fields[key] = json.RawMessage(value.Clone())
			continue
		}
		if a.dec.PeekKind() != '[' {
			return head, fault.New(fault.Invalid, "invalid_export", "\"messages\" of a line must be a list.")
		}
		if _, err := a.dec.ReadToken(); err != nil {
			return head, a.unreadable(err)
		}
		a.list, a.told = true, false
		break
	}
	return head, fill(head, fields)
}

// fill decodes the fields of a line.
func fill(head *archiveHead, fields map[string]json.RawMessage) error {
	if raw, broken := fields["error"]; broken && len(fields) == 1 {
		return fault.New(fault.Invalid, "broken_export", "The export broke off here: "+string(raw))
	}
	for _, name := range []string{"started_at", "ended_at", "last_active"} { // times as other programs write them
		raw, is := fields[name]
		if !is {
			continue
		}
		var at when
		if json.Unmarshal(raw, &at) != nil {
			return fault.New(fault.Invalid, "invalid_export", "\""+name+"\" of a line must be "+bound.Allowed+".")
		}
		fields[name] = []byte("null")
		if !at.IsZero() {
			fields[name], _ = json.Marshal(at.Time) // a time that was just read
		}
	}
	whole, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(whole, head)
	}
	if err != nil {
		return fault.Wrap(fault.Invalid, "invalid_export", "The line does not have the fields of an export.", err)
	}
	return nil
}

// message reads the next message of the line; io.EOF at the end of the list.
func (a *archiveReader) message(fallback *session.Session) (session.Message, error) {
	if !a.list {
		return session.Message{}, io.EOF
	}
	a.next()
	if a.dec.PeekKind() == ']' {
		a.list = false
		return session.Message{}, a.end()
	}
	a.told = true
	value, err := a.dec.ReadValue()
	if err != nil {
		return session.Message{}, a.unreadable(err)
	}
	var m archiveMessage
	if err := json.Unmarshal(value, &m); err != nil {
		return session.Message{}, fault.Wrap(fault.Invalid, "invalid_export", "A message does not have the fields of an export.", err)
	}
	a.shrink() // frees memory before the message is stored
	a.body.parsed()
	return m.message(fallback)
}

// end reads the end of the messages. It returns io.EOF, or a fault if anything follows
// them, because the session is already being stored and would lose it.
func (a *archiveReader) end() error {
	if _, err := a.dec.ReadToken(); err != nil {
		return a.unreadable(err)
	}
	if a.dec.PeekKind() != '"' {
		return io.EOF
	}
	name, err := a.dec.ReadToken()
	if err != nil {
		return a.unreadable(err)
	}
	return fault.New(fault.Invalid, "invalid_export", fmt.Sprintf("%q stands behind the messages, which must come last in a line.", name.String()))
}

// rest reads the remainder of the line.
func (a *archiveReader) rest() error {
	a.list = false // the position is unknown
	for a.dec.StackDepth() > 0 {
		a.next()
		if _, err := a.dec.ReadToken(); err != nil {
			return err
		}
	}
	return nil
}
