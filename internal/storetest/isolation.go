package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

func isolationTests() []test {
	tests := []test{{"every method has a case", testIsolationComplete}, {"the zero Owner stores nothing", testZeroOwner}}
	for name, c := range isolationCases() {
		tests = append(tests, test{name, func(t *testing.T, st Store) { testIsolation(t, st, c) }})
	}
	return tests
}

// isolationCase calls one method with names that alice and bob both use.
type isolationCase struct {
	// call is made as one owner and returns all the method said.
	call func(ctx context.Context, st Store, o owner.Owner) (any, error)
	// stranger is what an owner gets who has nothing; "" if the answer is that
	// there is nothing, or that something new was made.
	stranger fault.Kind
	// makes says that the method stores rows for an owner who had none. The
	// zero Owner must be refused then.
	makes bool
	// silent says that the method returns nothing to recognise its owner by.
	silent bool
}

// ownerless are the methods that take no owner, with the reason.
func ownerless() map[string]string {
	return map[string]string{
		"ReserveMessageIDs": "gives out numbers, which say nothing of anybody's data",
		"AdoptMessageIDs":   "takes numbers, which say nothing of anybody's data",
		"Reindex":           "makes an index anew that is one for all, and tells nothing",
		"Traces":            "counts texts that the caller brings, and tells numbers only",
		"InsertKey":         "the row names its owner",
		"KeyByID":           "called before an owner is known, by the keyring alone",
		"Keys":              "for administrators, by the keyring alone",
		"RevokeKey":         "for administrators, by the keyring alone",
		"LimitKey":          "for administrators, by the keyring alone",
		"DueRecords":        "time passes for everybody: the registry's look at what is due; each row names its owner",
		"DueWork":           "time passes for everybody: the study's look at what is due; each row names its owner",
		"WorkCounts":        "counts rows of all owners for administrators, and tells numbers and a message of ours only",
		"Agenda":            "time passes for everybody: the scheduler's look at what is due; each row names its owner",
	}
}

// testIsolationComplete fails when a method has neither a case nor a reason.
func testIsolationComplete(t *testing.T, _ Store) {
	cases, reasons := isolationCases(), ownerless()
	methods := reflect.TypeFor[Store]()
	seen := make(map[string]bool)
	for m := range methods.Methods() {
		seen[m.Name] = true
		_, isolated := cases[m.Name]
		if _, excused := reasons[m.Name]; isolated == excused {
			t.Errorf("%s: got isolated %v and excused %v, want exactly one: add a case to isolationCases", m.Name, isolated, excused)
		}
		takesOwner := false
		for in := range m.Type.Ins() {
			takesOwner = takesOwner || in == reflect.TypeFor[owner.Owner]()
		}
		if takesOwner != isolated {
			t.Errorf("%s: got a method that takes an owner %v, and has a case %v", m.Name, takesOwner, isolated)
		}
	}
	for name := range maps.Keys(cases) {
		if !seen[name] {
			t.Errorf("there is a case for %s, but no such method", name)
		}
	}
}

// The names that every owner of these tests uses.
const (
	theSession = session.ID("the-session")
	theChild   = session.ID("the-child")
	theKey     = session.Key("the-key")
	theReceipt = "r_the-receipt"
	theRequest = "the-request"

	theEmbeddings = "the-embeddings"
)

// settle gives an owner a lineage in which every text holds a mark of its own.
func settle(t *testing.T, st Store, o owner.Owner) *talk {
	t.Helper()
	mark := markOf(o)
	l := newTalk(o, theSession, theKey)
	l.sessions[0].SystemPrompt, l.sessions[0].Title, l.sessions[0].UserID = mark, mark, mark
	l.sessions[0].TitleSource = session.TitleDerived
	step := l.step(t, st, "question of "+mark, "answer to "+mark)
	step.Messages[0].Name, step.Messages[0].Wire = mark, []byte(`"`+mark+`"`)
	step.Changes = []memory.Change{{Learned: []memory.Fact{fact("the-fact", &step.Messages[0], memory.Plain)}}}
	step.Receipt = &run.Receipt{ID: theReceipt, SessionID: theSession, RootID: theSession, Seq: 1, At: epoch(), Model: mark, Context: run.Context{Sent: sizeOf(mark)}}
	step.Finished = &run.Finished{Claim: claim(theRequest, mark), Outcome: []byte(`{"lineage_root_id":"the-session","model":"` + mark + `"}`)}
	l.commit(t, st, step)
	l.commit(t, st, l.fold(t, st, theChild, "more of "+mark, "yes, "+mark))
	if err := st.Rewrite(t.Context(), o, run.Rewrite{Erased: &memory.Erasure{Hash: sha256.Sum256([]byte(mark)), Words: 1, At: epoch()}}); err != nil {
		t.Fatalf("keep an erasure: %v", err)
	}
	if err := st.KeepStudy(t.Context(), o, studied(&l.messages[0], mark)); err != nil {
		t.Fatalf("keep a study: %v", err)
	}
	settleJob(t, st, o)
	settleRecord(t, st, o)
	settleWork(t, st, o)
	if err := st.Enter(t.Context(), o, entry(1, mark)); err != nil {
		t.Fatalf("record: %v", err)
	}
	return l
}

