package httpapi

import (
	"slices"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/session"
)

// archiveMarks are a conversation of another program, as far as a line has it.
type archiveMarks struct {
	System string `json:"system"`
	ID     string `json:"id"`
	// Marks has eight bytes for each message of the line, in base64: the beginning of a
	// hash over the other program's ids of all messages up to that one.
	Marks []byte `json:"marks"`
	// Texts has eight bytes for each message of the line, in base64: the beginning of a hash over what
	// the message says. They may be left out; an edit in place is not seen then.
	Texts []byte `json:"texts,omitempty"`
	// ChangedAt is when the other program changed the conversation last.
	ChangedAt when `json:"changed_at,omitzero"`
}

// archiveOrigin is where a line comes from in another program.
type archiveOrigin struct {
	archiveMarks

	// Adds says that each message stands alone: its mark is of this message only, over its id and its
	// text, and the texts are over the ids alone. Messages that are not stored are added. One with the
	// id of a stored message replaces that message, unless it is older.
	Adds bool `json:"adds,omitempty"`
	// Formerly are other ids of the conversation. If an import has stored it under one of them, the first such
	// one counts instead of the id.
	Formerly []string `json:"formerly,omitempty"`
	// Earlier are the marks and texts of the conversation as earlier versions of the reader read it, if they read
	// other messages or texts. What is stored as they tell, and was continued here, stays as it is.
	Earlier *struct {
		Marks []byte `json:"marks"`
		Texts []byte `json:"texts,omitempty"`
	} `json:"earlier,omitempty"`
}

// archiveSource says, in an export of this program, which conversation of another program a
// lineage holds, so that an import of that program knows it in another home, too.
type archiveSource struct {
	archiveMarks

	NextSeq int64 `json:"next_seq"`
}

// sourceOf is what an export says of the conversation that a lineage holds; nil for none.
func sourceOf(g *lineage.Origin) *archiveSource {
	if g == nil {
		return nil
	}
	return &archiveSource{archiveMarks{System: g.System, ID: g.ID, Marks: g.Marks, Texts: g.Texts, ChangedAt: when{g.ChangedAt}}, g.NextSeq}
}

// parse checks what an export says; nil stays nil.
func (a *archiveSource) parse() (*lineage.Origin, error) {
	if a == nil {
		return nil, nil
	}
	origin, err := a.archiveMarks.parse()
	if err == nil {
		origin.NextSeq = bound.Count(a.NextSeq)
	}
	return origin, err
}

// parse checks an origin; nil stays nil.
func (a *archiveOrigin) parse() (*lineage.Origin, error) {
	if a == nil {
		return nil, nil
	}
	origin, err := a.archiveMarks.parse()
	if err != nil {
		return nil, err
	}
	origin.Adds = a.Adds
	if a.Earlier != nil {
		earlier := archiveMarks{System: a.System, ID: a.ID, Marks: a.Earlier.Marks, Texts: a.Earlier.Texts}
		if origin.Earlier, err = earlier.parse(); err != nil {
			return nil, err
		}
	}
	if len(a.Formerly) > maxFormerly || slices.ContainsFunc(a.Formerly, badOriginName) {
		return nil, fault.New(fault.Invalid, "invalid_export", "The \"formerly\" of an \"origin\" must be 8 ids at most, of 1 to 256 bytes each.").At("origin")
	}
	return origin, nil
}

// maxFormerly bounds the other ids of a conversation: each is looked up.
const maxFormerly = 8

// maxOriginName bounds the name of another program and the id of a conversation in it, in
// bytes.
const maxOriginName = 256

func badOriginName(name string) bool {
	return name == "" || len(name) > maxOriginName || !utf8.ValidString(name)
}

// recognize gives a conversation the id that it has in this store, if that is one of its former ones.
func (im *archiveImport) recognize(a *curate.Archived, formerly []string) error {
	for _, id := range formerly {
		// Without a message, the forecast only tells whether the conversation is known.
		known, err := im.s.Curator.Forecast(im.r.Context(), &curate.Archived{
			Owner: a.Owner, Sessions: make([]session.Session, 1), Origin: &lineage.Origin{System: a.Origin.System, ID: id},
			Messages: func(func(session.Message, error) bool) {},
		})
		switch {
		case err != nil:
			return err
		case known.Fate == curate.FateNew:
			continue
		case known.Session != "": // it was not deleted here
			a.Sessions[0].ID, a.Sessions[0].RootID = known.Session, known.Session
		}
		a.Origin.ID = id
		return nil
	}
	return nil
}

