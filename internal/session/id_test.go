package session

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/fault"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		ok       bool
	}{
		{"plain", "my-session", true},
		{"one character", "x", true},
		{"a repository", "repo:acme/backend", true},
		{"a path", "../../etc/passwd", true},
		{"other scripts", "名前:ü", true},
		{"SQL", "' OR 1=1 --", true},
		{"a wildcard", "%", true},
		{"inner spaces", "a b", true},
		{"outer spaces", "  a  ", true},
		{"a non-breaking space", "a\u00a0b", true},
		{"emoji with joiners", "👩‍👩‍👧‍👦", true},
		{"the replacement character itself", "\ufffd", true},
		{"256 letters", strings.Repeat("x", 256), true},
		{"256 wide characters", strings.Repeat("𝔘", 256), true},
		{"empty", "", false},
		{"spaces only", "  ", false},
		{"nothing to be seen", "\u00a0\u200b\ufeff", false},
		{"257 letters", strings.Repeat("x", 257), false},
		{"257 wide characters", strings.Repeat("ü", 257), false},
		{"a megabyte", strings.Repeat("x", 1<<20), false},
		{"NUL", "a\x00b", false},
		{"tab", "a\tb", false},
		{"newline", "a\nb", false},
		{"carriage return", "a\r", false},
		{"escape", "\x1b[31m", false},
		{"DEL", "a\x7f", false},
		{"C1 control", "a\u0085b", false},
		{"last C1 control", "a\u009fb", false},
		{"line separator", "a\u2028b", false},
		{"paragraph separator", "a\u2029b", false},
		{"Latin-1 bytes", "caf\xe9", false},
		{"a lone surrogate", "\xed\xa0\x80", false},
		{"an overlong slash", "\xc0\xaf", false},
		{"a cut character", "ü"[:1], false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			id, err := ParseID(c.in)
			checkParsed(t, string(id), err, c.in, c.ok, "invalid_session_id", "session_id")
			key, err := ParseKey(c.in)
			checkParsed(t, string(key), err, c.in, c.ok, "invalid_session_key", "session_key")
		})
	}
}

// checkParsed looks at the outcome of parsing in.
func checkParsed(t *testing.T, got string, err error, in string, ok bool, code, param string) {
	t.Helper()
	if ok {
		if err != nil || got != in {
			t.Errorf("got %q, %v, want it unchanged", got, err)
		}
		return
	}
	f, is := errors.AsType[*fault.Error](err)
	if !is || got != "" {
		t.Fatalf("got %q, %v, want a fault", got, err)
	}
	if diff := cmp.Diff([]string{string(fault.Invalid), code, param}, []string{string(f.Kind), f.Code, f.Param}); diff != "" {
		t.Errorf("fault: got (+), want (-):\n%s", diff)
	}
	if len(in) > 20 && strings.Contains(f.Msg, in) {
		t.Errorf("the message repeats the input: %q", f.Msg)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", " ", "\u200b", "a", "名前:ü", "a\x00", "\xff", "\u0085", strings.Repeat("ü", 257), "\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseID(s)
		key, keyErr := ParseKey(s)
		if (err == nil) != (keyErr == nil) {
			t.Errorf("got %v for an id and %v for a key, want the same rules", err, keyErr)
		}
		visible := strings.ContainsFunc(s, func(r rune) bool { return !isBlank(r) })
		want := visible && utf8.ValidString(s) && utf8.RuneCountInString(s) <= 256 &&
			!strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' })
		if (err == nil) != want {
			t.Errorf("got %v, want accepted: %v", err, want)
		}
		if err == nil && (string(id) != s || string(key) != s) {
			t.Errorf("got %q and %q, want %q unchanged", id, key, s)
		}
	})
}

func TestNewID(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 1, 23, 4, 5, 0, time.FixedZone("east", 5*3600))
	form := regexp.MustCompile(`^20260301_180405_[0-9a-f]{8}$`)
	seen := make(map[ID]bool)
	for range 1000 {
		id := NewID(at)
		if !form.MatchString(string(id)) {
			t.Fatalf("got %q, want the UTC time and eight hex digits", id)
		}
		if seen[id] {
			t.Fatalf("got %q twice", id)
		}
		seen[id] = true
		if _, err := ParseID(string(id)); err != nil {
			t.Errorf("a new id is refused: %v", err)
		}
	}
}

func TestEndedAndPartial(t *testing.T) {
	t.Parallel()
	if (Session{}).Ended() || !(Session{EndedAt: time.Unix(1, 0)}).Ended() {
		t.Error("a session has ended when it has a time of ending")
	}
	for finish, want := range map[string]bool{"": false, "stop": false, "length": false, FinishCancelled: true, FinishError: true} {
		if got := (Message{FinishReason: finish}).Partial(); got != want {
			t.Errorf("finish reason %q: got partial %v, want %v", finish, got, want)
		}
	}
}
