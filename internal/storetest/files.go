package storetest

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/attachment"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

func fileTests() []test {
	return []test{
		{"a file is kept once", testFileOnce},
		{"a file goes with its message", testFileOfMessage},
		{"a file goes with its lineage", testFileOfLineage},
		{"a file that names a thing is erased", testFileNames},
		{"a file goes with the event and the run that brought it", testFileOfEvent},
		{"old files are swept, and those of no message", testSweepFiles},
	}
}

// fileOf is a file whose texts hold a mark.
func fileOf(id session.FileID, mark string) attachment.File {
	return attachment.File{
		ID: id, Kind: "photo", Name: mark + ".jpg", Mime: "image/jpeg", Size: 3, Hash: sha256.Sum256([]byte(mark)), Run: "run_1", KeptAt: epoch(),
	}
}

func mustPut(t *testing.T, st Store, o owner.Owner, files ...attachment.File) {
	t.Helper()
	for i := range files {
		if err := st.PutFile(t.Context(), o, &files[i]); err != nil {
			t.Fatalf("put file: %v", err)
		}
	}
}

// filesLeft checks which files an owner has.
func filesLeft(t *testing.T, what string, st Store, o owner.Owner, want ...session.FileID) {
	t.Helper()
	list, err := st.Files(t.Context(), o)
	kind(t, what, err, "")
	var got []session.FileID
	for i := range list {
		got = append(got, list[i].ID)
	}
	same(t, what, got, want)
}

func testFileOnce(t *testing.T, st Store) {
	f := fileOf("file_1", "one")
	bare := attachment.File{ID: "file_2", Kind: "voice", Size: 1, Run: "run_2", KeptAt: hour(1)}
	mustPut(t, st, alice(), f, bare, fileOf("file_1", "another"))
	mustPut(t, st, bob(), fileOf("file_1", "of bob"))
	got, err := st.File(t.Context(), alice(), "file_1")
	kind(t, "file", err, "")
	same(t, "file", got, f)
	got, err = st.File(t.Context(), alice(), "file_2")
	kind(t, "bare file", err, "")
	same(t, "bare file", got, bare)
	kind(t, "spoken", st.SpokenFile(t.Context(), alice(), "file_1", "said in it"), "")
	got, err = st.File(t.Context(), alice(), "file_1")
	kind(t, "file", err, "")
	same(t, "what is said", got.Spoken, "said in it")
	filesLeft(t, "files", st, alice(), "file_1", "file_2")
	owners, err := st.FileOwners(t.Context())
	kind(t, "owners", err, "")
	same(t, "owners", len(owners), 2)
	kind(t, "drop", st.DropFiles(t.Context(), alice(), []session.FileID{"file_1", "file_0"}), "")
	filesLeft(t, "after a drop", st, alice(), "file_2")
	filesLeft(t, "those of bob", st, bob(), "file_1")
	_, err = st.File(t.Context(), alice(), "file_1")
	kind(t, "a dropped file", err, fault.NotFound)
}

func testFileOfMessage(t *testing.T, st Store) {
	mustPut(t, st, alice(), fileOf("file_1", "one"), fileOf("file_2", "two"), fileOf("file_3", "three"))
	mustPut(t, st, bob(), fileOf("file_1", "of bob"))
	l := newTalk(alice(), "s", "key")
	l.say(t, st, "before", "yes")
	step := l.step(t, st, "look", "I see", "and this", "fine")
	step.Messages[0].Files, step.Messages[2].Files = []session.FileID{"file_1", "file_2"}, []session.FileID{"file_3", "file_unknown"}
	l.commit(t, st, step)
	got, err := st.File(t.Context(), alice(), "file_2")
	kind(t, "file", err, "")
	same(t, "place", [2]any{got.Root, got.Seq}, [2]any{session.ID("s"), int64(2)})
	m := step.Messages[0]
	m.Content = "look, please"
	kind(t, "rewrite", st.Rewrite(t.Context(), alice(), curate.Rewrite{Messages: []session.Message{m}}), "")
	filesLeft(t, "after a rewrite", st, alice(), "file_3")
	filesLeft(t, "those of bob", st, bob(), "file_1")
}

