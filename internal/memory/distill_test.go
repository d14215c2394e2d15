package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/mention"
	"github.com/hermes-memory/hermes/internal/session"
)

// TestDistillVerbatim keeps an explicit fact byte for byte.
func TestDistillVerbatim(t *testing.T) {
	t.Parallel()
	const text = "We use PostgreSQL 15 on RDS with read replicas in us-east-1"
	facts := Distill(said("Some context first. "+text), nil)
	got := facts[len(facts)-1]
	if got.Quote != text || got.Statement != text {
		t.Errorf("got quote %q and statement %q, want both %q", got.Quote, got.Statement, text)
	}
	want := [3]string{"we", "database", "PostgreSQL 15"}
	if diff := cmp.Diff(want, [3]string{got.Subject, got.Attribute, got.Value}); diff != "" {
		t.Errorf("slot (-want +got):\n%s", diff)
	}
}

// TestDistillWhole keeps a sentence of several steps or causes as one statement, with its
// last time and its reason.
func TestDistillWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, because string
		kind          Kind
		month         time.Month // in which the time begins; 0 for none
	}{
		{"Removed Redis because cache invalidation bugs caused stale product prices", "cache invalidation bugs caused stale product prices", Decision, 0},
		{"Tried GraphQL in Q1, reverted in Q2 due to N+1 issues", "N+1 issues", Decision, time.April},
		{"Commit: removed Redis cache, caused 3 outages", "removed Redis cache", Decision, 0},
	} {
		facts := Distill(said(c.text), nil)
		if len(facts) != 1 {
			t.Errorf("%q: got %d facts", c.text, len(facts))
			continue
		}
		f := facts[0]
		if f.Kind != c.kind || f.Because != c.because || !strings.HasSuffix(c.text, f.Statement) {
			t.Errorf("%q: got %s %q because %q", c.text, f.Kind, f.Statement, f.Because)
		}
		if f.When.IsZero() != (c.month == 0) || c.month != 0 && f.When.From.Month() != c.month {
			t.Errorf("%q: got %v, want month %d", c.text, f.When.From, c.month)
		}
	}
}

// TestDistillReference extends a statement that cannot stand alone to the sentence before
// it, and never puts words of another sentence into it.
func TestDistillReference(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"We deployed the importer to Graz. It uses Kafka.":        "We deployed the importer to Graz. It uses Kafka",
		"The vendor raised prices. That's why we moved to OVH.":   "The vendor raised prices. That's why we moved to OVH",
		"Our plan for the kitchen:\n- soapstone counters\n- gas":  "Our plan for the kitchen:\n- soapstone counters\n- gas",
		"We went back to Postgres 15. Down to 3 replicas as well": "We went back to Postgres 15. Down to 3 replicas as well",
		"We use Kafka for events. We use NATS for commands.":      "We use NATS for commands",
	} {
		facts := Distill(said(text), nil)
		if got := facts[len(facts)-1].Statement; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestDistillReply keeps the user's words alone, and links them to what they answer.
func TestDistillReply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked, reply, want, to string
		kind                   Kind
	}{
		{"I suggest using NATS for the queue.", "Yes, let's do that.", "Yes, let's do that", "I suggest using NATS for the queue.", Decision},
		{"You could move the cron job to Airflow.", "Sounds good!", "Sounds good", "You could move the cron job to Airflow.", Decision},
		{"Which region should I deploy to?", "eu-west-1", "eu-west-1", "Which region should I deploy to?", Plain},
	} {
		conv, change := talk("A: "+c.asked, c.reply)
		if len(change.Learned) != 1 || change.Learned[0].Statement != c.want || change.Learned[0].Kind != c.kind {
			t.Fatalf("%q: got %+v", c.reply, change.Learned)
		}
		asked, found := conv.state.Asked(change.Learned[0])
		if !found || asked.Quote != c.to {
			t.Errorf("%q: got an answer to %q, want %q", c.reply, asked.Quote, c.to)
		}
	}
}

// TestDistillNotAccepted keeps proposals of the assistant from becoming
// decisions.
func TestDistillNotAccepted(t *testing.T) {
	t.Parallel()
	for _, reply := range []string{"No, not that.", "Hm, I don't think so.", "Maybe later.", "What would it cost?", "Yes, but not now."} {
		conv, _ := talk("A: I suggest using NATS for the queue.", reply)
		for f := range conv.state.Facts() {
			if f.Kind.Asserted() && strings.Contains(f.Statement, "NATS") {
				t.Errorf("%q: got %s %q, want it not asserted", reply, f.Kind, f.Statement)
			}
		}
	}
}

