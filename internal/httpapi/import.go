package httpapi

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

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
	im.out.count(&got)
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
