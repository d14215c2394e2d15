package markdown_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/markdown"
)

// TestWritingArrives: what writing needs arrives as it is in every dialect, and what deceives or hides
// does not.
func TestWritingArrives(t *testing.T) {
	t.Parallel()
	const england, cut = "\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "\ufffd"
	for name, c := range map[string]struct{ in, want string }{
		"the flag of England":      {"go " + england + "!", ""},
		"two flags":                {england + england, ""},
		"a Thai line break":        {"ภาษา\u200bไทย", ""},
		"a word joiner":            {"5\u2060km \ufeffx a\u034fb", ""},
		"separators":               {"one\u2028two\u2029three", ""},
		"marks of direction":       {"שלום\u200f! \u200eabc \u061c1", ""},
		"a soft hyphen":            {"Donau\u00addampf", ""},
		"joiners":                  {"می\u200cخواهم 👨\u200d👩\u200d👧", ""},
		"Mongolian":                {"\u182d\u180b\u180e\u1820", ""},
		"an isolated name":         {"by \u2067דוד\u2069, and \u2066Tom\u2069", ""},
		"an embedded name":         {"by \u202bדוד\u202c.", ""},
		"isolates in each other":   {"\u2067א \u2066b\u2069 ג\u2069", ""},
		"an override":              {"safe\u202egpj.exe", "safe" + cut + "gpj.exe"},
		"an override with an end":  {"a\u202db\u202c", "a" + cut + "b" + cut},
		"an isolate without end":   {"a \u2067b", "a " + cut + "b"},
		"an end without isolate":   {"a\u2069 b", "a" + cut + " b"},
		"crossed":                  {"\u2067a\u202bb\u2069c\u202c", cut + "a\u202bb" + cut + "c\u202c"},
		"an end in another line":   {"a \u2067b\nc\u2069", "a " + cut + "b\nc" + cut},
		"an isolate by an entity":  {"a &#8295;b&#8297;", "a " + cut + "b" + cut},
		"tags without a flag":      {"hi\U000E0041\U000E0042", "hi" + cut},
		"tags without an end":      {"\U0001F3F4\U000E0067\U000E0062\U000E0065.", "\U0001F3F4" + cut + "."},
		"a long text in a flag":    {"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E0067\U000E0067\U000E007F.", "\U0001F3F4" + cut + "."},
		"tags behind a flag":       {england + "\U000E0067", england + cut},
		"selectors that hide text": {"a\ufe01\U000E0110\U000E0120b", "a" + cut + "b"},
		"an isolate in code":       {"`a\u2067b\u2069`", "a" + cut + "b" + cut},
		"fillers":                  {"a\u3164\u206ab", "a" + cut + "b"},
	} {
		if c.want == "" {
			c.want = c.in
		}
		for _, d := range []markdown.Dialect{markdown.Plain, markdown.DiscordMarkdown} {
			if got := markdown.Render(markdown.Parse(c.in), d); got != c.want && got != "`"+c.want+"`" {
				t.Errorf("%s: got %+q, want %+q", name, got, c.want)
			}
		}
	}
}
