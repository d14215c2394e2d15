package secret

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
		got := Mask(c.text)
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
			if got := Mask(text); strings.Contains(got, c.hidden) {
				t.Errorf("line %d: %q: got %q", c.number, text, got)
			}
		}
	}
}

// FuzzMask: whatever a text holds, what is hidden lies within it, in order.
func FuzzMask(f *testing.F) {
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
		for _, s := range Spans(text) {
			if s.Start < at || s.End <= s.Start || s.End > len(text) {
				t.Fatalf("%q: got %v behind %d of %d", text, s, at, len(text))
			}
			at = s.End
		}
		if In(text) != (Mask(text) != text) && !strings.Contains(text, hidden) {
			t.Errorf("%q: got %q", text, Mask(text))
		}
	})
}

// message is a message of a hundred words.
const message = `Hey, so we had a long discussion yesterday about the storage layer. In the end we decided to move from Postgres to CockroachDB because the replication lag kept breaking our reports. The migration is planned for next Tuesday and should take about 3 hours. I prefer to do it at night. By the way, my new phone number is in the wiki. Could you remind me how the connection pool is configured? If the load gets too high we might add a second node, but Anna thinks that this is not needed for now.`

// BenchmarkMask measures prose and texts that are made to be dear.
func BenchmarkMask(b *testing.B) {
	for name, text := range map[string]string{
		"prose": strings.Repeat("We moved the ledger from Redis to Postgres because of the licence. ", 1000),
		"cues":  strings.Repeat("password.", 8000), "series": strings.Repeat("seed: apple bridge canyon ", 3000),
		"digits": strings.Repeat("4111 ", 12000), "message": message,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Mask(text)
			}
		})
	}
}
