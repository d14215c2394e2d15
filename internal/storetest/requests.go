package storetest

import (
	"crypto/sha256"
	"encoding/json"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

func requestTests() []test {
	return []test{
		{"a history finds its session", testHistories},
		{"an exchange finds its session", testExchanges},
		{"a fresh key is claimed", testClaimFresh},
		{"a finished request returns its outcome", testClaimFinished},
		{"a key is separate per owner and route", testClaimOthers},
		{"a claim expires", testClaimExpired},
		{"a released claim can be claimed again", testClaimReleased},
		{"an unanswered request leads to its input", testClaimPending},
	}
}

// claim is a claim of a key for a request with a body.
func claim(key, body string) lineage.RequestKey {
	sum := sha256.Sum256([]byte(body))
	return lineage.RequestKey{
		Route: "chat.completions", Key: key, BodyHash: sum[:], Process: "process-1",
		At: epoch(), Expires: epoch().Add(24 * time.Hour),
	}
}

// outcome is a stored result of a turn in a lineage.
func outcome(root session.ID) []byte {
	text, err := json.Marshal(run.Result{SessionID: root, RootID: root, Stored: true, Answer: run.Answer{Content: "“answer”"}})
	if err != nil {
		panic(err) // plain values only: cannot fail
	}
	return text
}

// finish stores a turn that settles a claim.
func finish(t *testing.T, st Store, o owner.Owner, root session.ID, c lineage.RequestKey) {
	t.Helper()
	l := newTalk(o, root, "")
	step := l.step(t, st, "hello", "hi")
	step.Finished = &lineage.Finished{Key: c, Outcome: outcome(root)}
	l.commit(t, st, step)
}

// claimed claims a key and checks the result.
func claimed(t *testing.T, what string, st Store, o owner.Owner, c lineage.RequestKey, want run.Claimed) {
	t.Helper()
	got, err := st.ClaimRequest(t.Context(), o, c)
	kind(t, what, err, "")
	same(t, what, got, want)
}

func testClaimFresh(t *testing.T, st Store) {
	claimed(t, "fresh", st, alice(), claim("k", "body"), run.Claimed{Mine: true})
}

func testClaimFinished(t *testing.T, st Store) {
	c := claim("k", "body")
	claimed(t, "first", st, alice(), c, run.Claimed{Mine: true})
	finish(t, st, alice(), "s", c)
	claimed(t, "repeated", st, alice(), c, run.Claimed{SameBody: true, Outcome: outcome("s")})
	after := c
	after.Process, after.At = "process-2", c.At.Add(time.Hour)
	claimed(t, "repeated after a restart", st, alice(), after, run.Claimed{SameBody: true, Outcome: outcome("s")})
	claimed(t, "another body", st, alice(), claim("k", "other"), run.Claimed{Outcome: outcome("s")})
	claimed(t, "another key", st, alice(), claim("K", "body"), run.Claimed{Mine: true})
}

func testClaimOthers(t *testing.T, st Store) {
	c := claim("k", "body")
	claimed(t, "first", st, alice(), c, run.Claimed{Mine: true})
	finish(t, st, alice(), "s", c)
	claimed(t, "another owner", st, bob(), c, run.Claimed{Mine: true})
	elsewhere := c
	elsewhere.Route = "responses"
	claimed(t, "another route", st, alice(), elsewhere, run.Claimed{Mine: true})
	finish(t, st, bob(), "s", c)
	claimed(t, "the first one still", st, alice(), c, run.Claimed{SameBody: true, Outcome: outcome("s")})
}

func testClaimExpired(t *testing.T, st Store) {
	c := claim("k", "body")
	claimed(t, "first", st, alice(), c, run.Claimed{Mine: true})
	finish(t, st, alice(), "s", c)
	just, later := c, claim("k", "another body")
	just.At = c.Expires
	claimed(t, "at the last moment", st, alice(), just, run.Claimed{SameBody: true, Outcome: outcome("s")})
	later.At, later.Expires = c.Expires.Add(time.Millisecond), c.Expires.Add(time.Hour)
	claimed(t, "a moment later", st, alice(), later, run.Claimed{Mine: true})
	finish(t, st, alice(), "s2", later)
	claimed(t, "used again", st, alice(), later, run.Claimed{SameBody: true, Outcome: outcome("s2")})
}

func testClaimReleased(t *testing.T, st Store) {
	c := claim("k", "body")
	claimed(t, "first", st, alice(), c, run.Claimed{Mine: true})
	kind(t, "release", st.ReleaseRequest(t.Context(), alice(), c), "")
	claimed(t, "after a release", st, alice(), c, run.Claimed{Mine: true})
	kind(t, "release of nothing", st.ReleaseRequest(t.Context(), alice(), claim("none", "x")), "")
}

func testClaimPending(t *testing.T, st Store) {
	c := claim("k", "body")
	l := newTalk(alice(), "s", "")
	step := l.step(t, st, "hello")
	pending := lineage.Pending{Key: c, At: memory.Place{Root: "s", Seq: step.Messages[0].Seq}, Count: 1}
	step.Pending = &pending
	l.commit(t, st, step)
	want := run.Claimed{Mine: true, SameBody: true, Pending: &lineage.Pending{At: pending.At, Count: 1}}
	claimed(t, "asked again", st, alice(), c, want)
	after := c
	after.Process = "process-2"
	claimed(t, "asked again after a restart", st, alice(), after, want)
	claimed(t, "another body", st, alice(), claim("k", "other"), run.Claimed{})
	claimed(t, "another owner", st, bob(), c, run.Claimed{Mine: true})
	if err := st.DeleteLineage(t.Context(), alice(), "s"); err != nil {
		t.Fatal(err)
	}
	claimed(t, "after its session was erased", st, alice(), c, run.Claimed{Mine: true})
}
