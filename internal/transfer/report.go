package transfer

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Report is what became of an import.
type Report struct {
	Object string `json:"object"`
	DryRun bool   `json:"dry_run"`
	// From is the format, Why what told it, and Files how many files were read.
	From  string `json:"from"`
	Why   string `json:"why"`
	Files int    `json:"files"`
	// Conversations and Messages are what was found, without what was left out.
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	// Taken to Failed say what became of the conversations.
	Taken     int `json:"taken"`
	Unchanged int `json:"unchanged"`
	Grown     int `json:"grown"`
	Changed   int `json:"changed"`
	Apart     int `json:"apart"`
	Deleted   int `json:"deleted"`
	Failed    int `json:"failed"`
	// Stored is the number of messages that were stored.
	Stored int `json:"messages_stored"`
	// Undone is the number of messages that were stored before, and were undone: they are others in the other program, or
	// stand behind such ones. Those that are as before were stored again.
	Undone int `json:"messages_undone"`
	// Edited is the number of memories that were edited in the other program, and Absent that of those that were imported
	// before, and that the input lacks.
	Edited int `json:"memories_edited"`
	Absent int `json:"memories_absent"`
	// Cut is the number of stored messages that lack something, because it was forgotten here.
	Cut int `json:"messages_cut"`
	// Retimed is the number of messages without a time, or with one that cannot be: before
	// that of the message before, or in the future.
	Retimed int `json:"messages_retimed"`
	// Omitted is what was left out on purpose, Unknown what was not understood.
	Omitted []Kind `json:"omitted"`
	Unknown []Kind `json:"not_understood"`
	// Problems are the failures, and Notes the conversations that a person should look at.
	Problems []Problem `json:"problems"`
	Notes    []Note    `json:"notes"`
	// OwnKeys count the conversations that bring a session key from the other program, which is kept.
	OwnKeys []SessionKey `json:"own_keys"`
	// OtherKeys count the conversations that were there already, and have another session key than the import
	// gives.
	OtherKeys []SessionKey `json:"other_keys"`
}

// SessionKey counts the conversations that have a session key.
type SessionKey struct {
	Key           string `json:"session_key"`
	Conversations int    `json:"conversations"`
}

// Kind is a kind of things in an export.
type Kind struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
	First string `json:"first"`
}

// Problem is a failure.
type Problem struct {
	Where   string `json:"where"`
	Message string `json:"message"`
}

// Note tells about a conversation.
type Note struct {
	ID      string `json:"id"`
	Message string `json:"message"`
}

// NewReport returns an empty report.
func NewReport(dry bool) *Report {
	return &Report{
		Object: "hermes.transfer", DryRun: dry, Omitted: []Kind{}, Unknown: []Kind{}, Problems: []Problem{}, Notes: []Note{},
		OwnKeys: []SessionKey{}, OtherKeys: []SessionKey{},
	}
}

// maxKinds bounds how many kinds are listed: the names of kinds come from the export.
const maxKinds = 200

// omit counts something that is left out on purpose.
func (r *Report) omit(kind, where string) { count(&r.Omitted, kind, where) }

// unknown counts something that is not understood. The name at the end of a kind may be missing.
func (r *Report) unknown(kind, where string) {
	if strings.HasSuffix(kind, " ") {
		kind += "without a name"
	}
	count(&r.Unknown, kind, where)
}

func count(kinds *[]Kind, kind, where string) {
	kind, where = oneLine(kind, 80), oneLine(where, 200)
	for i := range *kinds {
		if k := &(*kinds)[i]; k.Kind == kind {
			if k.Count == 0 { // it was taken back
				k.First = where
			}
			k.Count++
			return
		}
	}
	if len(*kinds) == maxKinds {
		(*kinds)[maxKinds-1].Count++ // the last kind stands for all others
		return
	}
	if len(*kinds) == maxKinds-1 {
		kind = "other kinds"
	}
	*kinds = append(*kinds, Kind{Kind: kind, Count: 1, First: where})
}

