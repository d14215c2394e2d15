package curate

import (
	"context"
	"errors"
	"fmt"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// Forgotten is the certificate of an erasure: what was erased, where was searched
// afterwards, and how much was found.
type Forgotten struct {
	About     string `json:"about,omitempty"`
	DryRun    bool   `json:"dry_run"`
	Messages  int    `json:"messages_redacted"`
	Sentences int    `json:"sentences_erased"`
	Facts     int    `json:"facts_erased"`
	Sessions  int    `json:"sessions_deleted"`
	Texts     int    `json:"titles_prompts_summaries_redacted"`
	Jobs      int    `json:"jobs_deleted"`
	// Records are other rows that were deleted or lost a text: stored outcomes of
	// requests, runs with their events, outputs of jobs, deliveries.
	Records int `json:"records_erased"`
	// Unanswered are messages of chats that waited for an answer, and were erased before they got one. They are in
	// Records, too.
	Unanswered int     `json:"unanswered_messages_erased,omitempty"`
	Searched   []Trace `json:"searched"`
	// Left counts the mentions that the search still found; 0 if everything is gone.
	Left int `json:"left"`
	// External is what external memory providers have forgotten of it; nil if none was told.
	External *PassedOn `json:"external_memory,omitempty"`
	// Alike are spellings that the owner's texts still have and that differ from the name in accents only, such as "José"
	// for "Jose". They are no mentions, but a search for the name finds them, and the text index has their words without
	// accents.
	Alike   []string `json:"alike,omitempty"`
	listing          // of a dry run only
}

// add adds the counts of a part.
func (f *Forgotten) add(part *Forgotten) {
	f.Messages += part.Messages
	f.Sentences += part.Sentences
	f.Facts += part.Facts
	f.Sessions += part.Sessions
	f.Texts += part.Texts
	f.listing.add(&part.listing)
}

// maxPasses bounds how often forgetting is repeated because a turn under way has
// mentioned the thing again.
const maxPasses = 3

// Forget erases everything that an owner's memory holds about a thing: the sentences
// that mention it, the facts from them, and all derived data. A session whose id or key
// names the thing is deleted. With dryRun it only counts.
func (c *Curator) Forget(ctx context.Context, o owner.Owner, about string, dryRun bool) (*Forgotten, error) {
	return c.ForgetThing(ctx, o, mention.Of(about), dryRun, mostSamples)
}

// ForgetThing is Forget for a thing of any form. A dry run lists a number of sentences and of sessions; 0 for the usual one.
func (c *Curator) ForgetThing(ctx context.Context, o owner.Owner, thing *mention.Thing, dryRun bool, most int) (*Forgotten, error) {
	if !thing.IsName() {
		const msg = "Name what to forget in two characters or more. One is enough if it is an ideograph, a Korean syllable or an emoji."
		return nil, fault.New(fault.Invalid, "about_too_short", msg).At("about")
	}
	leave, err := c.copying.alone(ctx, o) // a copy under way would restore the erased content
	if err != nil {
		return nil, err
	}
	defer leave()
	out := &Forgotten{About: thing.About(), DryRun: dryRun, Searched: []Trace{}, listing: listed(most)}
	if dryRun {
		if err := c.forgetAll(ctx, o, thing, out); err != nil {
			return nil, err
		}
		return out, c.findAlike(ctx, o, thing, out)
	}
	erased := memory.NewErasure(o, thing, c.now())
	err = c.inLedger(func(l Ledger, done bool) error { return l.Forgot(ctx, o, &erased, done) },
		func() error { return c.forgetThing(ctx, o, thing, &erased, out) })
	if err != nil {
		return nil, err
	}
	return out, c.findAlike(ctx, o, thing, out)
}

// findAlike looks for spellings of a thing that differ in accents only. It erases none: "Muller" may be another person
// than "Müller".
func (c *Curator) findAlike(ctx context.Context, o owner.Owner, thing *mention.Thing, out *Forgotten) error {
	alike := mention.NewAlike(thing)
	if err := c.sweeper.Texts(ctx, o, alike.Look); err != nil {
		return fmt.Errorf("search for other spellings: %w", err)
	}
	out.Alike = alike.Found()
	return nil
}

// forgetThing erases a thing for good, and searches for it afterwards.
func (c *Curator) forgetThing(ctx context.Context, o owner.Owner, thing *mention.Thing, erased *memory.Erasure, out *Forgotten) error {
	if err := c.store.Rewrite(ctx, o, Rewrite{Erased: erased}); err != nil { // first, because an import may be under way
		return fmt.Errorf("keep the erasure: %w", err)
	}
	for range maxPasses {
		err := c.forgetAll(ctx, o, thing, out)
		c.views.DropOwner(o) // also after a failure: erased content must not be cached
		if err == nil {
			err = c.forgetUnderWay(ctx, o, thing, out)
		}
		if err == nil {
			err = errors.Join(c.mirrored(ctx, o), c.passOn(ctx, o, erased.At, out))
		}
		if err == nil {
			err = c.sweeper.SweepOrders(ctx, o, thing) // last: what comes before is done again as long as an order stands
		}
		if err == nil {
			out.Searched, err = c.sweeper.Mentions(ctx, o, thing)
		}
		if err == nil {
			err = c.filesLeft(ctx, o, thing, out)
		}
		if err != nil {
			return err
		}
		if count(out.Searched) == 0 {
			break
		}
	}
	return c.certify(ctx, o, thing, out)
}

// forgetAll makes one pass over all data of an owner.
func (c *Curator) forgetAll(ctx context.Context, o owner.Owner, thing *mention.Thing, out *Forgotten) error {
	err := c.eachLineage(ctx, o, func(tip session.Session) error { return c.forgetIn(ctx, o, tip.RootID, thing, nil, out) })
	if err == nil && !out.DryRun {
		err = c.forgetSlots(ctx, o, thing, out)
	}
	if err != nil {
		return err
	}
	swept, err := c.sweeper.Sweep(ctx, o, thing, out.DryRun)
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	out.Jobs += swept.Jobs
	out.Records += swept.Records
	out.Unanswered += swept.Unanswered
	return c.forgetFiles(ctx, o, thing, out)
}

// forgetUnderWay waits for turns whose prompt may still hold the thing, and erases it
// from their messages. Turns, copies and imports of other processes may have begun lineages that
// no list had: the search afterwards finds what they have stored.
func (c *Curator) forgetUnderWay(ctx context.Context, o owner.Owner, thing *mention.Thing, out *Forgotten) error {
	if err := c.lineages.Settle(ctx, o); err != nil {
		return fmt.Errorf("wait for turns under way: %w", err)
	}
	for _, root := range c.lineages.UnderWay(o) {
		if err := c.forgetIn(ctx, o, root, thing, nil, out); err != nil {
			return err
		}
	}
	return nil
}

// mirrored waits until nothing that was erased is left outside the store: in transcripts in
// files, and in the files that people sent.
func (c *Curator) mirrored(ctx context.Context, o owner.Owner) error {
	if c.files != nil {
		if err := c.files.Tidy(ctx, o); err != nil {
			return fmt.Errorf("erase files: %w", err)
		}
	}
	if c.mirror == nil {
		return nil
	}
	return c.mirror(ctx, o)
}

// certify cleans indexes and logs, and searches the store's files in addition to the
// rows. Only the local owner is told the result for the files: they hold the data of
// all owners, so a count would reveal the data of others.
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

// quickRepack is the size of files, in bytes, that are rewritten after every forgetting:
// it takes well under a second.
const quickRepack = 32 << 20

// traces searches the store's files. A mention that no row has is a copy that a
// deletion left behind: the files are then rewritten and searched again. Small files are
// rewritten in any case, because a copy may have lost the part of the name that the
// search needs.
func (c *Curator) traces(ctx context.Context, thing *mention.Thing) ([]Trace, error) {
	traces, err := c.sweeper.Traces(ctx, thing)
	if err != nil || count(traces) == 0 && sizeOf(traces) > quickRepack {
		return traces, err
	}
	err = c.sweeper.Repack(ctx)
	switch {
	case err != nil && count(traces) == 0: // on a full disk, say: nothing was found that must go
		return traces, nil
	case err != nil:
		return nil, err
	}
	return c.sweeper.Traces(ctx, thing)
}

// sizeOf is the size of the files of a search, in bytes.
func sizeOf(traces []Trace) int64 {
	size := int64(0)
	for i := range traces {
		size += traces[i].Bytes
	}
	return size
}

// count is the number of mentions that a search found.
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
	for i := range all { // the list is read before visiting, because visits may reorder it
		if err := visit(all[i]); err != nil {
			return err
		}
	}
	return nil
}
