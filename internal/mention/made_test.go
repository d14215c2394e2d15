package mention

import (
	"strings"
	"testing"
)

// TestMadeIDs: an id that this program has made names nothing by chance.
func TestMadeIDs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		about, text string
		want        bool
	}{
		{"Ada", "f_0a73ada9089e1683", false},
		{"Ada", "20260102_150405_1ada2345", false},
		{"2026", "20260102_150405_1ada2345", false},
		{"Gus", "r_06h291o86dgusq6koabc123", false},
		{"Gus", `{"id":"resp_06h291o86dgusq6koabc123"}`, false},
		{"Deb", "localrun_cb16c8deb7caca19run20261128_235239_00112233", false},
		{"Dead", "run_cb16c8dead7caca1900112233445566a", false},
		{"Ada", `"hash":"e352a5d91b464d192622475b6e73a7fb3058cc7adf33f51777ada82e169b36f0"`, false},
		{"Ada", "f_0a73ada9089e1683 told Ada", true},
		{"Ada", "f_0a73ada9089e1683ada", true}, // behind the id
		{"Ada", "20260102_150405_adalovel", true},
		{"Ada", "ada_0a73ada9089e1683", true},
		{"Ada", "f_0a73ada9089e16", true}, // too short for one
		{"Ada", "0a73ada9089e1683", true}, // a hash that another program made
		{"0a73ada9089e1683", "f_0a73ada9089e1683", true},
		{"f_0a73ada9089e1683", "f_0a73ada9089e1683", true},
		{"run", "run_cb16c8dead7caca1900112233445566a", false},
		{"un_c", "run_cb16c8dead7caca1900112233445566a", false},
		{"file", "[photo a.jpg, 214 KB, file_9f0c1d2e3a4b5c6d]", false},
		{"Dead", "said:cb16c8dead7caca1900112233445566a", false},
		{"run", "a run_cb16c8dead7caca1900112233445566a of the run", true},
		{"run", "run_away", true},
		{"20260102", "20260102_150405_1ada2345", false},
		{"20260102", "20260102_150405", true},
	} {
		thing := Of(tc.about)
		if got := thing.In(tc.text); got != tc.want {
			t.Errorf("%q in %q: got %t", tc.about, tc.text, got)
		}
		clean, n := thing.Redact(tc.text)
		if got := n > 0; got != thing.In(tc.text) || thing.In(clean) {
			t.Errorf("%q in %q: redacted to %q, %d", tc.about, tc.text, clean, n)
		}
		c, err := thing.CountIn(strings.NewReader("the beginning of "+tc.text+" and its end, which is text"), Format{})
		if err != nil || (c.Hits > 0) != thing.In(tc.text) {
			t.Errorf("%q in %q: counted %+v, %v", tc.about, tc.text, c, err)
		}
	}
}