// shortened cuts a text to a number of characters.
func shortened(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// MaxProblems bounds how many problems and notes are listed.
const MaxProblems = 100

// Fail counts a conversation or a file that failed.
func (r *Report) Fail(where, message string) {
	r.Failed++
	if len(r.Problems) < MaxProblems {
		r.Problems = append(r.Problems, Problem{Where: oneLine(where, 200), Message: oneLine(message, 1000)})
	}
}

// failures are the number of failures, and how many of them are listed.
func (r *Report) failures() [2]int { return [2]int{r.Failed, len(r.Problems)} }

// acquit takes back the failures since a moment.
func (r *Report) acquit(since [2]int) {
	r.Failed, r.Problems = since[0], r.Problems[:since[1]]
}

// Note lists a conversation that a person should look at.
func (r *Report) Note(id, message string) {
	if len(r.Notes) < MaxProblems {
		r.Notes = append(r.Notes, Note{ID: oneLine(id, 300), Message: oneLine(message, 1000)})
	}
}

// blame counts an error of the input, and reports whether the error is one. Others end the
// import.
func (r *Report) blame(where string, err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.Invalid && f.Kind != fault.TooLarge {
		return false
	}
	r.Fail(where, f.Msg)
	return true
}

// Write prints the report as a table for people.
func (r *Report) Write(w io.Writer) {
	fmt.Fprintf(w, "From %s: %s\n", r.From, r.Why)
	if r.DryRun {
		fmt.Fprintln(w, "A dry run: nothing was written.")
	}
	fmt.Fprintf(w, "%-16s %d (messages: %d, files: %d)\n", "conversations", r.Conversations, r.Messages, r.Files)
	for _, row := range []struct {
		name string
		n    int
		tell string
	}{
		{"taken", r.Taken, "new"}, {"unchanged", r.Unchanged, "there already"}, {"grown", r.Grown, "got their new messages"},
		{"changed", r.Changed, "edited there, or with another end; the old text was undone"}, {"apart", r.Apart, "went on in both programs"},
		{"deleted", r.Deleted, "deleted here, left out; --restore takes them"}, {"failed", r.Failed, "see below"},
	} {
		if row.n > 0 || row.name == "taken" {
			fmt.Fprintf(w, "  %-14s %d  (%s)\n", row.name, row.n, row.tell)
		}
	}
	fmt.Fprintf(w, "%-16s %d\n", "messages stored", r.Stored)
	r.writeCounts(w)
	writeKinds(w, "left out", r.Omitted)
	writeKinds(w, "not understood", r.Unknown)
	if len(r.OwnKeys) > 0 {
		fmt.Fprintf(w, "session keys of %s, which are kept; see --key:\n", r.From)
	}
	for _, k := range r.OwnKeys {
		fmt.Fprintf(w, "  %6d × %s\n", k.Conversations, oneLine(k.Key, 200))
	}
	for _, k := range r.OtherKeys {
		fmt.Fprintln(w, "note: "+k.tell())
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s: %s\n", n.ID, n.Message)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(w, "failed: %s: %s\n", p.Where, p.Message)
	}
}

// writeCounts prints what a person should know of the messages. What there is none of has no row.
func (r *Report) writeCounts(w io.Writer) {
	for _, row := range []struct {
		name string
		n    int
		tell string
	}{
		{"messages undone", r.Undone, "edited or gone there, or behind such a message; those that are still there were stored again"},
		{"messages cut", r.Cut, "lack what was forgotten here; --restore takes it"},
		{"memories edited", r.Edited, "have their new text"},
		{"memories absent", r.Absent, "imported before, and not in this input; they stay"},
		{"messages timed", r.Retimed, "had no time of their own, one before that of the message before, or one in the future"},
	} {
		if row.n > 0 {
			fmt.Fprintf(w, "%-16s %d %s\n", row.name, row.n, row.tell)
		}
	}
}

// tell says where conversations stay, and how they get another key.
func (k SessionKey) tell() string {
	which, one := "conversations that were there already stay", "one of them"
	if k.Conversations == 1 {
		which, one = "conversation that was there already stays", "it"
	}
	where := fmt.Sprintf("in the memory (session key) %q", k.Key)
	if k.Key == "" {
		where = "without a session key"
	}
	return fmt.Sprintf("%d %s %s. To move %s, delete it with `hermes sessions delete`, and import with --restore.", k.Conversations, which, where, one)
}

func writeKinds(w io.Writer, what string, kinds []Kind) {
	if len(kinds) == 0 {
		return
	}
	sorted := slices.Clone(kinds)
	slices.SortFunc(sorted, func(a, b Kind) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		return strings.Compare(a.Kind, b.Kind)
	})
	fmt.Fprintf(w, "%s:\n", what)
	for _, k := range sorted {
		fmt.Fprintf(w, "  %6d × %s, first in %s\n", k.Count, k.Kind, k.First) // a kind has no plural: exports name some
	}
}
