package study

import (
	"encoding/json"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// maxFound is how many statements of one reply are looked at.
const maxFound = 64

// errRaving says that a reply cannot be used.
var errRaving = fault.New(fault.Upstream, "unusable_reply", "The model's reply is not what was asked for.")

// statement is one statement of a reply, with the words it cites.
type statement struct {
	Message   int64  `json:"message"`
	Quote     string `json:"quote"`
	Statement string `json:"statement"`
}

// parseReply reads the statements of a reply. Models like to wrap JSON in words
// or in a fence, so the outermost braces count.
func parseReply(text string) ([]statement, error) {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return nil, errRaving
	}
	var reply struct {
		Statements *[]statement `json:"statements"`
	}
	if err := json.Unmarshal([]byte(text[from:to+1]), &reply); err != nil || reply.Statements == nil {
		return nil, errRaving
	}
	list := *reply.Statements
	return list[:min(len(list), maxFound)], nil
}

// found turns a reply's statements into findings in the messages it was shown.
// One that cites no message, or words that are not in it, cites nothing: it is
// kept with an empty range, and so refused and counted.
func found(list []statement, ms []session.Message, by string) []memory.Finding {
	out := make([]memory.Finding, 0, len(list))
	for i := range list {
		st := &list[i]
		f := memory.Finding{Seq: st.Message, Statement: strings.TrimSpace(st.Statement), By: by}
		for k := range ms {
			if ms[k].Seq != st.Message {
				continue
			}
			quote := strings.TrimSpace(st.Quote)
			if at := strings.Index(ms[k].Content, quote); at >= 0 && quote != "" {
				f.Start, f.End = at, at+len(quote)
			}
		}
		out = append(out, f)
	}
	return out
}
