package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// oracleRig asks for what is another's, and for what never was, and looks for a
// difference. A round is a thousand pairs of each question, and a hundred of those
// that write: they wait for the disk.
var oracleRig = rig{
	name: "oracle", fault: "T2 ids of another owner's and ids that never were, in turn, at every route that takes one", rounds: 10, run: listen,
	want: "same status, headers and body; times that a rank-sum test cannot tell apart (p > 0.01, over all questions)",
	off:  "what is another's is read before it is refused", bareRounds: 10,
	bare: []change{{
		"internal/sqlite/sessions.go", "	st, err := db.read.stmt(ctx, selectTip)\n",
		"	if rows, err := db.read.QueryContext(ctx, `SELECT content FROM messages WHERE owner_id = 'bob' AND root_id = ?`, string(id)); err == nil {\n" +
			"		for rows.Next() {\n		}\n		_ = rows.Close()\n	}\n	st, err := db.read.stmt(ctx, selectTip)\n",
	}},
}

// question is a request with an id of some kind in it.
type question struct{ method, path, body string }

// questions are all that can be asked again and again. A chat with an id makes a
// session, so it can be asked once only.
var questions = []question{
	{"GET", "/api/sessions/{session}", ""}, {"GET", "/api/sessions/{session}/messages", ""}, {"GET", "/api/sessions/{session}/state", ""},
	{"GET", "/api/sessions/{session}/timeline", ""}, {"GET", "/api/sessions/{session}/cost", ""}, {"PATCH", "/api/sessions/{session}", `{"title":"t"}`},
	{"DELETE", "/api/sessions/{session}", ""}, {"POST", "/api/sessions/{session}/reset", ""}, {"POST", "/api/sessions/{session}/compress", ""},
	{"POST", "/api/sessions/{session}/fork", ""}, {"POST", "/api/sessions/{session}/undo", ""},
	{"GET", "/api/memory?session_id={session}", ""}, {"GET", "/api/memory/recall?q=Rust&session_id={session}", ""},
	{"GET", "/api/search?q=Rust&session_id={session}", ""},
	{"GET", "/v1/responses/{response}", ""}, {"GET", "/v1/responses/{response}/input_items", ""}, {"DELETE", "/v1/responses/{response}", ""},
	{"POST", "/v1/responses/{response}/cancel", ""}, {"POST", "/v1/responses", `{"input":"hi","previous_response_id":"{response}"}`},
	{"GET", "/v1/runs/{run}", ""}, {"GET", "/v1/runs/{run}/events", ""}, {"DELETE", "/v1/runs/{run}", ""}, {"POST", "/v1/runs/{run}/stop", ""},
	{"POST", "/v1/runs/{run}/approval", `{"approve":true}`},
	{"GET", "/api/jobs/{job}", ""}, {"GET", "/api/jobs/{job}/runs", ""}, {"PATCH", "/api/jobs/{job}", `{"prompt":"q"}`}, {"DELETE", "/api/jobs/{job}", ""},
	{"POST", "/api/jobs/{job}/pause", ""}, {"POST", "/api/jobs/{job}/resume", ""}, {"POST", "/api/jobs/{job}/run", ""},
	{"GET", "/api/memory/{fact}?session_id=mine/0", ""}, {"PATCH", "/api/memory/{fact}?session_id=mine/0", `{"statement":"I like tea"}`},
	{"DELETE", "/api/memory/{fact}?session_id=mine/0", ""}, {"GET", "/api/receipts/{receipt}", ""},
}

// belongings are the ids of what an owner has, by kind.
type belongings map[string][]string

// eavesdropper is an owner who asks for what is another's.
type eavesdropper struct {
	s      *subject
	key    string
	theirs belongings
	rnd    *rand.Rand
	t      *tally
}

