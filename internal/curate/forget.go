package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Forgotten is the certificate of an erasure: what went, what was searched
// afterwards, and that nothing is left.
type Forgotten struct {
	About     string `json:"about,omitempty"`
	DryRun    bool   `json:"dry_run"`
	Messages  int    `json:"messages_redacted"`
	Sentences int    `json:"sentences_erased"`
	Facts     int    `json:"facts_erased"`
	Sessions  int    `json:"sessions_deleted"`
	Texts     int    `json:"titles_prompts_summaries_redacted"`
	Jobs      int    `json:"jobs_deleted"`
	// Records are other rows that went or lost a text: kept outcomes of requests,
	// runs with their events, outputs of jobs, deliveries.
	Records  int     `json:"records_erased"`
	Searched []Trace `json:"searched"`
	// Left counts what the search still found: 0 when everything is gone.
	Left int `json:"left"`
}

// add puts the counts of a part to those of the whole.
func (f *Forgotten) add(part *Forgotten) {
	f.Messages += part.Messages
	f.Sentences += part.Sentences
	f.Facts += part.Facts
	f.Sessions += part.Sessions
	f.Texts += part.Texts
}

const (
	// minAbout is the shortest thing that can be forgotten by name: shorter texts
	// are part of too many words.
	minAbout = 3
	// maxPasses bounds how often forgetting begins again because a turn that was
	// under way has said the thing once more.
	maxPasses = 3
)

// Forget erases everything an owner's memory holds about a thing: the sentences
// that mention it, the facts taken from them, whatever was derived. Sessions
// whose id or key names the thing go whole. With dryRun it only counts.
func (c *Curator) Forget(ctx context.Context, o owner.Owner, about string, dryRun bool) (*Forgotten, error) {
	thing := mention.Of(about)
	if thing.Characters() < minAbout {
		return nil, fault.New(fault.Invalid, "about_too_short", "Say what to forget in three characters or more.").At("about")
	}
	leave, err := c.copying.alone(ctx, o) // a copy that is under way would bring back what goes
	if err != nil {
		return nil, err
	}
	defer leave()
	out := &Forgotten{About: thing.About(), DryRun: dryRun, Searched: []Trace{}}
	if dryRun {
		return out, c.forgetAll(ctx, o, thing, out)
	}
	erased := memory.NewErasure(o, thing, c.now())
	if err := c.store.Rewrite(ctx, o, Rewrite{Erased: &erased}); err != nil { // first: an import may be under way
		return nil, fmt.Errorf("keep the erasure: %w", err)
	}
	for range maxPasses {
		err := c.forgetAll(ctx, o, thing, out)
		c.views.DropOwner(o) // also if it broke off half way: what is gone must not be cached
		if err == nil {
			err = c.forgetUnderWay(ctx, o, thing, out)
		}
		if err == nil {
			out.Searched, err = c.sweeper.Mentions(ctx, o, thing)
		}
		if err != nil {
			return nil, err
		}
		if count(out.Searched) == 0 {
			break
		}
	}
	return out, c.certify(ctx, o, thing, out)
}

// forgetAll goes once over everything an owner has.
func (c *Curator) forgetAll(ctx context.Context, o owner.Owner, thing *mention.Thing, out *Forgotten) error {
	err := c.eachLineage(ctx, o, func(tip session.Session) error { return c.forgetIn(ctx, o, tip.RootID, thing, out) })
	if err != nil {
		return err
	}
	swept, err := c.sweeper.Sweep(ctx, o, thing, out.DryRun)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	out.Jobs += swept.Jobs
	out.Records += swept.Records
	return nil
}

// forgetUnderWay waits for the turns that were begun while the thing could still
// be shown to a model, and erases what they have said of it.
func (c *Curator) forgetUnderWay(ctx context.Context, o owner.Owner, thing *mention.Thing, out *Forgotten) error {
	for _, root := range c.lineages.UnderWay(o) {
		if err := c.forgetIn(ctx, o, root, thing, out); err != nil {
			return err
		}
	}
	return nil
}

// certify clears away what lies in indexes and logs, and adds to the rows that were
// searched the store's files. They hold the words of all owners: to anybody but the
// one whose machine it is, a count would tell what others have said.
func (c *Curator) certify(ctx context.Context, o owner.Owner, thing *mention.Thing, out *Forgotten) error {
	if c.erase != nil && o.ID() == owner.LocalID {
		if err := c.erase(thing); err != nil {
			return fmt.Errorf("erase outside the store: %w", err)
		}
	}
	if err := c.sweeper.Clean(ctx); err != nil {
		return fmt.Errorf("clear away what was erased: %w", err)
	}
	if o.ID() == owner.LocalID {
		traces, err := c.traces(ctx, thing)
		if err != nil {
			return fmt.Errorf("search own files: %w", err)
		}
		out.Searched = append(out.Searched, traces...)
	}
	out.Left = count(out.Searched)
	return nil
}

// traces searches the store's own files. What is found although no row has it is a
// copy that deleting left behind: the files are written again, and searched again.
func (c *Curator) traces(ctx context.Context, thing *mention.Thing) ([]Trace, error) {
	traces, err := c.sweeper.Traces(ctx, thing)
	if err != nil || count(traces) == 0 {
		return traces, err
	}
	if err := c.sweeper.Repack(ctx); err != nil {
		return nil, err
	}
	return c.sweeper.Traces(ctx, thing)
}

// count is how often a search has found the thing.
func count(traces []Trace) int {
	n := 0
	for i := range traces {
		n += traces[i].Hits
	}
	return n
}

// eachLineage visits the tip of every lineage of an owner.
func (c *Curator) eachLineage(ctx context.Context, o owner.Owner, visit func(session.Session) error) error {
	f := session.Filter{Limit: 200}
	var all []session.Session
	for {
		page, err := c.sessions.Sessions(ctx, o, f)
		if err != nil {
			return fmt.Errorf("list sessions: %w", err)
		}
		all = append(all, page...)
		if len(page) < f.Limit {
			break
		}
		last := &page[len(page)-1]
		f.Before = session.Cursor{LastActive: last.LastActive, ID: last.RootID}
	}
	for i := range all { // visiting may change the order of the list
		if err := visit(all[i]); err != nil {
			return err
		}
	}
	return nil
}
