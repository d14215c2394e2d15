package language

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLists reads lists as the lexicons write them.
func TestLists(t *testing.T) {
	t.Parallel()
	const text = "# What: nothing, at all\n\ncolour: red, dark green\r\na b c\nratio: 1:2,  x \n"
	type list struct {
		Name  string
		Items []string
	}
	var got []list
	for name, items := range Lists(text) {
		got = append(got, list{name, items})
	}
	want := []list{{"colour", []string{"red", "dark green"}}, {"", []string{"a b c"}}, {"ratio", []string{"1:2", "x"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for range Lists(text) {
		break // whoever has enough is given no more
	}
}
