package provider

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

var legalName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("abcdefghi:", 20)
	for key, want := range map[session.Key]string{
		"agent:main:webui:dm:user-42": "agent-main-webui-dm-user-42",
		"plain_Name-1":                "plain_Name-1",
		"::a::b::":                    "a-b",
		"a--b":                        "a--b",
		"Grüße, 世界":                   "Gr-e",
		"世界":                          "k-" + Digest("世界", 16),
		session.Key(long):             strings.Repeat("abcdefghi-", 8) + "abcdef-" + Digest(long, 8),
	} {
		if got := SourceOf(key, "root").Candidates(1)[0]; got != want {
			t.Errorf("%q: got %q, want %q", key, got, want)
		}
	}
	if got := SourceOf("", "s_1").Candidates(1)[0]; got != "s_1" {
		t.Errorf("a lineage without a key: got %q", got)
	}
	if got := SourceOf("a:b", "").Candidates(1)[1]; got != "a-b-"+Digest("a:b", 8) {
		t.Errorf("a twin: got %q", got)
	}
	if got := SourceOf("a:b", "").Candidates(2)[0]; got != "a-b-g2" {
		t.Errorf("the next generation: got %q", got)
	}
	if got := speakerCandidates("room", "Ada L.")[0]; got != "room-Ada-L" {
		t.Errorf("a speaker: got %q", got)
	}
	if got := Workspace(owner.Local(), ""); got != "hermes" {
		t.Errorf("the local owner: got %q", got)
	}
	if got := Workspace(owner.Local(), "0123456789ab"); got != "hermes-0123456789ab" {
		t.Errorf("the local owner of a store with a name: got %q", got)
	}
	if got := Workspace(owner.Stored("ada"), "0123456789ab"); got != "hermes-ada-"+Digest("ada", 8)+"-0123456789ab" {
		t.Errorf("an owner of a store with a name: got %q", got)
	}
	if got := Workspace(owner.Stored("ada@example.org"), ""); got != "hermes-ada-example-org-"+Digest("ada@example.org", 8) {
		t.Errorf("an owner: got %q", got)
	}
}

// names are the names of the sources of owners, given out as a store does.
type names struct {
	taken map[string]string // what a name in a workspace stands for
	of    map[string]string
}

func (n *names) take(workspace, source string, candidates []string) string {
	if name, ok := n.of[workspace+"/"+source]; ok {
		return name
	}
	for _, name := range candidates {
		if at := workspace + "/" + name; n.taken[at] == "" {
			n.taken[at], n.of[workspace+"/"+source] = source, name
			return name
		}
	}
	return ""
}

// text are keys, names of speakers and ids of owners that may be taken for each other.
func text() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(), rapid.StringMatching(`[a-c:_.-]{1,5}`), rapid.StringMatching(`[a-b:-]{95,110}`),
		rapid.SampledFrom([]string{"a:b", "a-b", "a b", "a-b-g2", "世", "界", "hermes", "user-a", "k-", "-"}),
	)
}

// TestNamesApart: however alike keys, owners and speakers are, no two places and no two
// peers share a name, and every name is legal.
func TestNamesApart(t *testing.T) {
	t.Parallel()
	checked := 0
	rapid.Check(t, func(rt *rapid.T) {
		n := &names{make(map[string]string), make(map[string]string)}
		joined, peers := make(map[string]string), make(map[string]string)
		home := rapid.SampledFrom([]string{"", "0123456789ab"}).Draw(rt, "home")
		for range 200 {
			o, key := owner.Stored(text().Draw(rt, "owner")), session.Key(text().Draw(rt, "key"))
			w, s := Workspace(o, home), SourceOf(key, "r")
			place := n.take(w, o.ID()+"/"+string(s), s.Candidates(rapid.IntRange(1, 3).Draw(rt, "generation")))
			who := text().Draw(rt, "speaker")
			peer := n.take(w, o.ID()+"/"+string(speakerIn(place, who)), speakerCandidates(place, who))
			for _, name := range []string{w, place, userPeer + place, userPeer + peer, Joined(run.Place{Workspace: w, Session: place})} {
				if !legalName.MatchString(name) {
					rt.Fatalf("%q is not legal", name)
				}
			}
			apart(rt, joined, Joined(run.Place{Workspace: w, Session: place}), fmt.Sprintf("%q %q", o.ID(), s))
			apart(rt, peers, w+"/"+userPeer+place, fmt.Sprintf("%q %q", o.ID(), s))
			apart(rt, peers, w+"/"+userPeer+peer, fmt.Sprintf("%q %q %q", o.ID(), s, who))
			checked++
		}
	})
	if checked < 10_000 {
		t.Errorf("checked %d keys, want 10,000", checked)
	}
}

func apart(t *rapid.T, seen map[string]string, name, of string) {
	t.Helper()
	if had, ok := seen[name]; ok && had != of {
		t.Fatalf("%q stands for %s and for %s", name, had, of)
	}
	seen[name] = of
}

// peers are names of a place and of a speaker in it, and of their peers.
func peers(key, who string) []string {
	out := append(SourceOf(session.Key("k"+key), "").Candidates(2), speakerCandidates(plain(key, maxPlace), who)...)
	for _, name := range out {
		out = append(out, userPeer+name)
	}
	return out
}

func FuzzNames(f *testing.F) {
	for _, s := range []string{"", "a:b", "agent:main:webui:dm:user-42", strings.Repeat("é-", 90), "\xff\x00"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, name := range peers(a, b) {
			if !legalName.MatchString(name) {
				t.Errorf("%q, %q: got %q", a, b, name)
			}
		}
	})
}
