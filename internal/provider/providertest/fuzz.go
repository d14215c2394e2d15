package providertest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/run"
)

// Answers is what a server says if it gives one answer to every request, read a second time
// without the provider's types. Numbers are json.Number.
type Answers struct {
	// Good are answers with the form that a recall wants, the first not empty.
	Good []string
	// Text is the text that a recall finds in an answer; false if the answer is misshapen.
	Text func(answer any) (text string, ok bool)
	// Gone reports whether an answer says that nothing is left of the place.
	Gone func(answer any) bool
}

// Fuzz lets a server answer anything at all. No answer may make the provider panic, and
// nothing is recalled or confirmed that the answer does not say.
func Fuzz(f *testing.F, open func(url string) (run.Provider, error), a *Answers) {
	f.Helper()
	var body atomic.Pointer[string]
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, *body.Load())
	}))
	f.Cleanup(srv.Close)
	p, err := open(srv.URL)
	if err != nil {
		f.Fatal(err)
	}
	for _, good := range a.Good {
		body.Store(&good)
		if _, err := p.Recall(f.Context(), Place("a"), "What?", 100); err != nil {
			f.Errorf("%.200s: %v", good, err)
		}
	}
	for _, seed := range seeds(a.Good) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		body.Store(&answer)
		a.check(t, p, answer)
	})
}

// check gives one answer to every request.
func (a *Answers) check(t *testing.T, p run.Provider, answer string) {
	t.Helper()
	read, valid := anything(answer)
	text, err := p.Recall(t.Context(), Place("a"), "What?", 100)
	if err == nil {
		want, ok := "", false
		if valid && len(answer) <= provider.MaxRecall {
			want, ok = a.Text(read)
		}
		if !ok || text != want {
			t.Errorf("recalled %.200q, want %.200q, %v", text, want, ok)
		}
	}
	_ = p.Told(t.Context(), Place("a"), Said(1, "one", "two"))
	for _, ids := range [][]int64{nil, {1, 2}} {
		got, err := p.Forget(t.Context(), Place("a"), ids)
		if err == nil && got.Left == "" && !(valid && a.Gone(read)) {
			t.Errorf("forgotten: %+v", got)
		}
	}
}

// anything reads an answer without types.
func anything(answer string) (read any, valid bool) {
	decoder := json.NewDecoder(strings.NewReader(answer))
	decoder.UseNumber()
	err := decoder.Decode(&read)
	return read, err == nil && jsontext.Value(answer).IsValid()
}

// seeds are good answers, and what goes wrong with them.
func seeds(good []string) []string {
	out := []string{
		"", "null", "7", `"text"`, "[]", "{}", "[null]", "{", "\x00\xff", "<html>hello</html>", "1e999999", "-0", strings.Repeat("9", 400),
		strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000), " null ", "{}{}", "[] 1",
	}
	for _, text := range good {
		out = append(out, text, text[:len(text)/2], text+text, "["+text+"]", text+strings.Repeat(" ", provider.MaxRecall), strings.ToUpper(text))
		for _, value := range []string{"null", "7", "1e400", "99999999999999999999", `"x"`, "[]", "[null]", "{}", "true", strings.Repeat("[", 12_000)} {
			for at := range text {
				if text[at] == ':' || text[at] == '[' {
					out = append(out, text[:at+1]+value+text[at+1+valueAt(text[at+1:]):])
				}
			}
		}
	}
	return out
}

// valueAt is the length of the value that a text begins with; 0 if there is none.
func valueAt(text string) int {
	value, err := jsontext.NewDecoder(strings.NewReader(text)).ReadValue()
	if err != nil {
		return 0
	}
	return len(value)
}