// listen is the whole rig.
func listen(ctx context.Context, b *bench, rounds int) (*tally, error) {
	s, err := b.serve(ctx, "", "API_SERVER_KEY="+operatorKey, "HERMES_RESPONDER=recall")
	if err != nil {
		return nil, err
	}
	defer s.kill()
	e := &eavesdropper{s: s, rnd: rand.New(rand.NewPCG(1, 2)), t: &tally{}}
	for _, name := range []string{"ada", "bob"} {
		_, key, err := s.newKey(ctx, name, name)
		if err != nil {
			return nil, err
		}
		prefix := map[string]string{"ada": "mine", "bob": "vault"}[name]
		if e.theirs, err = e.furnish(ctx, key, prefix); err != nil { // bob's is the last
			return nil, err
		}
		if name == "ada" {
			e.key = key
		}
	}
	least, low, widest := 1.0, 0, 0.0
	for _, q := range questions {
		pairs := rounds * 1000
		if q.method != http.MethodGet {
			pairs /= 10
		}
		p, apart, err := e.compare(ctx, q, pairs)
		if err != nil {
			return nil, err
		}
		b.say("oracle: %s %s: p = %.3f, medians %.1f µs apart", q.method, q.path, p, apart)
		least, widest = min(least, p), max(widest, apart, -apart)
		if p <= 0.01 {
			low++
		}
		if p*float64(len(questions)) <= 0.01 {
			e.t.miss("%s %s: p = %.2g, medians %.1f µs apart", q.method, q.path, p, apart)
			if b.bare {
				break // it has been seen
			}
		}
	}
	e.t.done = fmt.Sprintf("%d questions × %d pairs, %d of those that write", len(questions), rounds*1000, rounds*100)
	e.t.figure = fmt.Sprintf("least p %.4f, which is %.2f for so many questions (%d of %d below 0.01), medians at most %.1f µs apart",
		least, min(1, least*float64(len(questions))), low, len(questions), widest)
	return e.t, nil
}

// furnish gives an owner forty things of each kind.
func (e *eavesdropper) furnish(ctx context.Context, key, prefix string) (belongings, error) {
	all := make(belongings)
	for n := range 40 {
		session := fmt.Sprintf("%s/%016x", prefix, e.rnd.Uint64())
		if prefix == "mine" {
			session = fmt.Sprintf("mine/%d", n)
		}
		all["session"] = append(all["session"], session)
		for turn := range 5 {
			header := bearer(key)
			header["X-Hermes-Session-Id"] = session
			text := fmt.Sprintf("We use Rust for part %d because reason %d is a good one.", turn, n)
			if status, body, err := send(ctx, e.s.addr, "POST", "/v1/chat/completions", header, chatBody(text, false)); err != nil ||
				status != http.StatusOK {
				return nil, fmt.Errorf("furnish: %d %s %w", status, body, err)
			}
		}
		var made struct {
			ID     string
			RunID  string `json:"run_id"`
			Job    struct{ ID string }
			Facts  []struct{ ID string }
			Hermes struct {
				ReceiptID string `json:"receipt_id"`
			}
		}
		path := "/api/sessions/" + strings.ReplaceAll(session, "/", "%2F")
		for _, ask := range []struct {
			method, path, body string
			status             int
			kind               string
			id                 func() string
		}{
			{"GET", path + "/state", "", 200, "fact", func() string { return made.Facts[0].ID }},
			{"POST", "/v1/chat/completions", string(chatBody("hi", false)), 200, "receipt", func() string { return made.Hermes.ReceiptID }},
			{"POST", "/v1/responses", `{"input":"hi"}`, 200, "response", func() string { return made.ID }},
			{"POST", "/v1/runs", `{"input":"hi"}`, 202, "run", func() string { return made.RunID }},
			{"POST", "/api/jobs", fmt.Sprintf(`{"name":"n%d","schedule":"@yearly","prompt":"p"}`, n), 201, "job", func() string { return made.Job.ID }},
		} {
			if err := e.s.ask(ctx, key, ask.method, ask.path, []byte(ask.body), ask.status, &made); err != nil {
				return nil, err
			}
			if ask.kind == "fact" && len(made.Facts) == 0 || ask.id() == "" {
				return nil, fmt.Errorf("furnish: there is no %s", ask.kind)
			}
			all[ask.kind] = append(all[ask.kind], ask.id())
		}
	}
	return all, nil
}

