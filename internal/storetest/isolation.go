package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

func isolationTests() []test {
	tests := []test{{"every method has a case", testIsolationComplete}, {"the zero Owner stores nothing", testZeroOwner}, {"every method reads texts as they were stored", testOddTexts}}
	for name, c := range isolationCases() {
		tests = append(tests, test{name, func(t *testing.T, st Store) { testIsolation(t, st, c) }})
	}
	return tests
}

// isolationCase calls one method with names that alice and bob both use.
type isolationCase struct {
	// call calls the method as one owner and returns everything the method returned.
	call func(ctx context.Context, st Store, o owner.Owner) (any, error)
	// stranger is the error for an owner without data; "" if the method returns
	// nothing, or stores something new.
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
		"Reindex":         "makes an index anew that is one for all, and tells nothing",
		"Traces":          "counts texts that the caller brings, and tells numbers only",
		"Clean":           "clears away what was erased, of all owners, and tells nothing",
		"Repack":          "clears away copies of what was erased, of all owners, and tells nothing",
		"InsertKey":       "the row names its owner",
		"KeyByID":         "called before an owner is known, by the keyring alone",
		"Keys":            "for administrators, by the keyring alone",
		"RevokeKey":       "for administrators, by the keyring alone",
		"LimitKey":        "for administrators, by the keyring alone",
		"InsertPass":      "the row names its key",
		"PassByID":        "called before an owner is known, by the keyring alone",
		"PassesVia":       "takes the name of a key, from the keyring alone",
		"UsePass":         "tells nothing, and is called by the keyring alone",
		"DeletePass":      "called by the keyring alone, which has compared the key",
		"DueRuns":         "time passes for everybody: the registry's look at what is due; each row names its owner",
		"SwitchProvider":  "says which provider the server has; tells a time",
		"ProviderSince":   "reads since when the server has its provider; tells a time",
		"ProviderHome":    "names the store, and no owner",
		"DueDebts":        "time passes for everybody: the look at what a provider is to forget; each row names its owner",
		"DueWork":         "time passes for everybody: the study's look at what is due; each row names its owner",
		"WorkCounts":      "counts rows of all owners for administrators, and tells numbers and a message of ours only",
		"UnfinishedChats": "called at the start, before an owner is known; each row names its owner",
		"IdleChats":       "time passes for everybody: the gateway's look at what is due; each row names its owner",
		"SweepChats":      "time passes for everybody, and it tells nothing",
		"SweepFiles":      "time passes for everybody, and it tells nothing",
		"FileOwners":      "called at the start, before an owner is known; tells owners only",
		"Agenda":          "time passes for everybody: the scheduler's look at what is due; each row names its owner",
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

// settle stores a lineage for an owner, in which every text holds the owner's mark.
func settle(t *testing.T, st Store, o owner.Owner) *talk {
	t.Helper()
	mark := markOf(o)
	l := newTalk(o, theSession, theKey)
	l.sessions[0].SystemPrompt, l.sessions[0].Title, l.sessions[0].UserID, l.sessions[0].Metadata = mark, mark, mark, mark
	l.sessions[0].TitleSource = session.TitleDerived
	step := l.step(t, st, "question of "+mark, "the whole answer to "+mark)
	step.Messages[0].Name, step.Messages[0].Wire = mark, []byte(`"`+mark+`"`)
	session.Histories(step.Messages)
	step.Messages[1].Exchange = exchangeOf(step.Messages)
	about := fact("the-fact", &step.Messages[0], memory.Plain)
	step.Changes = []memory.Change{{Learned: []memory.Fact{about}, Marks: []memory.Mark{{Number: memory.NumberOf(step.Messages[0].ID, 0)}}}}
	step.Receipt = &lineage.Receipt{ID: theReceipt, SessionID: theSession, RootID: theSession, Seq: 1, At: epoch(), Model: mark, Context: lineage.Context{Sent: sizeOf(mark)}, Frame: lineage.Frame{System: mark}}
	step.Origin = &lineage.Origin{System: "elsewhere", ID: "the-conversation", Root: theSession, NextSeq: 2, Marks: marksOf(mark)}
	step.Finished = &lineage.Finished{Key: claim(theRequest, mark), Outcome: []byte(`{"lineage_root_id":"the-session","model":"` + mark + `"}`)}
	l.commit(t, st, step)
	l.commit(t, st, l.fold(t, st, theChild, "more of "+mark, "yes, "+mark))
	if err := st.Rewrite(t.Context(), o, curate.Rewrite{Erased: &memory.Erasure{Hash: sha256.Sum256([]byte(mark)), Words: 1, At: epoch()}}); err != nil {
		t.Fatalf("keep an erasure: %v", err)
	}
	if err := st.KeepStudy(t.Context(), o, studied(&l.messages[0], mark)); err != nil {
		t.Fatalf("keep a study: %v", err)
	}
	settleJob(t, st, o)
	settleRun(t, st, o)
	settleWork(t, st, o)
	settlePiece(t, st, o)
	settleChat(t, st, o)
	settleProvider(t, st, o)
	if err := st.Enter(t.Context(), o, entry(1, mark)); err != nil {
		t.Fatalf("record: %v", err)
	}
	return l
}

// markOf is the text that only this owner's data holds.
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
	maps.Copy(cases, pieceWritingCases())
	maps.Copy(cases, chatWritingCases())
	maps.Copy(cases, orderCases())
	maps.Copy(cases, restWritingCases())
	maps.Copy(cases, fileCases())
	maps.Copy(cases, providerWritingCases())
	return cases
}

