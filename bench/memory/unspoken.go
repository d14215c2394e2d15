package main

import (
	"golang.org/x/sync/errgroup"

	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// unspokenIn counts the facts of a conversation whose texts are not both in their message.
func unspokenIn(documents []ranking.Document) figure {
	state, _ := learn(&transcript{conversation: conversation{documents: documents}})
	var f figure
	for fact := range state.Facts() {
		f.of++
		if !spoken(&fact, documents[fact.Source.Seq].Text) {
			f.sum++
		}
	}
	return f
}

// unspokenOwn counts them in the project's own conversations.
func unspokenOwn() (figure, error) {
	var out figure
	for _, r := range ourRounds() {
		all, err := parse(r.text)
		if err != nil {
			return out, err
		}
		for i := range all {
			documents := all[i].documents
			for k := range documents {
				d := &documents[k]
				d.MessageID, d.Seq, d.Root, d.SessionID = int64(k+1), int64(k), session.ID(all[i].name), session.ID(all[i].name)
				d.SaidAt = start.AddDate(0, 0, k)
			}
			out = out.plus(unspokenIn(documents))
		}
	}
	return out, nil
}

// unspokenGenerated counts them in so many generated conversations of size messages each.
func unspokenGenerated(conversations, size int) figure {
	parts := make([]figure, conversations)
	var g errgroup.Group
	g.SetLimit(2)
	for i := range parts {
		g.Go(func() error {
			parts[i] = unspokenIn(generate(size, uint64(i+1)).documents)
			return nil
		})
	}
	_ = g.Wait() // none fails
	var out figure
	for _, p := range parts {
		out = out.plus(p)
	}
	return out
}
