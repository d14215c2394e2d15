package httpapi

import (
	"encoding/json"
	"strings"

	"github.com/hermes-memory/hermes/internal/live"
	"github.com/hermes-memory/hermes/internal/markdown"
)

// maxOpenNodes is the longest text of an open region that is sent as nodes, in bytes: each
// time, all nodes of the region are sent again. A longer one is sent as text until it ends.
const maxOpenNodes = 16 << 10

// nodePiece are the data of a message.delta for a reader of nodes.
type nodePiece struct {
	Blocks    []regionJSON    `json:"blocks,omitempty"`
	Reasoning string          `json:"reasoning,omitempty"`
	ToolCalls []live.CallPart `json:"tool_calls,omitempty"`
}

// regionJSON is what is new of a region of the answer: all its nodes, or its text as long as
// that is open and long, or what was appended to that text.
type regionJSON struct {
	Block  int              `json:"block"`
	Nodes  []markdown.Block `json:"nodes,omitempty"`
	Text   string           `json:"text,omitempty"`
	Append string           `json:"append,omitempty"`
}

// nodeFeed turns the pieces of an answer into nodes.
type nodeFeed struct {
	text     markdown.Growing
	complete []markdown.Region // and not told yet
	// told is the length of the open region when it was told; asText says that it was told
	// as text.
	told   int
	number int // of the region that told is about
	asText bool
	calls  []live.CallPart // not told yet, as is think
	think  strings.Builder
}

// add takes a piece.
func (f *nodeFeed) add(p *live.Piece) {
	f.complete = append(f.complete, f.text.Add(p.Content)...)
	f.think.WriteString(p.Reasoning)
	f.calls = append(f.calls, p.ToolCalls...)
}

// skip takes everything so far for told.
func (f *nodeFeed) skip() {
	open := f.text.Open()
	f.complete, f.calls, f.number, f.told = nil, nil, open.Number, len(open.Text)
	f.think.Reset()
	f.asText = false // the reader may have lost the text: a long one is told from its beginning
}

// take returns what is new since the last time, and whether there is anything.
func (f *nodeFeed) take() (nodePiece, bool) {
	out := nodePiece{Reasoning: f.think.String(), ToolCalls: f.calls}
	f.think.Reset()
	f.calls = nil
	for i := range f.complete {
		r := &f.complete[i]
		if blocks := r.Blocks(); len(blocks) > 0 {
			out.Blocks = append(out.Blocks, regionJSON{Block: r.Number, Nodes: blocks})
		}
	}
	f.complete = nil
	open := f.text.Open()
	if open.Number != f.number {
		f.number, f.told, f.asText = open.Number, 0, false
	}
	if len(open.Text) > f.told {
		out.Blocks = append(out.Blocks, f.grow(&open)...)
		f.told = len(open.Text)
	}
	return out, len(out.Blocks)+len(out.Reasoning)+len(out.ToolCalls) > 0
}

// grow is what is new of the open region.
func (f *nodeFeed) grow(open *markdown.Region) []regionJSON {
	switch {
	case f.asText:
		return []regionJSON{{Block: open.Number, Append: markdown.Clean(open.Text[f.told:])}}
	case len(open.Text) > maxOpenNodes:
		f.asText = true
		return []regionJSON{{Block: open.Number, Text: markdown.Clean(open.Text)}}
	}
	blocks := open.Blocks()
	if len(blocks) == 0 {
		return nil
	}
	return []regionJSON{{Block: open.Number, Nodes: blocks}}
}

// end takes the open region for complete, and reports whether its text becomes nodes by that.
func (f *nodeFeed) end() bool {
	open := f.text.Open()
	if !f.asText || open.Number != f.number {
		return false
	}
	f.complete = append(f.complete, open)
	f.told = len(open.Text)
	return true
}

// maxEndNodes is the longest output that the last event of a run has as nodes, in bytes.
const maxEndNodes = 256 << 10

// nodesAtEnd adds the nodes of the whole output to the last event of a run.
func nodesAtEnd(data []byte, rec *live.Run) []byte {
	text := rec.Output()
	if text == "" || len(text) > maxEndNodes {
		return data
	}
	nodes, err := json.Marshal(markdown.Parse(text))
	if err != nil {
		return data
	}
	return append(append(append(data[:len(data)-1:len(data)-1], `,"nodes":`...), nodes...), '}')
}
