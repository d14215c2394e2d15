package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// leaseAndRetry is how long a turn may take that meets a kill: the lease of the dead server,
// and the attempts of the client.
const leaseAndRetry = 20 * time.Second

// attemptPatience is how long a client waits for one answer: shorter than a server is frozen. A
// client that leaves in the middle of an answer leaves a part of it in the transcript.
const attemptPatience = 20 * time.Second

// forever is when an operation ends whose outcome nobody was told.
const forever = 1 << 62

// turn takes a turn in a lineage. Without an answer, the client asks another server for the
// same turn, until one acknowledges it.
func (b *book) turn(ctx context.Context, pick func() string, lineage, client, n int) {
	r := b.lineages[lineage]
	name := fmt.Sprintf("%d.%d", client, n)
	in, out := entry{kind: ask, name: "t" + name}, seen{}
	header := map[string]string{"Idempotency-Key": r.name + "/" + name}
	call := b.now()
	began := time.Now()
	for ; time.Since(began) < mostPatience; in.retried = true {
		attempt, cancel := context.WithTimeout(ctx, attemptPatience)
		status, answer, whole, err := chat(attempt, pick(), r.name, in.name+" "+filler, n%2 == 0, header)
		cancel()
		if err == nil && status == http.StatusOK && whole {
			_, rest, _ := strings.Cut(answer, " after ")
			out.after, _, _ = strings.Cut(rest, " ")
			out.known = true
			break
		}
		if err == nil && !passing(status) {
			b.refuse(fmt.Sprintf("%d %.200s", status, answer))
		}
		b.cut.Add(1)
		pause(ctx, 50*time.Millisecond)
	}
	b.note(r, client, call, in, out)
	b.lasted(time.Since(began))
}

// passing reports whether a status says that the same request may succeed later. A stream that
// broke has the status 200, and a turn that is under way on another server is a conflict.
func passing(status int) bool {
	return status == http.StatusOK || status == http.StatusServiceUnavailable || status == http.StatusConflict
}

func (b *book) refuse(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refused = append(b.refused, what)
}

// lasted notes how long a client tried to get a turn acknowledged.
func (b *book) lasted(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.longest = max(b.longest, d)
}

// note keeps a turn as two operations: its input is stored, and its answer.
func (b *book) note(r *register, client int, call int64, in entry, out seen) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ended := int64(forever)
	if out.known {
		b.clock++
		ended = b.clock
		b.acked = append(b.acked, time.Now())
	}
	r.ops = append(r.ops, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: ended})
	in.kind = answer
	r.ops = append(r.ops, porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: ended})
}

// read reads a lineage on a server.
func (b *book) read(ctx context.Context, addr string, client int) {
	r := b.lineages[rand.IntN(nodeLineages)]
	call := b.now()
	status, body, err := send(ctx, addr, "GET", "/api/sessions/"+r.name+"/messages?limit=1000", nil, nil)
	var got listed
	if err != nil || status != http.StatusOK || json.Unmarshal(body, &got) != nil {
		return // it is away, or nothing was said yet
	}
	ended := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	r.ops = append(r.ops, porcupine.Operation{
		ClientId: client, Input: entry{kind: look}, Call: call, Output: seen{known: true, log: nodeLog(&got)}, Return: ended,
	})
}

// settle reads where each message stands in the end. What was never acknowledged may be absent.
func (b *book) settle(ctx context.Context, addr string, t *tally) error {
	turns, lost, doubled, cut := 0, 0, 0, 0
	for _, r := range b.lineages {
		if len(r.ops) == 0 {
			continue
		}
		at, parts, again, err := r.places(ctx, addr, t)
		if err != nil {
			return err
		}
		said, missing := r.place(at)
		r.addParts(parts)
		turns, lost, doubled, cut = turns+said, lost+missing, doubled+again, cut+len(parts)
	}
	t.done = fmt.Sprintf("%d turns of %d clients in %d lineages, %d requests cut off, %d parts of answers", turns, nodeClients, nodeLineages, b.cut.Load(), cut)
	t.figure = fmt.Sprintf("%d lost, %d doubled", lost, doubled)
	if lost+doubled > 0 {
		t.miss("%d lost, %d doubled", lost, doubled)
	}
	return nil
}

// cutOff is a part of an answer, and where it stands.
type cutOff struct {
	name  string // of the input
	place int
}