// markOf is the text that only an owner's own data holds.
func markOf(o owner.Owner) string { return "canary-" + o.ID() }

// isolationCases has a case for every method that takes an owner.
func isolationCases() map[string]isolationCase {
	cases := readingCases()
	cases["Search"] = isolationCase{call: searchTheSession}
	maps.Copy(cases, catalogCases())
	maps.Copy(cases, writingCases())
	maps.Copy(cases, jobWritingCases())
	maps.Copy(cases, recordWritingCases())
	maps.Copy(cases, auditCases())
	return cases
}

func catalogCases() map[string]isolationCase {
	return map[string]isolationCase{
		"Stats": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			got, err := st.Stats(ctx, o)
			got.Bytes = 0 // of all owners together
			return got, err
		}},
		"Previews": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Previews(ctx, o, []session.ID{theSession})
		}},
		"FreeTitle": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			// Whoever has not used alice's title may have it.
			free, err := st.FreeTitle(ctx, o, markOf(alice()))
			if o.ID() != alice().ID() && free == markOf(alice()) {
				free = "as it is"
			}
			return free, err
		}},
	}
}

func readingCases() map[string]isolationCase {
	cases := sessionCases()
	maps.Copy(cases, memoryCases())
	maps.Copy(cases, jobReadingCases())
	maps.Copy(cases, recordReadingCases())
	return cases
}

// sessionCases read transcripts.
func sessionCases() map[string]isolationCase {
	return map[string]isolationCase{
		"Tip": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Tip(ctx, o, theSession)
		}},
		"Session": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Session(ctx, o, theChild)
		}},
		"Sessions": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			tips, err := st.Sessions(ctx, o, session.Filter{})
			if err != nil {
				return nil, err
			}
			named, err := st.Sessions(ctx, o, session.Filter{Prefix: string(theSession), Source: session.SourceAPI})
			if err != nil {
				return nil, err
			}
			later, err := st.Sessions(ctx, o, session.Filter{Before: session.Cursor{LastActive: epoch().Add(time.Hour), ID: theSession}})
			if err != nil {
				return nil, err
			}
			lineage, err := st.Sessions(ctx, o, session.Filter{Lineage: theSession})
			if err != nil {
				return nil, err
			}
			for _, f := range []session.Filter{{Query: "canary"}, {Query: "the-"}, {Title: markOf(alice())}, {State: session.Active}} {
				list, err := st.Sessions(ctx, o, f)
				if err != nil {
					return nil, err
				}
				lineage = append(lineage, list...)
			}
			return slices.Concat(tips, named, later, lineage), err
		}},
		"Messages": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			first, err := st.Messages(ctx, o, theSession, session.Range{})
			if err != nil {
				return nil, err
			}
			last, err := st.Messages(ctx, o, theSession, session.Range{Newest: true, Limit: 3, Standing: true, Receipts: true})
			return slices.Concat(first, last), err
		}},
	}
}

// memoryCases read what was made of them.
func memoryCases() map[string]isolationCase {
	return map[string]isolationCase{
		"Facts": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			byRoot, err := st.Facts(ctx, o, memory.Scope{Root: theSession})
			if err != nil {
				return nil, err
			}
			byKey, err := st.Facts(ctx, o, memory.Scope{Root: theSession, Key: theKey})
			return slices.Concat(byRoot, byKey), err
		}},
		"Documents": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			var out []ranking.Document
			each := func(d ranking.Document) bool {
				out = append(out, d)
				return true
			}
			if err := st.Documents(ctx, o, memory.Scope{Root: theSession}, each); err != nil {
				return nil, err
			}
			return out, st.Documents(ctx, o, memory.Scope{Key: theKey}, each)
		}},
		"Scopes":   {silent: true, call: scopesOf},
		"Erasures": {call: erasuresOfTheOwner},
		"Quotes": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Quotes(ctx, o, []memory.Place{{Root: theSession, Seq: 0}, {Root: theSession, Seq: 3}})
		}},
		"Costs":      {call: costsOfTheSession},
		"Findings":   {call: findingsOfTheSession},
		"Vectors":    {call: vectorsOfTheSession},
		"Marks":      {silent: true, call: marksOfTheSession},
		"Unstudied":  {silent: true, call: unstudiedSessions},
		"Work":       {call: workOfTheOwner},
		"QuotesByID": {call: quotesOfEverybody},
		"Receipt": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.Receipt(ctx, o, theReceipt)
		}},
	}
}

