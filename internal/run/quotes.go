package run

import (
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// recollection is what a turn quotes of older messages, a line each.
type recollection struct {
	text   string
	places []memory.Place
	tokens int
	// outside says that a quote is text of another program, or may come of it.
	outside bool
}

// recall returns what looks for the messages out of sight that answer the question
// and quotes them, or nil if there is none or no room to quote it. It finds what
// memory knows now and uses nothing that the turn changes, which learns its input
// meanwhile.
func (t *laidOut) recall(question string, room int) func() recollection {
	switch {
	case question == "" || room < minQuotes:
		return nil
	case t.sightFrom == 0 && t.req.Key == "":
		return nil // everything there is to quote is in sight
	case t.input.asked[0].Role == session.Tool:
		return nil // nothing may stand between a call and its results
	}
	view := t.view // the turn may come to another one while it learns
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
	var r recollection
	text := make([]byte, 0, 4<<10)
	for i := range hits {
		h := &hits[i]
		if r.tokens+quoteTokens+min(h.Words, maxWords) > room {
			continue // a word costs a token or more
		}
		q, ok := view.Quoted(h.MessageID, t.count, t.exact)
		if !ok || r.tokens+q.Tokens > room {
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
	// minQuotes is the least room, in tokens, in which a quote makes sense.
	minQuotes = 64
	// maxWords is what a quote that was cut has at least, in words.
	maxWords = 120
	// quoteTokens is the least cost of a quote in addition to its words: the mark, the
	// speaker and the day.
	quoteTokens = 8
)