func testFileOfLineage(t *testing.T, st Store) {
	mustPut(t, st, alice(), fileOf("file_1", "one"), fileOf("file_2", "two"), fileOf("file_3", "three"))
	for i, id := range []session.ID{"gone", "kept"} {
		l := newTalk(alice(), id, "key")
		step := l.step(t, st, "look", "I see")
		step.Messages[0].Files = []session.FileID{[]session.FileID{"file_1", "file_2"}[i]}
		l.commit(t, st, step)
	}
	kind(t, "delete", st.DeleteLineage(t.Context(), alice(), "gone"), "")
	filesLeft(t, "after a deletion", st, alice(), "file_2", "file_3")
}

func testFileNames(t *testing.T, st Store) {
	named, said, kept := fileOf("file_1", "a wombat"), fileOf("file_2", "b"), fileOf("file_3", "c")
	said.Spoken = "I saw a wombat."
	mustPut(t, st, alice(), named, said, kept)
	mustPut(t, st, bob(), fileOf("file_1", "a wombat"))
	swept, err := st.Sweep(t.Context(), alice(), mention.Of("wombat"), false)
	kind(t, "sweep", err, "")
	same(t, "swept", swept.Records, 2)
	filesLeft(t, "after a sweep", st, alice(), "file_3")
	filesLeft(t, "those of bob", st, bob(), "file_1")
}

func testFileOfEvent(t *testing.T, st Store) {
	mustCommit(t, st, alice(), "", inbound(alice(), "1", "c", "a wombat"), inbound(alice(), "2", "d", "a cat"))
	for id, run := range map[string]string{"1": "run_1", "2": "run_2"} {
		at := placeOf(map[string]string{"1": "c", "2": "d"}[id])
		if _, err := st.TakeEvents(t.Context(), alice(), takingOf(at, id, run)); err != nil {
			t.Fatal(err)
		}
	}
	other := fileOf("file_2", "two")
	other.Run = "run_2"
	mustPut(t, st, alice(), fileOf("file_1", "one"), other)
	_, err := st.Sweep(t.Context(), alice(), mention.Of("wombat"), false)
	kind(t, "sweep", err, "")
	filesLeft(t, "after a sweep", st, alice(), "file_2")
}

func takingOf(at gateway.Place, id, run string) gateway.Taking {
	return gateway.Taking{Place: at, Events: []gateway.EventName{nameOf(id)}, Run: run, Session: session.ID("s-" + id), At: hour(1)}
}

func testSweepFiles(t *testing.T, st Store) {
	var files []attachment.File
	for i, id := range []session.FileID{"file_1", "file_2", "file_3"} {
		f := fileOf(id, string(id))
		f.KeptAt = epoch().Add(time.Duration(i) * time.Hour)
		files = append(files, f)
	}
	mustPut(t, st, alice(), files...)
	l := newTalk(alice(), "s", "key")
	step := l.step(t, st, "look", "I see")
	step.Messages[0].Files = []session.FileID{"file_1", "file_2"}
	l.commit(t, st, step)
	unsaid := fileOf("file_0", "unsaid")
	unsaid.KeptAt = epoch().Add(90 * time.Minute)
	mustPut(t, st, alice(), unsaid)
	kind(t, "sweep", st.SweepFiles(t.Context(), epoch().Add(30*time.Minute), epoch().Add(100*time.Minute)), "")
	filesLeft(t, "after a sweep", st, alice(), "file_2", "file_3")
}

func fileCases() map[string]isolationCase {
	return map[string]isolationCase{
		"File": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.File(ctx, o, "the-file")
		}},
		"Files": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Files(ctx, o)
		}},
		"PutFile": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			f, again := fileOf("another-file", "changed"), fileOf("the-file", "changed")
			if err := st.PutFile(ctx, o, &again); err != nil {
				return nil, err
			}
			return nil, st.PutFile(ctx, o, &f)
		}},
		"SpokenFile": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.SpokenFile(ctx, o, "the-file", "changed")
		}},
		"DropFiles": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.DropFiles(ctx, o, []session.FileID{"the-file"})
		}},
	}
}