// erasuresOfTheOwner returns the marks whose erasures are remembered.
func erasuresOfTheOwner(ctx context.Context, st Store, o owner.Owner) (any, error) {
	list, err := st.Erasures(ctx, o)
	var marks []string
	for _, e := range list {
		for _, known := range []owner.Owner{alice(), bob()} {
			if e.Hash == sha256.Sum256([]byte(markOf(known))) {
				marks = append(marks, markOf(known))
			}
		}
	}
	return marks, err
}

func writingCases() map[string]isolationCase {
	title, reason := "changed", session.EndReason("changed")
	return map[string]isolationCase{
		"ClaimRequest": {makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.ClaimRequest(ctx, o, claim(theRequest, markOf(o)))
		}},
		"WantWork":   {silent: true, call: wantTheWork},
		"ClaimWork":  {call: claimTheWork},
		"RenewWork":  {silent: true, call: renewTheWork},
		"SettleWork": {silent: true, call: settleTheWork},
		"KeepStudy":  {stranger: fault.NotFound, silent: true, call: studyTheSession},
		"ReleaseRequest": {silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.ReleaseRequest(ctx, o, claim(theRequest, markOf(o)))
		}},
		"CreateSession": {makes: true, silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			// Fails for those who have the session; must not for the others.
			err := st.CreateSession(ctx, o, session.Session{
				ID: theSession, RootID: theSession, Source: session.SourceAPI, StartedAt: epoch(), LastActive: epoch(),
			})
			if o.ID() == bob().ID() && fault.KindOf(err) == fault.Conflict {
				return nil, nil
			}
			return nil, err
		}},
		"UpdateSession": {stranger: fault.NotFound, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.UpdateSession(ctx, o, theSession, session.Patch{SystemPrompt: &title, EndReason: &reason, At: epoch()})
		}},
		"Rewrite": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.Rewrite(ctx, o, run.Rewrite{
				Messages: []session.Message{{RootID: theSession, SessionID: theSession, Seq: 0, Content: title}},
				Sessions: []session.Session{{ID: theSession, Title: title}},
				Scopes:   []run.ScopeFacts{{Scope: memory.Scope{Key: theKey}}, {Scope: memory.Scope{Root: theSession}}},
				Outcomes: [][]byte{[]byte("canary")},
				Undone:   []run.Undone{{Root: theSession, From: 0, At: epoch()}},
				Relinked: []memory.Fact{fact("the-fact", &session.Message{RootID: theSession}, memory.Plain)},
				Erased:   &memory.Erasure{Hash: sha256.Sum256([]byte(title)), Words: 1, At: epoch()},
			})
		}},
		"DeleteLineage": {stranger: fault.NotFound, silent: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.DeleteLineage(ctx, o, theSession)
		}},
		"AppendTurn": {stranger: fault.NotFound, silent: true, makes: true, call: appendToTheSession},
	}
}

// scopesOf is checked by number: alice and bob have one each.
func scopesOf(ctx context.Context, st Store, o owner.Owner) (any, error) {
	scopes, err := st.Scopes(ctx, o)
	if o.ID() == bob().ID() && len(scopes) != 1 {
		return nil, fmt.Errorf("got %d scopes of bob's, want 1", len(scopes))
	}
	if o.ID() == nobody().ID() && len(scopes) != 0 {
		return nil, fmt.Errorf("got %d scopes of a stranger, want none", len(scopes))
	}
	return scopes, err
}

// costsOfTheSession says whose costs were told: they are numbers.
func costsOfTheSession(ctx context.Context, st Store, o owner.Owner) (any, error) {
	costs, err := st.Costs(ctx, o, theSession, 10)
	var marks []string
	for i := range costs {
		for _, who := range []owner.Owner{alice(), bob()} {
			if costs[i].Context.Sent == sizeOf(markOf(who)) {
				marks = append(marks, markOf(who))
			}
		}
	}
	return marks, err
}

// sizeOf is a number that says whose it is.
func sizeOf(mark string) int { return int(crc32.ChecksumIEEE([]byte(mark)) >> 8) }