// isPart reports whether a message is a part of an answer that was cut off.
func isPart(finishReason string) bool { return finishReason == "cancelled" || finishReason == "error" }

// partOf is the name that a part of an answer has in a log.
func partOf(content string) string { return "p" + strings.TrimPrefix(nameOf(content), "n") }

// nodeLog is a list in the form of a register's log.
func nodeLog(l *listed) string {
	var out strings.Builder
	for _, m := range l.Data {
		name := nameOf(m.Content)
		if isPart(m.FinishReason) {
			name = partOf(m.Content)
		}
		fmt.Fprintf(&out, " %d:%s", m.Seq, name)
	}
	return out.String()
}

// places reads where the messages of a lineage stand, and counts those that stand twice. A turn
// leaves as many parts of its answer as there were attempts.
func (r *register) places(ctx context.Context, addr string, t *tally) (at map[string]int, parts []cutOff, doubled int, err error) {
	var all listed
	if err := get(ctx, addr, "/api/sessions/"+r.name+"/messages?limit=1000", &all); err != nil {
		return nil, nil, 0, err
	}
	at = make(map[string]int)
	for i, m := range all.Data {
		if isPart(m.FinishReason) && m.Seq == i {
			parts = append(parts, cutOff{partOf(m.Content), m.Seq})
			continue
		}
		name := nameOf(m.Content)
		if before, twice := at[name]; twice || m.Seq != i {
			doubled++
			t.miss("%s: message %d is at %d: %q, which was at %d before", r.name, i, m.Seq, m.Content, before)
		}
		at[name] = m.Seq
	}
	return at, parts, doubled, nil
}

// addParts adds an operation for each part of an answer. It is stored after its turn began, and
// before another attempt was acknowledged.
func (r *register) addParts(parts []cutOff) {
	for _, p := range parts {
		op := porcupine.Operation{Input: entry{kind: part, name: p.name}, Output: seen{place: p.place}, Return: forever}
		for _, o := range r.ops {
			if in, ok := o.Input.(entry); ok && in.kind == ask && in.name[1:] == p.name[1:] {
				op.ClientId, op.Call, op.Return = o.ClientId, o.Call, o.Return
			}
		}
		r.ops = append(r.ops, op)
	}
}

// place adds to each operation where its message stands, and drops those that nobody was told
// of and that left nothing.
func (r *register) place(at map[string]int) (turns, lost int) {
	var kept []porcupine.Operation
	for _, o := range r.ops {
		in, _ := o.Input.(entry)
		out, _ := o.Output.(seen)
		there := true
		switch in.kind {
		case ask:
			turns++
			out.place, there = placeIn(at, in.name)
			_, in.answered = at["n"+in.name[1:]]
		case answer:
			out.place, there = placeIn(at, "n"+in.name[1:])
		}
		if !there && out.known {
			lost++
		}
		if there {
			o.Input, o.Output = in, out
			kept = append(kept, o)
		}
	}
	r.ops = kept
	return turns, lost
}

func placeIn(at map[string]int, name string) (int, bool) {
	place, there := at[name]
	return place, there
}

// check has the model checker look at each lineage.
func (b *book) check(t *tally) {
	bad, reads := 0, 0
	for _, r := range b.lineages {
		if got := porcupine.CheckOperationsTimeout(registers, r.ops, checkerTakes); got != porcupine.Ok {
			bad++
			t.miss("lineage %s of %d operations: %s", r.name, len(r.ops), got)
		}
		for _, o := range r.ops {
			if in, ok := o.Input.(entry); ok && in.kind == look {
				reads++
			}
		}
	}
	for _, what := range b.refused {
		t.miss("refused: %s", what)
	}
	t.done += fmt.Sprintf(", %d reads", reads)
	t.figure += fmt.Sprintf(", %d of %d histories linearizable", nodeLineages-bad, nodeLineages)
	t.figure += fmt.Sprintf("; the longest turn took %.1f s", b.longest.Seconds())
	if soonest := b.slowest(t); len(b.awaited) > 0 {
		t.figure += fmt.Sprintf(", and turns went on after at most %.1f s", soonest.Seconds())
		if b.longest > leaseAndRetry {
			t.miss("a turn took %s", b.longest.Round(time.Millisecond))
		}
	}
}
