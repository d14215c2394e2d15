package mention

import (
	"bytes"
	"slices"
	"testing"
)

// FuzzFold: a text is folded to the same form, and its words end at the same places, whether
// its ASCII characters are folded together or one by one.
func FuzzFold(f *testing.F) {
	for _, text := range []string{
		"", "Ada  Lovelace", "adaLovelace ADALovelace a1b", "e\u0301E\u0301", "A\x00da\x1b[1mB\x7f", "<b>Ada</b> ](x) =\n", "ﬁ ſ K \xff\xfeAda\xc2\x9b1m", " \t\u00a0 x",
	} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, bare bool) {
		l := layer{text: text}
		fast, marked := l.fold(false, bare)
		slow, also := l.fold(true, bare)
		if !bytes.Equal(fast.text, slow.text) || !slices.Equal(fast.ends, slow.ends) || marked != also {
			t.Errorf("%q: got %q with ends %v, want %q with %v", text, fast.text, fast.ends, slow.text, slow.ends)
		}
	})
}
