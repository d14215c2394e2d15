package transcript_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
	"github.com/hermes-memory/hermes/internal/transcript"
)

// operations is how many random operations are done.
const operations = 1000

// TestRandomOperations does random things to sessions and chats of two owners, while the
// mirror writes, is ended before any change of a file, and starts again, with the program
// and without it. Each time it starts, the files become what the store has.
func TestRandomOperations(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	w := &wild{h: setup(t), r: rand.New(rand.NewPCG(seed, 0)), owners: []owner.Owner{owner.Local(), owner.Stored("other")}, did: make(map[string]int)}
	for n := range operations {
		w.operate()
		switch w.r.IntN(12) {
		case 0:
			w.kill()
		case 1, 2, 3, 4:
			w.h.mustSettle()
		}
		if n%100 == 99 {
			w.compare()
		}
	}
	w.h.killAt(1 << 30)
	w.restart(true)
	t.Logf("%d ended writes, longest mend %v, %v", w.kills, w.longest, w.did)
}

// wild does random things.
type wild struct {
	h       *house
	r       *rand.Rand
	owners  []owner.Owner
	kills   int
	longest time.Duration
	did     map[string]int
}

// compare settles and compares.
func (w *wild) compare() {
	w.h.t.Helper()
	w.h.mustSettle()
	if got := w.h.problems(w.owners...); got != "" {
		w.h.t.Fatal(got)
	}
}

// kill ends the mirror before a random change of a file, lets the program go on for a
// while, and starts it again.
func (w *wild) kill() {
	w.h.t.Helper()
	w.h.killAt(w.r.IntN(14))
	if err := w.h.settle(); err != nil {
		w.kills++
	} else if w.r.IntN(2) == 0 {
		_ = w.h.mirror.Flush(context.Background(), owner.Local()) // is ended while it settles
	}
	whole := w.r.IntN(3) == 0
	if !whole {
		for range w.r.IntN(3) {
			w.operate()
		}
	}
	w.restart(whole)
}

// restart starts the mirror again, with the whole program or alone, and waits for it.
func (w *wild) restart(whole bool) {
	w.h.t.Helper()
	if whole {
		w.h.closeDB()
		w.h.open()
	} else {
		w.h.renew()
	}
	began := time.Now()
	w.h.mustSettle()
	w.longest = max(w.longest, time.Since(began))
	w.compare()
}

// operate does one random thing.
func (w *wild) operate() {
	w.h.t.Helper()
	things := map[string]func(context.Context, owner.Owner, session.ID) error{
		"turn": w.turn, "import": w.append, "undo": w.undo, "edit": w.edit, "end": w.end, "fork": w.fork,
		"reset": w.reset, "compress": w.compress, "forget": w.forget, "forget session": w.forgetSession, "delete": w.remove, "fact": w.fact,
		"chat": w.chat, "move": w.move, "rebuild": w.rebuild, "prune": w.prune,
	}
	names := slices.Sorted(maps.Keys(things))
	name := names[w.r.IntN(len(names))]
	if costly := []string{"forget", "rebuild", "compress"}; w.r.IntN(3) == 0 || slices.Contains(costly, name) && w.r.IntN(3) > 0 {
		name = "turn"
	}
	w.did[name]++
	o := w.owners[w.r.IntN(len(w.owners))]
	err := things[name](context.Background(), o, w.known(o))
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Conflict, fault.Invalid:
		return
	}
	if err != nil && !strings.Contains(err.Error(), errKilled.Error()) {
		w.h.t.Fatalf("%s: %v", name, err)
	}
}

// known is the id of a session, or of one that is not there.
func (w *wild) known(o owner.Owner) session.ID {
	list, err := w.h.db.Sessions(context.Background(), o, session.Filter{Limit: 1000})
	if err != nil {
		w.h.t.Fatal(err)
	}
	if len(list) == 0 || w.r.IntN(4) == 0 {
		return w.pick("alpha", "Alpha", "../x", "user:42", "beta", "acme")
	}
	return list[w.r.IntN(len(list))].ID
}

func (w *wild) pick(names ...session.ID) session.ID { return names[w.r.IntN(len(names))] }

func (w *wild) text() string {
	form := []string{"We use %s now.", "I like %s.", "%s is gone.", "No, that's wrong, it's %s.", "What do we use?"}[w.r.IntN(5)]
	if !strings.Contains(form, "%s") {
		return form
	}
	return fmt.Sprintf(form, []string{"Acme", "Redis", "Zürich", "\"tea\"\n<b>"}[w.r.IntN(4)])
}

func (w *wild) turn(_ context.Context, o owner.Owner, id session.ID) error {
	w.h.say(o, id, session.Key(w.pick("", "", "p", "acme:q")), w.text())
	return nil
}

func (w *wild) append(ctx context.Context, o owner.Owner, id session.ID) error {
	call := []byte(`[{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"what\":\"Acme\"}"}}]`)
	at := w.h.clock.Now().Add(-time.Hour)
	_, _, err := w.h.curator.Append(ctx, &curate.Addition{Owner: o, Session: id, Key: "p", Source: session.SourceImport, Messages: []session.Message{
		{Role: session.User, Name: "Ada", Content: w.text(), SaidAt: at}, {Role: session.Assistant, ToolCalls: call, SaidAt: at},
		{Role: session.Tool, ToolCallID: "c1", Content: w.text(), SaidAt: at}, {Role: session.Assistant, Content: "Done.", SaidAt: at},
	}})
	return err
}