// compare asks one question for pairs of ids, and returns how likely the times come
// from one source, and by how many microseconds their medians differ.
func (e *eavesdropper) compare(ctx context.Context, q question, pairs int) (p, apart float64, err error) {
	kind := ""
	for name := range e.theirs {
		if strings.Contains(q.path+q.body, "{"+name+"}") {
			kind = name
		}
	}
	for _, odd := range []string{"%00", "%0A", "%2F..", "%FF", strings.Repeat("x", 300)} {
		if err := e.alike(ctx, q, kind, odd); err != nil {
			return 0, 0, err
		}
	}
	foreign, absent := make([]float64, 0, pairs), make([]float64, 0, pairs)
	for range pairs {
		theirs := e.pick(kind)
		never := e.absent(theirs)
		first := e.rnd.IntN(2) == 0
		ids := []string{theirs, never}
		if first {
			ids[0], ids[1] = ids[1], ids[0]
		}
		var answers [2]string
		var took [2]time.Duration
		for i, id := range ids {
			if answers[i], took[i], err = e.pose(ctx, q, kind, id); err != nil {
				return 0, 0, err
			}
		}
		if answers[0] != answers[1] {
			e.t.miss("%s %s: %.200q and %.200q", q.method, q.path, answers[0], answers[1])
		}
		if first {
			took[0], took[1] = took[1], took[0]
		}
		foreign, absent = append(foreign, took[0].Seconds()*1e6), append(absent, took[1].Seconds()*1e6)
	}
	_, p = rankSum(foreign, absent)
	return p, median(foreign) - median(absent), nil
}

// alike holds that a foreign id and an absent one are refused alike when the same
// is added to both that no id may have.
func (e *eavesdropper) alike(ctx context.Context, q question, kind, odd string) error {
	theirs := e.pick(kind)
	a, _, err := e.pose(ctx, q, kind, theirs+odd)
	if err != nil {
		return err
	}
	b, _, err := e.pose(ctx, q, kind, e.absent(theirs)+odd)
	if a != b {
		e.t.miss("%s %s with %.10s behind the id: %.200q and %.200q", q.method, q.path, odd, a, b)
	}
	return err
}

func (e *eavesdropper) pick(kind string) string {
	return e.theirs[kind][e.rnd.IntN(len(e.theirs[kind]))]
}

// absent is an id of the same shape that does not exist: its last digits and letters
// are others.
func (e *eavesdropper) absent(id string) string {
	out := []byte(id)
	for i := max(0, len(out)-12); i < len(out); i++ {
		switch c := out[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f':
			out[i] = "0123456789abcdef"[e.rnd.IntN(16)]
		case c >= 'g' && c <= 'z':
			out[i] = byte('g' + e.rnd.IntN(20))
		case c >= 'A' && c <= 'Z':
			out[i] = byte('A' + e.rnd.IntN(26))
		}
	}
	return string(out)
}

// pose asks one question, and returns all of the answer but for what is new in each.
func (e *eavesdropper) pose(ctx context.Context, q question, kind, id string) (answer string, took time.Duration, err error) {
	path := strings.ReplaceAll(q.path, "{"+kind+"}", strings.ReplaceAll(id, "/", "%2F"))
	body := strings.ReplaceAll(q.body, "{"+kind+"}", id)
	began := time.Now()
	res, err := begin(ctx, e.s.addr, q.method, path, bearer(e.key), []byte(body))
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	took = time.Since(began)
	res.Header.Del("Date")
	res.Header.Del("X-Request-Id")
	return fmt.Sprintln(res.StatusCode, res.Header, strings.ReplaceAll(string(text), id, "ID")), took, err
}
