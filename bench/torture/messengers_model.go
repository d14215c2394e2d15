package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// animal is a word of everything that people and the model say on the platforms.
const animal = "quokka"

// sayID askedFor the model for an answer. Its number names the answer.
func sayID(id string) string { return "say " + id + " to the " + animal }

// next is the id of the next question of a chat, such as tg03n00017.
func (t *dialogue) next() string {
	t.said++
	return fmt.Sprintf("%sn%05d", t.name, t.said)
}

// style is how an answer is written: its length in pieces, the time between them, and a rest
// after the first one.
type style struct {
	pieces        int
	between, rest time.Duration
}

// narrator is a model that answers what people ask on the platforms.
type narrator struct {
	*httptest.Server
	style func(id string) style

	mu          sync.Mutex
	asked       map[string]int       // how often each question was asked
	first, last map[string]time.Time // when the first piece of an answer was sent, and the last one
}

// newNarrator begins a model.
func newNarrator(s func(id string) style) *narrator {
	n := &narrator{style: s, asked: map[string]int{}, first: map[string]time.Time{}, last: map[string]time.Time{}}
	n.Server = httptest.NewServer(http.HandlerFunc(n.answer))
	return n
}

// askedFor matches a question in a message, which may begin with its speaker.
var askedFor = regexp.MustCompile(`^(?:\[[^\]]*\] )?say ([a-z]{2}\d{2}n\d{5}) `)

// askedIn are the ids of the questions behind the newest answer of a prompt.
func askedIn(body []byte) []string {
	var in struct {
		Messages []struct{ Role, Content string }
	}
	if json.Unmarshal(body, &in) != nil {
		return nil
	}
	var ids []string
	for i := len(in.Messages) - 1; i >= 0 && in.Messages[i].Role != "assistant"; i-- {
		for line := range strings.Lines(in.Messages[i].Content) {
			if found := askedFor.FindStringSubmatch(line); in.Messages[i].Role == "user" && found != nil {
				ids = append([]string{found[1]}, ids...)
			}
		}
	}
	return ids
}

// answer answers one prompt.
func (n *narrator) answer(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost { // the list of models
		http.NotFound(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	ids := askedIn(body)
	if err != nil || len(ids) == 0 {
		http.Error(w, `{"error":{"message":"no question"}}`, http.StatusBadRequest)
		return
	}
	n.begin(ids)
	w.Header().Set("Content-Type", "text/event-stream")
	s := n.style(ids[0])
	list := answerOf(ids, s.pieces)
	for i, text := range list {
		raw, _ := json.Marshal(text) // a string: cannot fail
		fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%s},\"finish_reason\":null}]}\n\n", raw)
		_ = http.NewResponseController(w).Flush() // the server may be dead
		if i == len(list)-1 {
			n.end(ids)
			break
		}
		if i == 0 {
			pause(r.Context(), s.rest)
		}
		pause(r.Context(), s.between)
	}
	fmt.Fprint(w, ending)
}

// begin notes that questions were asked.
func (n *narrator) begin(ids []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range ids {
		if n.asked[id]++; n.asked[id] == 1 {
			n.first[id] = time.Now()
		}
	}
}

// end notes that an answer was given.
func (n *narrator) end(ids []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, id := range ids {
		n.last[id] = time.Now()
	}
}

// times are when the first and the last piece of an answer was sent.
func (n *narrator) times(id string) (first, last time.Time, asked int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.first[id], n.last[id], n.asked[id]
}

// answerOf are the pieces of an answer. Each of its questions has a beginning and an end.
func answerOf(ids []string, pieces int) []string {
	var begin, end []string
	for _, id := range ids {
		begin, end = append(begin, "begin"+id), append(end, "end"+id)
	}
	out := []string{strings.Join(begin, " ") + " "}
	for i := range pieces {
		text := fmt.Sprintf("the %s **eats** leaf %d. ", animal, i)
		if i%8 == 7 {
			text += "\n\n"
		}
		out = append(out, text)
	}
	return append(out, strings.Join(end, " "))
}

// marks finds the beginnings and ends of answers in what people see.
var marks = regexp.MustCompile(`(begin|end)([a-z]{2}\d{2}n\d{5})`)

// seenAnswer is what people saw of an answer.
type seenAnswer struct {
	begins, ends int
	places       map[string]bool
	at           time.Time // of the message in which it begins
	over         time.Time // the newest change of the one in which it ends
}

// whole reports whether an answer was shown, from its beginning to its end, once.
func (h *seenAnswer) whole() bool {
	return h != nil && h.begins == 1 && h.ends == 1 && len(h.places) == 1
}

// complete reports whether all of an answer can be seen.
func (h *seenAnswer) complete() bool { return h != nil && h.begins > 0 && h.ends > 0 }

// hear are the answers that can be seen, by their ids.
func (m *messengers) hear() map[string]*seenAnswer {
	out := map[string]*seenAnswer{}
	for _, sent := range m.shown() {
		for _, found := range marks.FindAllStringSubmatch(sent.Text, -1) {
			h := out[found[2]]
			if h == nil {
				h = &seenAnswer{places: map[string]bool{}}
				out[found[2]] = h
			}
			h.see(found[1] == "begin", &sent)
		}
	}
	return out
}

// see notes a mark of an answer.
func (h *seenAnswer) see(begin bool, sent *gatewaytest.Sent) {
	h.places[string(sent.Place.Platform)+" "+sent.Place.Chat] = true
	if !begin {
		h.ends++
		h.over = sent.Changed
		return
	}
	h.begins++
	if h.at.IsZero() {
		h.at = sent.At
	}
}

// settle waits until all answers to some questions can be seen. patience is how long the next one
// may take: WhatsApp takes a message in six seconds of a chat, and many may be left to send.
func (m *messengers) settle(ctx context.Context, ids []string, patience time.Duration) (open []string) {
	left := len(ids)
	for end := time.Now().Add(patience); ; pause(ctx, time.Second) {
		seen := m.hear()
		open = open[:0]
		for _, id := range ids {
			if !seen[id].complete() {
				open = append(open, id)
			}
		}
		if len(open) < left {
			left, end = len(open), time.Now().Add(patience)
		}
		if len(open) == 0 || time.Now().After(end) || ctx.Err() != nil {
			return open
		}
	}
}