// testIsolation calls a method as a stranger, as the zero Owner and as bob, and checks
// that alice's data was neither returned nor changed.
func testIsolation(t *testing.T, st Store, c isolationCase) {
	settle(t, st, alice())
	settle(t, st, bob())
	before := everything(t, st, alice())
	if !strings.Contains(before, markOf(alice())) {
		t.Fatalf("the suite itself: alice's data hold no mark:\n%s", before)
	}
	bobs := everything(t, st, bob())

	said, err := c.call(t.Context(), st, carol())
	kind(t, "as a stranger", err, c.stranger)
	if text := dump(said); strings.Contains(text, "canary-") && !strings.Contains(text, markOf(carol())) {
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

// testOddTexts fills the texts of an owner with characters that a database may not take, and calls
// every method that reads. A store that has another form for such texts must not show it.
func testOddTexts(t *testing.T, st Store) {
	odd := owner.Stored("odd \x00 \x01 owner")
	settle(t, st, odd)
	if all := everything(t, st, odd); strings.Count(all, markOf(odd)) < 50 {
		t.Errorf("got few texts as they were stored:\n%q", all)
	}
	for name, c := range isolationCases() {
		if name == "DeleteLineage" {
			continue
		}
		said, err := c.call(t.Context(), st, odd)
		if text := dump(said); strings.Contains(text, "odd \x01") {
			t.Errorf("%s: got a text in another form: %q (%v)", name, text, err)
		}
	}
}

// testZeroOwner: the zero Owner can store nothing.
func testZeroOwner(t *testing.T, st Store) {
	var zero owner.Owner
	l := newTalk(alice(), theSession, theKey)
	if err := st.AppendTurn(t.Context(), zero, l.step(t, st, "hello")); err == nil {
		t.Error("AppendTurn: got no error, want a refusal")
	}
	if err := st.CreateSession(t.Context(), zero, l.tip()); err == nil {
		t.Error("CreateSession: got no error, want a refusal")
	}
	if _, err := st.ClaimRequest(t.Context(), zero, claim(theRequest, "body")); err == nil {
		t.Error("ClaimRequest: got no error, want a refusal")
	}
	if err := st.KeepStudy(t.Context(), zero, curate.Study{Task: curate.Task{Root: theSession}}); err == nil {
		t.Error("KeepStudy: got no error, want a refusal")
	}
	_, err := st.Tip(t.Context(), zero, theSession)
	kind(t, "Tip", err, fault.NotFound)
}

// everything is all data that an owner can read under the names of these tests.
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
