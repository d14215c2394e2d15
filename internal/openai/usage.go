package openai

import (
	"errors"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/bound"
)

// Usage is the cost of a call, in tokens.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
	// CachedTokens are the prompt tokens that the upstream read from its cache.
	// ReasoningTokens are the answer tokens that were not shown.
	CachedTokens    int `json:"-"`
	ReasoningTokens int `json:"-"`
}

// ParseUsage reads a usage object. believed is false if the object is unusable: it
// counts neither the prompt nor the completion, or one of its numbers cannot be meant,
// such as a negative one. One such number makes the whole object unusable, because the
// others come from the same count. A bad report is no reason to lose an answer: this
// program then counts the tokens itself.
func ParseUsage(raw []byte) (u Usage, believed bool) {
	r := usageReader{scanner: scanner{text: raw}}
	r.counts("", map[string]*int{
		"prompt_tokens": &u.PromptTokens, "completion_tokens": &u.CompletionTokens, "total_tokens": &u.TotalTokens,
		"prompt_tokens_details.cached_tokens": &u.CachedTokens, "completion_tokens_details.reasoning_tokens": &u.ReasoningTokens,
	})
	if r.broken || r.bad || !r.counted {
		return Usage{}, false
	}
	return u, true
}

// usageReader reads a usage object and checks every number in it.
type usageReader struct {
	scanner
	// counted says that the prompt or the completion was counted; broken, that a member
	// cannot be meant.
	counted, broken bool
}

// counts reads the members of an object, which are named after the path to the object.
// A member that ends in "tokens" is a number of tokens; one that ends in "details" is
// an object. Servers add others, such as a price or a duration.
func (r *usageReader) counts(path string, into map[string]*int) {
	r.object(func(key []byte) {
		name := path + string(key)
		c := r.peek()
		switch {
		case c == 'n':
			r.skip()
		case strings.HasSuffix(name, "tokens"):
			r.tokens(name, into[name])
		case c == '{':
			r.counts(name+".", into)
		case strings.HasSuffix(name, "details"):
			r.broken = true
			r.skip()
		default:
			r.other()
		}
	})
}

// tokens reads a number of tokens.
func (r *usageReader) tokens(name string, into *int) {
	n, ok := bound.Tokens(r.raw())
	r.broken = r.broken || !ok
	r.counted = r.counted || name == "prompt_tokens" || name == "completion_tokens"
	if into != nil {
		*into = int(n)
	}
}

// other reads a value that is no number of tokens. A number must be one that a parser
// can hold, and not below zero.
func (r *usageReader) other() {
	raw := r.raw()
	if _, err := strconv.ParseFloat(string(raw), 64); err != nil {
		r.broken = r.broken || errors.Is(err, strconv.ErrRange)
		return
	}
	r.broken = r.broken || raw[0] == '-'
}
