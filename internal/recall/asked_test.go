package recall_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/session"
)

// said is one message of a conversation; next says that it follows at once.
type said struct {
	role session.Role
	text string
	next bool
}

// conversation is what was said, and asked much later.
type conversation struct {
	name  string
	said  []said
	right [][2]string // question and a part of the answer
	never []string
}

// readConversations reads a file written as testdata/asked.txt says.
func readConversations(t *testing.T, file string) []conversation {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []conversation
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if name, begins := strings.CutPrefix(line, "== "); begins {
			out = append(out, conversation{name: name})
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		c := &out[len(out)-1]
		if asked, question := strings.CutPrefix(line, "? "); question {
			q, want, _ := strings.Cut(asked, " = ")
			c.right = append(c.right, [2]string{q, want})
			continue
		}
		who, text, _ := strings.Cut(line, ": ")
		if who == "never" {
			c.never = append(c.never, text)
			continue
		}
		rest, next := strings.CutPrefix(text, "~")
		c.said = append(c.said, said{role: session.Role(who), text: strings.ReplaceAll(rest, `\n`, "\n"), next: next || who != "user"})
	}
	return out
}

// holdsAll reports whether an answer has every part that is wanted.
func holdsAll(got, want string) bool {
	for part := range strings.SplitSeq(want, " & ") {
		if !strings.Contains(strings.ToLower(got), strings.ToLower(part)) {
			return false
		}
	}
	return true
}

// TestAsked asks for what was told 400 turns ago in other words, and for what
// was not: of ten questions nine are answered right, one of fifty at most wrong,
// and of what was never told one of twelve at most is answered.
func TestAsked(t *testing.T) {
	t.Parallel()
	r := askAll(t, "testdata/asked.txt", 400)
	if r.right*10 < r.all*9 || r.wrong*50 > r.all {
		t.Errorf("got %d of %d right and %d wrong, want nine of ten and one of fifty", r.right, r.all, r.wrong)
	}
	if r.invented*12 > r.never {
		t.Errorf("answered without being told: got %d of %d", r.invented, r.never)
	}
}

// TestAskedOfTeam asks for a team's decisions, one conversation each, with another verb
// of leaving, storing or causing than was told, and for what was not told of the same
// things: of ten questions nine are answered right, one of fifty at most wrong, and of
// what was never told one of six at most is answered.
func TestAskedOfTeam(t *testing.T) {
	t.Parallel()
	r := askAll(t, "testdata/team.txt", 60)
	if r.right*10 < r.all*9 || r.wrong*50 > r.all {
		t.Errorf("got %d of %d right and %d wrong, want nine of ten and one of fifty", r.right, r.all, r.wrong)
	}
	if r.invented*6 > r.never {
		t.Errorf("answered without being told: got %d of %d", r.invented, r.never)
	}
}

// result counts how questions were answered.
type result struct{ all, right, wrong, never, invented int }

// askAll asks the questions of a file, each that many turns after what it asks for.
func askAll(t *testing.T, file string, turns int) result {
	t.Helper()
	var r result
	for _, c := range readConversations(t, file) {
		k := newTalk(t)
		k.root = session.ID(c.name)
		turn := func(n int) {
			user, assistant := chatter(n)
			k.learn(session.User, "", user)
			k.learn(session.Assistant, "", assistant)
		}
		for i, s := range c.said {
			if !s.next {
				turn(1000 + i)
			}
			k.learn(s.role, "", s.text)
			k.now = k.now.Add(time.Hour)
		}
		for n := range turns {
			turn(n)
		}
		for _, q := range c.right {
			r.all++
			switch got := k.say(q[0]); {
			case holdsAll(got, q[1]):
				r.right++
			case got != unknown:
				r.wrong++
				t.Logf("%s: %q: got %s", c.name, q[0], got)
			default:
				t.Logf("%s: %q: not found", c.name, q[0])
			}
		}
		for _, q := range c.never {
			r.never++
			if got := k.say(q); got != unknown {
				r.invented++
				t.Logf("%s: %q: got %s", c.name, q, got)
			}
		}
	}
	t.Logf("%d of %d right, %d wrong; %d of %d answered without being told", r.right, r.all, r.wrong, r.invented, r.never)
	return r
}
