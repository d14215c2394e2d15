package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/search"
	"github.com/hermes-memory/hermes/internal/secret"
	"github.com/hermes-memory/hermes/internal/session"
)

// Search is the session_search tool. It searches the turn's scope of memory: the
// messages under its session key, or else its lineage.
type Search struct{ Tool *search.Tool }

// Has implements Source.
func (Search) Has(name string) bool { return name == search.ToolName }

// Offer implements Source. A turn about the past has no search, because the index also
// has later messages.
func (Search) Offer(_ context.Context, g *run.Grant) []run.ToolDefinition {
	if !g.Owner.Can(owner.SessionsRead) || !g.AsOf.IsZero() {
		return nil
	}
	return []run.ToolDefinition{{
		Name: search.ToolName, Description: search.ToolDescription, Parameters: json.RawMessage(search.ToolSchema),
		Advice: search.ToolAdvice, Parallel: true,
	}}
}

// Call implements Source.
func (s Search) Call(ctx context.Context, g *run.Grant, c run.ToolRequest) run.ToolResult {
	if !g.Owner.Can(owner.SessionsRead) {
		return refuse("this key may not read sessions")
	}
	if !g.AsOf.IsZero() {
		return refuse("a turn of the past has no search")
	}
	var in search.Arguments
	if err := arguments(c.Arguments, &in); err != nil {
		return failed(err)
	}
	scope := search.Scope{Root: g.Root}
	if g.Key != "" {
		scope = search.Scope{Key: g.Key}
	}
	found, err := s.Tool.Run(ctx, g.Owner, scope, g.Asked, in.Query, in.Limit)
	if err != nil {
		return failed(err)
	}
	fit(&found, c.Room)
	text, err := json.Marshal(found)
	if err != nil {
		return failed(err)
	}
	note := memory.EchoNote
	if len(found.Sessions) > 0 {
		note = memory.FoundNote
	}
	return run.ToolResult{Text: secret.Mask(string(text)), Note: note}
}

// fit shortens the results to the available room, around the matches, so that every
// session keeps a part.
func fit(found *search.Result, room int) {
	text, err := json.Marshal(found)
	if err != nil || room <= 0 || len(text) <= room || len(found.Sessions) == 0 {
		return
	}
	summaries := 0
	for i := range found.Sessions {
		summaries += len(found.Sessions[i].Summary)
	}
	// JSON escapes make the text longer: a fifth is reserved for that.
	share := max(0, room-(len(text)-summaries)) * 4 / 5 / len(found.Sessions)
	for i := range found.Sessions {
		s := &found.Sessions[i]
		s.Summary = around(s.Summary, s.Matches, share)
	}
}

// around is a part of at most n bytes of a text, with the first match in its middle if
// the text has it.
func around(text string, matches []search.MatchResult, n int) string {
	if len(text) <= n {
		return text
	}
	middle := len(text) / 2
	for i := range matches {
		longest := ""
		for part := range strings.SplitSeq(matches[i].Snippet, "…") {
			if part = strings.TrimSpace(part); len(part) > len(longest) {
				longest = part
			}
		}
		if at := strings.Index(text, longest); longest != "" && at >= 0 {
			middle = at + len(longest)/2
			break
		}
	}
	from := max(0, min(middle-n/2, len(text)-n))
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return "…" + firstBytes(text[from:], n) + "…"
}

// Summaries summarizes search results with a model.
type Summaries struct {
	Model run.Model
	Name  string // of the model
}

var _ search.Summarizer = Summaries{}

// Summarize implements search.Summarizer.
func (s Summaries) Summarize(ctx context.Context, query, transcript string) (string, error) {
	pieces, err := s.Model.Stream(ctx, &run.Prompt{
		Model: s.Name,
		Messages: []session.Message{
			{Role: session.System, Content: search.SummaryPrompt},
			{Role: session.User, Content: fmt.Sprintf("Looked for: %s\n\nThe conversation:\n%s", query, transcript)},
		},
	})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for d, err := range pieces {
		if err != nil {
			return "", err
		}
		out.WriteString(d.Content)
	}
	if out.Len() == 0 {
		return "", fault.New(fault.Upstream, "", "The model gave no summary.")
	}
	return out.String(), nil
}
