package memory

import (
	"os"
	"strings"
	"testing"
)

// secretCase is a line of testdata/secrets.txt.
type secretCase struct {
	number int
	text   string
	hidden string // "" for a text that gives nothing away
}

func secretCases(t *testing.T) []secretCase {
	t.Helper()
	data, err := os.ReadFile("testdata/secrets.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []secretCase
	for n, line := range strings.Split(string(data), "\n") {
		c := secretCase{number: n + 1}
		switch {
		case strings.HasPrefix(line, "+ "):
			at := strings.LastIndex(line, " | ")
			c.text, c.hidden = line[2:at], line[at+3:]
		case strings.HasPrefix(line, "- "):
			c.text = line[2:]
		default:
			continue
		}
		c.text = strings.ReplaceAll(c.text, `\n`, "\n")
		out = append(out, c)
	}
	return out
}

// TestSecretCases: what gives a secret away is hidden, and nothing else is.
func TestSecretCases(t *testing.T) {
	t.Parallel()
	var wrong, all [2][2]int
	for _, c := range secretCases(t) {
		half, kind := c.number%2, 0
		if c.hidden == "" {
			kind = 1
		}
		all[half][kind]++
		got := MaskSecrets(c.text)
		ok := got == c.text
		if c.hidden != "" {
			ok = !ok && !strings.Contains(got, c.hidden)
		}
		if !ok {
			wrong[half][kind]++
			t.Errorf("line %d: %q: got %q", c.number, c.text, got)
		}
	}
	t.Logf("missed, taken for one: developed with %v of %v, left out %v of %v", wrong[0], all[0], wrong[1], all[1])
}

// TestSecretsInContext: what is hidden alone is hidden between other words.
func TestSecretsInContext(t *testing.T) {
	t.Parallel()
	for _, c := range secretCases(t) {
		if c.hidden == "" {
			continue
		}
		for _, before := range []string{"", "We met on Monday. ", "Two things:\n- ", "* ", "1) ", "Is that a good password?\n+ ", "> "} {
			text := before + c.text + "\nThanks for that."
			if got := MaskSecrets(text); strings.Contains(got, c.hidden) {
				t.Errorf("line %d: %q: got %q", c.number, text, got)
			}
		}
	}
}

// FuzzMaskSecrets: whatever a text holds, what is hidden lies within it, in order.
func FuzzMaskSecrets(f *testing.F) {
	for _, seed := range []string{
		"My password is hunter2.", "пароль: Колибри55", "PIN's 47 11", "seed phrase: a b c",
		"DE89 3704 0044 0532 0130 00",
		"-----BEGIN RSA PRIVATE KEY-----",
		"password.password.password", "\xffpassword\xff:\xff", "-u a:b2345",
		"İpassword is Kelvin77", "我的密码是", "4111-1111-1111-1111", "pw '", "pin 1/2/3/4",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, s := range secretSpans(text) {
			if s.start < at || s.end <= s.start || s.end > len(text) {
				t.Fatalf("%q: got %v behind %d of %d", text, s, at, len(text))
			}
			at = s.end
		}
		if hasSecret(text) != (MaskSecrets(text) != text) && !strings.Contains(text, hiddenSecret) {
			t.Errorf("%q: got %q", text, MaskSecrets(text))
		}
	})
}

// BenchmarkMaskSecrets measures prose and texts that are made to be dear.
func BenchmarkMaskSecrets(b *testing.B) {
	for name, text := range map[string]string{
		"prose": strings.Repeat("We moved the ledger from Redis to Postgres because of the licence. ", 1000),
		"cues":  strings.Repeat("password.", 8000), "series": strings.Repeat("seed: apple bridge canyon ", 3000),
		"digits": strings.Repeat("4111 ", 12000), "message": hundred,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				MaskSecrets(text)
			}
		})
	}
}

// TestNoteWithSecret: a note with a secret becomes no fact, whatever kind it is given.
func TestNoteWithSecret(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{"", Plain, Instruction} {
		d := said("my pw is hunter2xyz")
		d.Note = FormatNote(kind, "")
		if facts := noteFacts(messageOf(d)); len(facts) > 0 {
			t.Errorf("kind %q: got %+v", kind, facts)
		}
	}
}
