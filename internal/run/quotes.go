package run

import (
	"slices"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// recollection are the quotes of older messages in a prompt, one per line.
type recollection struct {
	text   string
	places []memory.Place
	tokens int
	// outside says that a quote is, or may repeat, text of another program.
	outside bool
	// external is what the external memory added to the text; nil for nothing.
	external *lineage.External
}

// recall returns a function that searches older messages for answers to the question
// and quotes them; nil if no message can be quoted or there is no room. The function
// searches memory as it is now, without the input. It runs while the turn learns its
// input, so it uses nothing that the turn changes.
func (t *laidOut) recall(question string, room int) func() recollection {
	switch {
	case question == "" || room < minQuotes:
		return nil
	case t.sightFrom == 0 && t.req.Key == "":
		return nil // all messages are sent verbatim
	case t.input.asked[0].Role == session.Tool:
		return nil // no message may come between a call and its results
	}
	view := t.view // learning may replace t.view
	horizon := view.Horizon()
	asked := ranking.Query{
		Text: question, At: t.now, Limit: maxHits, Vector: t.runner.questions.Meaning(t.ctx, view, question),
		Skip: t.sight(),
	}
	return func() recollection { return t.quotes(view, view.SearchTo(horizon, asked), room) }
}

// quotes renders older messages as quoted data.
func (t *laidOut) quotes(view *memory.View, hits []ranking.Hit, room int) recollection {
	if len(hits) == 0 {
		return recollection{}
	}
	hits = slices.DeleteFunc(hits, func(h ranking.Hit) bool {
		return quoteTokens+min(h.Words, maxWords) > room // a word costs at least one token
	})
	ids := make([]int64, len(hits))
	for i := range hits {
		ids[i] = hits[i].MessageID
	}
	quotes := view.Quotes(ids, t.count, t.exact)
	var r recollection
	text := make([]byte, 0, 4<<10)
	for i := range quotes {
		h, q := &hits[i], &quotes[i]
		if q.Line == nil || r.tokens+q.Tokens > room {
			continue
		}
		r.tokens += q.Tokens
		text = append(text, q.Line...)
		r.outside = r.outside || q.Outside
		r.places = append(r.places, memory.Place{Root: h.Root, Seq: h.Seq})
	}
	if len(r.places) == 0 {
		return recollection{}
	}
	r.text = string(text)
	return r
}

const (
	// minQuotes is the minimum room for quotes, in tokens.
	minQuotes = 64
	// maxWords is the minimum length of a quote that was cut, in words.
	maxWords = 120
	// quoteTokens is the minimum cost of a quote besides its words: the mark, the
	// speaker and the day.
	quoteTokens = 8
)
