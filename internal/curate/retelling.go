package curate

import (
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// retelling applies the findings of models to a view, each at the position in the order
// at which it was accepted.
type retelling struct {
	view     *memory.View
	findings []memory.Finding
	cited    map[memory.Place]ranking.Document // the current text of their messages
}

// retell reads the findings in a scope, except those that mention about.
func (c *Curator) retell(
	ctx context.Context, o owner.Owner, scope memory.Scope, view *memory.View, about *mention.Thing,
) (*retelling, error) {
	all, err := c.quotes.Findings(ctx, o, scope)
	if err != nil {
		return nil, fmt.Errorf("read findings: %w", err)
	}
	p := &retelling{view: view, cited: make(map[memory.Place]ranking.Document, len(all))}
	for i := range all {
		if about != nil && about.In(all[i].Statement) {
			continue
		}
		p.findings = append(p.findings, all[i])
		p.cited[memory.Place{Root: all[i].Root, Seq: all[i].Seq}] = ranking.Document{}
	}
	return p, nil
}

// before is called with each message before the view learns it.
func (p *retelling) before(d ranking.Document) {
	for len(p.findings) > 0 && p.findings[0].After < d.MessageID {
		p.next()
	}
	place := memory.Place{Root: d.Root, Seq: d.Seq}
	if _, wanted := p.cited[place]; wanted {
		p.cited[place] = d
	}
}

// rest is called after the last message.
func (p *retelling) rest() {
	for len(p.findings) > 0 {
		p.next()
	}
}

// next applies one finding. A finding whose message no longer says it is dropped.
func (p *retelling) next() {
	f := p.findings[0]
	p.findings = p.findings[1:]
	p.view.Accept(p.cited[memory.Place{Root: f.Root, Seq: f.Seq}], f)
}

// scopesMentioning are the scopes with a finding in a lineage whose statement mentions
// a thing.
func (c *Curator) scopesMentioning(
	ctx context.Context, o owner.Owner, root session.ID, about *mention.Thing,
) (map[memory.Scope]bool, error) {
	out := make(map[memory.Scope]bool)
	found, err := c.quotes.Findings(ctx, o, memory.Scope{Root: root, Whole: true})
	if err != nil {
		return nil, fmt.Errorf("read findings: %w", err)
	}
	for i := range found {
		if !about.In(found[i].Statement) {
			continue
		}
		ms, err := c.sessions.Messages(ctx, o, root, session.Range{From: found[i].Seq, To: found[i].Seq + 1})
		if err != nil {
			return nil, fmt.Errorf("read cited message: %w", err)
		}
		if len(ms) == 1 {
			out[scopeOf(&ms[0])] = true
		}
	}
	return out, nil
}