func (w *wild) undo(ctx context.Context, o owner.Owner, id session.ID) error {
	_, err := w.h.curator.Undo(ctx, o, id)
	return err
}

func (w *wild) edit(ctx context.Context, o owner.Owner, id session.ID) error {
	title := fmt.Sprintf("Title %d", w.r.IntN(1000))
	_, err := w.h.curator.Edit(ctx, o, id, session.Patch{Title: &title}, nil)
	return err
}

func (w *wild) end(ctx context.Context, o owner.Owner, id session.ID) error {
	why := session.EndReason("done with acme")
	_, err := w.h.curator.Edit(ctx, o, id, session.Patch{EndReason: &why}, nil)
	return err
}

func (w *wild) fork(ctx context.Context, o owner.Owner, id session.ID) error {
	_, err := w.h.curator.Fork(ctx, &curate.Branch{Owner: o, Session: id})
	return err
}

func (w *wild) reset(ctx context.Context, o owner.Owner, id session.ID) error {
	_, err := w.h.curator.Reset(ctx, o, id)
	return err
}

func (w *wild) compress(ctx context.Context, o owner.Owner, id session.ID) error {
	for range 6 {
		w.h.say(o, id, "", strings.Repeat("We talked about the weather for a long while. ", 10))
	}
	_, err := w.h.curator.Compress(ctx, o, id)
	return err
}

func (w *wild) forget(ctx context.Context, o owner.Owner, _ session.ID) error {
	_, err := w.h.curator.Forget(ctx, o, "Acme", false)
	if err != nil {
		return err
	}
	for name, text := range w.h.kept() {
		if mine := strings.HasPrefix(name, "owner.") == (o.ID() != owner.LocalID); mine && strings.Contains(strings.ToLower(text), "acme") {
			return fmt.Errorf("after the forgetting, %s has it: %s", name, text)
		}
	}
	return nil
}

func (w *wild) forgetSession(ctx context.Context, o owner.Owner, id session.ID) error {
	_, err := w.h.curator.ForgetSession(ctx, o, id, false)
	return err
}

func (w *wild) remove(ctx context.Context, o owner.Owner, id session.ID) error {
	_, err := w.h.curator.Delete(ctx, o, id, nil)
	return err
}

func (w *wild) fact(ctx context.Context, o owner.Owner, id session.ID) error {
	_, err := w.h.curator.Remember(ctx, &curate.Note{Owner: o, Session: id, Text: w.text()})
	return err
}

func (w *wild) chat(ctx context.Context, o owner.Owner, id session.ID) error {
	if _, err := w.h.db.Session(ctx, o, id); err != nil {
		return err
	}
	at := w.place()
	w.h.clock.Advance(time.Second) // the chats' order is by time
	w.h.hear(o, at, string(w.pick("Team", "Acme")), id)
	c, err := w.h.db.Chat(ctx, o, at)
	if err != nil {
		return err
	}
	return w.h.db.LeadChat(ctx, o, at, c.Session, id, "")
}

func (w *wild) place() gateway.Place {
	return gateway.Place{Platform: gateway.Telegram, Account: "bot", Chat: string(w.pick("1", "2")), Thread: string(w.pick("", "", "7"))}
}

func (w *wild) move(ctx context.Context, o owner.Owner, _ session.ID) error {
	return w.h.db.MoveChat(ctx, o, w.place(), "3")
}

func (w *wild) rebuild(ctx context.Context, o owner.Owner, _ session.ID) error {
	_, err := w.h.mirror.Rebuild(ctx, o)
	return err
}

func (w *wild) prune(ctx context.Context, o owner.Owner, _ session.ID) error {
	_, err := w.h.curator.Prune(ctx, &curate.Prune{Owner: o, Before: w.h.clock.Now(), Limit: 1})
	return err
}

// FuzzNames: whatever an id is, its names are names of files in the directory, and the
// files of two sessions never have one name.
func FuzzNames(f *testing.F) {
	for _, id := range []string{"s1", "../x", "a/b", "CON", "sha256.00.jsonl", "sha256", "", "Ä", ".", strings.Repeat("a", 64), strings.Repeat("a", 65)} {
		f.Add(id, "s2", "alice")
	}
	f.Fuzz(func(t *testing.T, id, other, who string) {
		plain, hashed := transcript.PlainName(session.ID(id)), transcript.HashedName(session.ID(id))
		for _, name := range []string{plain, hashed} {
			if name != "" && (strings.ContainsAny(name, "/\\\x00") || strings.HasPrefix(name, ".") || len(name) > 80 || !strings.HasSuffix(name, ".jsonl")) {
				t.Errorf("%q becomes the name %q", id, name)
			}
		}
		if plain == hashed || id != other && (plain != "" && plain == transcript.PlainName(session.ID(other)) || hashed == transcript.HashedName(session.ID(other))) {
			t.Errorf("%q and %q share a name", id, other)
		}
		if plain != "" && strings.Count(plain, ".") != 1 { // a hashed name has two
			t.Errorf("%q has a name like a hash: %q", id, plain)
		}
		if dir := transcript.DirOf(owner.Stored(who)); strings.ContainsAny(dir, "/\\\x00") || dir == ".." || dir == "." && who != owner.LocalID {
			t.Errorf("owner %q becomes the directory %q", who, dir)
		}
	})
}
