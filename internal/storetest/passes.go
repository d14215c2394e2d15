package storetest

import (
	"crypto/sha256"
	"sync"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

func passTests() []test {
	return []test{
		{"a pass is read back as it was created", testPassFields},
		{"a pass is deleted once", testPassDeleted},
		{"a pass is deleted once by several", testPassDeletedAtOnce},
		{"a new pass deletes what has expired", testPassExpired},
	}
}

// pass is a token created n minutes after the epoch.
func pass(id, via string, minute int) owner.Pass {
	sum := sha256.Sum256([]byte(id))
	at := epoch().Add(time.Duration(minute) * time.Minute)
	return owner.Pass{ID: id, Hash: sum[:], Via: via, CreatedAt: at, UsedAt: at, ExpiresAt: at.Add(time.Hour)}
}

func testPassFields(t *testing.T, st Store) {
	none, err := st.PassesVia(t.Context(), "key:a")
	kind(t, "no passes", err, "")
	same(t, "no passes", none, []owner.Pass(nil))
	early, late, other := pass("aaaaaaaaaaaa", "key:a", 1), pass("bbbbbbbbbbbb", "key:a", 2), pass("cccccccccccc", "key:b", 3)
	late.Stay, other.Code = true, true
	for _, p := range []owner.Pass{early, late, other} {
		kind(t, "insert", st.InsertPass(t.Context(), p), "")
		got, err := st.PassByID(t.Context(), p.ID)
		kind(t, "pass", err, "")
		same(t, "pass", got, p)
	}
	all, err := st.PassesVia(t.Context(), "key:a")
	kind(t, "passes", err, "")
	same(t, "passes of a key, newest first", all, []owner.Pass{late, early})
	if err := st.InsertPass(t.Context(), pass("aaaaaaaaaaaa", "key:b", 4)); err == nil {
		t.Error("insert a pass whose id is taken: got no error")
	}
	early.UsedAt = early.UsedAt.Add(time.Minute)
	kind(t, "use", st.UsePass(t.Context(), early.ID, early.UsedAt), "")
	kind(t, "use an absent pass", st.UsePass(t.Context(), "dddddddddddd", early.UsedAt), "")
	got, err := st.PassByID(t.Context(), early.ID)
	kind(t, "pass", err, "")
	same(t, "used pass", got, early)
	for _, id := range []string{"", "dddddddddddd", "%", "' OR 1=1 --"} {
		_, err = st.PassByID(t.Context(), id)
		kind(t, "absent pass", err, fault.NotFound)
	}
}

func testPassDeleted(t *testing.T, st Store) {
	p, other := pass("aaaaaaaaaaaa", "key:a", 1), pass("bbbbbbbbbbbb", "key:a", 2)
	kind(t, "insert", st.InsertPass(t.Context(), p), "")
	kind(t, "insert", st.InsertPass(t.Context(), other), "")
	kind(t, "delete", st.DeletePass(t.Context(), p.ID), "")
	kind(t, "delete again", st.DeletePass(t.Context(), p.ID), fault.NotFound)
	_, err := st.PassByID(t.Context(), p.ID)
	kind(t, "deleted pass", err, fault.NotFound)
	left, err := st.PassesVia(t.Context(), "key:a")
	kind(t, "passes", err, "")
	same(t, "passes", left, []owner.Pass{other})
}

func testPassDeletedAtOnce(t *testing.T, st Store) {
	kind(t, "insert", st.InsertPass(t.Context(), pass("aaaaaaaaaaaa", "key:a", 1)), "")
	failed := make([]error, 8)
	var calls sync.WaitGroup
	for i := range failed {
		calls.Go(func() { failed[i] = st.DeletePass(t.Context(), "aaaaaaaaaaaa") })
	}
	calls.Wait()
	done := 0
	for _, err := range failed {
		if err == nil {
			done++
			continue
		}
		kind(t, "delete at once", err, fault.NotFound)
	}
	same(t, "calls that deleted it", done, 1)
}

func testPassExpired(t *testing.T, st Store) {
	old, valid, young := pass("aaaaaaaaaaaa", "key:a", 0), pass("bbbbbbbbbbbb", "key:a", 1), pass("cccccccccccc", "key:a", 60)
	for _, p := range []owner.Pass{old, valid, young} { // the first ends when the last is made
		kind(t, "insert", st.InsertPass(t.Context(), p), "")
	}
	left, err := st.PassesVia(t.Context(), "key:a")
	kind(t, "passes", err, "")
	same(t, "passes", left, []owner.Pass{young, valid})
}
