package study

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/session"
)

// maxExtracts bounds the statements read from one reply.
const maxExtracts = 64

// errRaving says that a reply cannot be used.
var errRaving = fault.New(fault.Upstream, "unusable_reply", "The model's reply does not have the requested form.")

// statement is one statement of a reply, with the words it cites.
type statement struct {
	Message   int64  `json:"message"`
	Quote     string `json:"quote"`
	Statement string `json:"statement"`
}

// parseReply reads the statements of a reply. Models often wrap JSON in prose or in a
// code fence, so the outermost braces count.
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
	return list[:min(len(list), maxExtracts)], nil
}

// extracts turns a reply's statements into extracts of the messages it was shown. A
// statement that cites no message, or words that are not in it, gets an empty range, so
// that it is refused and counted.
func extracts(list []statement, ms []session.Message) []memory.Extract {
	out := make([]memory.Extract, 0, len(list))
	for i := range list {
		st := &list[i]
		e := memory.Extract{Seq: st.Message, Statement: strings.TrimSpace(st.Statement)}
		for k := range ms {
			if ms[k].Seq != st.Message {
				continue
			}
			e.Start, e.End = locate(ms[k].Content, st.Quote)
		}
		out = append(out, e)
	}
	return out
}

// locate finds a quotation in a message; 0, 0 if it is not there. Messages are shown on
// one line, so a space in the quotation may be a line break in the message.
func locate(text, quote string) (start, end int) {
	words := strings.Fields(quote)
	if len(words) == 0 || len(quote) > maxQuote {
		return 0, 0
	}
	if at := strings.Index(text, strings.TrimSpace(quote)); at >= 0 {
		return at, at + len(strings.TrimSpace(quote))
	}
	for i := range words {
		words[i] = regexp.QuoteMeta(words[i])
	}
	broken, err := regexp.Compile(strings.Join(words, `[\s\x{85}\x{2028}\x{2029}]+`))
	if err != nil {
		return 0, 0
	}
	if at := broken.FindStringIndex(text); at != nil {
		return at[0], at[1]
	}
	return 0, 0
}

// maxQuote bounds a quotation, in bytes.
const maxQuote = 4 << 10