// appendToTheSession appends to the lineage both owners have, ends its tip, and
// supersedes the fact both have.
func appendToTheSession(ctx context.Context, st Store, o owner.Owner) (any, error) {
	first, err := st.ReserveMessageIDs(ctx, 1)
	if err != nil {
		return nil, err
	}
	m := session.Message{
		ID: first, SessionID: theChild, RootID: theSession, Seq: 4, Key: theKey, Role: session.User,
		Content: "appended", SaidAt: epoch(), RecordedAt: epoch(), Hash: []byte("hash"),
	}
	was := fact("the-fact", &session.Message{RootID: theSession}, memory.Plain)
	was.SupersededBy, was.SupersededAt = "f_later", epoch()
	return nil, st.AppendTurn(ctx, o, run.Step{
		Ended: &session.Session{ID: theSession, EndedAt: epoch(), EndReason: "changed"},
		Session: session.Session{
			ID: theChild, RootID: theSession, Generation: 1, Source: session.SourceAPI,
			StartedAt: epoch(), LastActive: epoch(), NextSeq: 5,
		},
		Messages: []session.Message{m},
		Changes:  []memory.Change{{Learned: []memory.Fact{fact("later", &m, memory.Plain)}, Superseded: []memory.Fact{was}}},
		Finished: &run.Finished{Claim: claim(theRequest, "changed"), Outcome: []byte(`{"model":"changed"}`)},
	})
}

// testIsolation makes a call as a stranger, as the zero Owner and as bob, and
// looks whether alice was seen or changed.
func testIsolation(t *testing.T, st Store, c isolationCase) {
	settle(t, st, alice())
	settle(t, st, bob())
	before := everything(t, st, alice())
	if !strings.Contains(before, markOf(alice())) {
		t.Fatalf("the suite itself: alice's data hold no mark:\n%s", before)
	}
	bobs := everything(t, st, bob())

	said, err := c.call(t.Context(), st, nobody())
	kind(t, "as a stranger", err, c.stranger)
	if text := dump(said); strings.Contains(text, "canary-") && !strings.Contains(text, markOf(nobody())) {
		t.Errorf("a stranger was told:\n%s", text)
	}
	said, err = c.call(t.Context(), st, owner.Owner{})
	if c.makes && err == nil {
		t.Error("as the zero Owner: got no error, want a refusal")
	}
	if text := dump(said); strings.Contains(text, "canary-") {
		t.Errorf("the zero Owner was told:\n%s", text)
	}
	if got := everything(t, st, bob()); got != bobs {
		t.Errorf("strangers changed bob's data: got\n%s\nwant\n%s", got, bobs)
	}

	said, err = c.call(t.Context(), st, bob())
	kind(t, "as bob", err, "")
	text := dump(said)
	if strings.Contains(text, markOf(alice())) {
		t.Errorf("bob was told of alice:\n%s", text)
	}
	if !c.silent && !strings.Contains(text, markOf(bob())) {
		t.Errorf("bob was not told of himself:\n%s", text)
	}
	if got := everything(t, st, alice()); got != before {
		t.Errorf("others changed alice's data: got\n%s\nwant\n%s", got, before)
	}
}

// testZeroOwner tries to store something for nobody in particular.
func testZeroOwner(t *testing.T, st Store) {
	var zero owner.Owner
	l := newTalk(zero, theSession, theKey)
	if err := st.AppendTurn(t.Context(), zero, l.step(t, st, "hello")); err == nil {
		t.Error("AppendTurn: got no error, want a refusal")
	}
	if err := st.CreateSession(t.Context(), zero, l.tip()); err == nil {
		t.Error("CreateSession: got no error, want a refusal")
	}
	if _, err := st.ClaimRequest(t.Context(), zero, claim(theRequest, "body")); err == nil {
		t.Error("ClaimRequest: got no error, want a refusal")
	}
	if err := st.KeepStudy(t.Context(), zero, run.Study{Task: run.Task{Root: theSession}}); err == nil {
		t.Error("KeepStudy: got no error, want a refusal")
	}
	_, err := st.Tip(t.Context(), zero, theSession)
	kind(t, "Tip", err, fault.NotFound)
}

// everything is all an owner can read under the names of these tests.
func everything(t *testing.T, st Store, o owner.Owner) string {
	t.Helper()
	cases := readingCases()
	maps.Copy(cases, catalogCases())
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		said, err := cases[name].call(t.Context(), st, o)
		fmt.Fprintf(&all, "%s: %s %v\n", name, dump(said), err)
	}
	got, err := st.ClaimRequest(t.Context(), o, claim(theRequest, markOf(o)))
	fmt.Fprintf(&all, "ClaimRequest: %s %v\n", dump(got), err)
	return all.String()
}

// dump is a value with its bytes as texts.
func dump(v any) string { return fmt.Sprintf("%s", v) }

// quotesOfEverybody asks for all messages by their ids.
func quotesOfEverybody(ctx context.Context, st Store, o owner.Owner) (any, error) {
	ids := make([]int64, 100)
	for i := range ids {
		ids[i] = int64(i)
	}
	return st.QuotesByID(ctx, o, ids)
}