// TestDistillDates resolves relative dates against the message's own time.
func TestDistillDates(t *testing.T) {
	t.Parallel()
	facts := Distill(said("Yesterday we launched the shop."), nil)
	want := Interval{From: time.Date(2025, 3, 3, 0, 0, 0, 0, time.UTC), To: time.Date(2025, 3, 4, 0, 0, 0, 0, time.UTC)}
	if diff := cmp.Diff(want, facts[0].When); diff != "" {
		t.Errorf("when (-want +got):\n%s", diff)
	}
}

// TestDistillRoles types what tools and the assistant say as theirs.
func TestDistillRoles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role session.Role
		text string
		want []Kind
	}{
		{session.Tool, "gateway timeout: 30 seconds", []Kind{Number}},
		{session.Tool, "total 12\ndrwxr-xr-x 2 root root", nil},
		{session.Assistant, "I suggest using NATS.", []Kind{Proposal}},
		{session.Assistant, "The capital of France is Paris.", nil},
		{session.Assistant, "I set the timeout to 30 seconds.", []Kind{Event}},
		{session.System, "My name is Alex.", nil},
	} {
		var got []Kind
		for _, f := range Distill(spoken(0, c.role, c.text), nil) {
			got = append(got, f.Kind)
			if f.Source.Role != c.role {
				t.Errorf("%s %q: got role %s", c.role, c.text, f.Source.Role)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", c.role, c.text, diff)
		}
	}
}

// TestDistillSpeaker keeps the names of several speakers apart.
func TestDistillSpeaker(t *testing.T) {
	t.Parallel()
	anna, bob := said("I live in Berlin."), spoken(1, session.User, "I live in Munich.")
	anna.Speaker, bob.Speaker = "Anna", "Bob"
	s := NewState()
	s.Learn(Distill(anna, nil))
	if change := s.Learn(Distill(bob, nil)); len(change.Reversals) != 0 {
		t.Errorf("got %d reversals, want none: two people speak", len(change.Reversals))
	}
}

// TestDistillID checks the form of ids and that they depend on the place alone.
func TestDistillID(t *testing.T) {
	t.Parallel()
	a, b := Distill(said("We use Kafka."), nil), Distill(said("We use Kafka."), nil)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
	id := string(a[0].ID)
	if len(id) != 18 || !strings.HasPrefix(id, "f_") || strings.Trim(id[2:], "0123456789abcdef") != "" {
		t.Errorf("got id %q, want f_ and 16 hex digits", id)
	}
	if other := Distill(spoken(1, session.User, "We use Kafka."), nil); other[0].ID == a[0].ID {
		t.Error("got the same id at two places")
	}
}

// TestDistillTold keeps what the user asks to have kept, whatever it is about.
func TestDistillTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Remember that the red key opens the north door.":       "the red key opens the north door",
		"Remember that the office closes at six.":               "the office closes at six",
		"Note that invoices go out on the first of the month.":  "invoices go out on the first of the month",
		"Please remember: the wifi password rotates weekly.":    "the wifi password rotates weekly",
		"Keep in mind that the loading dock opens to the east.": "the loading dock opens to the east",
		"Remember that?": "",
		"Do you remember that the red key opens the door?": "",
	} {
		got := ""
		for _, f := range Distill(said(text), nil) {
			if f.Kind.Asserted() {
				got = f.Statement
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestDistillAroundErased: the mark of an erased sentence is no fact and joins none: what stands
// before and behind it is remembered as it was.
func TestDistillAroundErased(t *testing.T) {
	t.Parallel()
	const text = "My name is Alex. My sister Vera sings in a choir. She lives in Oslo. I work at the harbour."
	clean, n := mention.Of("Vera").Redact(text)
	if n != 1 {
		t.Fatalf("got %d sentences erased, want 1", n)
	}
	var got []string
	for _, f := range Distill(said(clean), nil) {
		if got = append(got, f.Quote); mention.Erased(f.Quote) {
			t.Errorf("%q has the mark", f.Quote)
		}
	}
	for _, want := range []string{"My name is Alex.", "I work at the harbour."} {
		if !slices.Contains(got, want) {
			t.Errorf("got %q, want %q among them", got, want)
		}
	}
}

// TestDistillLong: a message of 12 KB has all its statements as facts, not the first few.
func TestDistillLong(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	n := 0
	for ; b.Len() < 12<<10; n++ {
		fmt.Fprintf(&b, "My cousin number %d lives in street %d of Graz.\n", n, n*7)
	}
	if got := len(Distill(said(b.String()), nil)); got != min(n, maxFactsOfUser) || n < 200 {
		t.Errorf("got %d facts of %d statements", got, n)
	}
}