// parse checks marks.
func (a *archiveMarks) parse() (*lineage.Origin, error) {
	if badOriginName(a.System) || badOriginName(a.ID) {
		return nil, fault.New(fault.Invalid, "invalid_export",
			"The \"origin\" of a line needs a \"system\" and an \"id\" of 1 to 256 bytes.").At("origin")
	}
	if len(a.Marks)%lineage.MarkSize != 0 {
		return nil, fault.New(fault.Invalid, "invalid_export", "The \"marks\" of an \"origin\" must have eight bytes for each message.").At("origin")
	}
	if len(a.Texts) > 0 && len(a.Texts) != len(a.Marks) {
		return nil, fault.New(fault.Invalid, "invalid_export", "The \"texts\" of an \"origin\" must have eight bytes for each of its \"marks\".").At("origin")
	}
	return &lineage.Origin{System: a.System, ID: a.ID, Marks: a.Marks, Texts: a.Texts, ChangedAt: a.ChangedAt.Time}, nil
}

// importFates counts the conversations of other programs that were neither new nor
// unchanged, and what became of the messages.
type importFates struct {
	Grown   int `json:"grown,omitempty"`
	Changed int `json:"changed,omitempty"`
	Apart   int `json:"apart,omitempty"`
	Deleted int `json:"deleted,omitempty"`
	// Undone counts the messages of changed ones that were undone, Edited the memories that were edited in the other
	// program, and Absent those that were imported before, and that their lines lack.
	Undone int `json:"undone,omitempty"`
	Edited int `json:"edited,omitempty"`
	Absent int `json:"absent,omitempty"`
	// Cut counts the stored messages that lack something, because it was forgotten here.
	Cut   int          `json:"cut,omitempty"`
	Notes []importNote `json:"notes,omitempty"`
	// OtherKeys are the session keys, other than those of their lines, of conversations that were there.
	OtherKeys []importKey `json:"other_keys,omitempty"`
}

// importKey counts the conversations that a session key has.
type importKey struct {
	Key           session.Key `json:"session_key"`
	Conversations int         `json:"conversations"`
}

// importNote tells a conversation that changed in both programs, or was deleted here.
type importNote struct {
	ID      session.ID  `json:"id"`
	Fate    curate.Fate `json:"fate"`
	Session session.ID  `json:"session_id,omitempty"`
}

// noteKey counts a conversation of another program that was there with another session key than its line has.
func (im *archiveImport) noteKey(a *curate.Archived, got *curate.Imported) error {
	stays := got.Fate == curate.FateSame || got.Fate == curate.FateGrown || got.Fate == curate.FateChanged
	if a.Origin == nil || !stays {
		return nil
	}
	stored, err := im.s.Sessions.Session(im.r.Context(), a.Owner, got.Session)
	switch {
	case fault.KindOf(err) == fault.NotFound: // deleted meanwhile
		return nil
	case err != nil:
		return err
	case stored.Key == a.Sessions[len(a.Sessions)-1].Key:
		return nil
	}
	keys := im.out.OtherKeys
	at := slices.IndexFunc(keys, func(k importKey) bool { return k.Key == stored.Key })
	switch {
	case at >= 0:
		keys[at].Conversations++
	case len(keys) < maxImportErrors:
		im.out.OtherKeys = append(keys, importKey{stored.Key, 1})
	}
	return nil
}

// count counts the messages of a conversation.
func (f *importFates) count(got *curate.Imported) {
	f.Undone += got.Undone
	f.Edited += got.Edited
	f.Absent += got.Absent
	f.Cut += got.Cut
}

// tell counts a conversation, and lists it if a person should know of it.
func (f *importFates) tell(got *curate.Imported, head *archiveHead) {
	switch got.Fate {
	case curate.FateGrown:
		f.Grown++
		return
	case curate.FateChanged:
		f.Changed++
		return
	case curate.FateApart:
		f.Apart++
	case curate.FateDeleted:
		f.Deleted++
	}
	if len(f.Notes) < maxImportErrors {
		f.Notes = append(f.Notes, importNote{ID: head.ID, Fate: got.Fate, Session: got.Session})
	}
}
