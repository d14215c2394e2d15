package honcho_test

import (
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/provider/honcho"
	"github.com/hermes-memory/hermes/internal/provider/honcho/honchotest"
	"github.com/hermes-memory/hermes/internal/provider/providertest"
	"github.com/hermes-memory/hermes/internal/run"
)

func open(t *testing.T, url, key string, pinned bool) *honcho.Provider {
	t.Helper()
	p, err := honcho.New(url, key, pinned)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestContract(t *testing.T) {
	t.Parallel()
	providertest.Run(t, func(t *testing.T) *providertest.Rig {
		t.Helper()
		server := honchotest.Start(t)
		server.Hold()
		return &providertest.Rig{
			Provider: open(t, server.URL+"/v3/", honchotest.Key, false), Stranger: open(t, server.URL, "wrong", false), Faults: server.Faults,
			Settle: server.Settle, Texts: func(p run.Place) []string { return texts(server, p.Session) },
		}
	})
}

func texts(server *honchotest.Server, session string) []string {
	var out []string
	for _, m := range server.Messages("hermes", session) {
		out = append(out, m.Content)
	}
	return out
}

// TestPeers: everybody speaks for himself, answers are the assistant's, and each message has
// its id and its time.
func TestPeers(t *testing.T) {
	t.Parallel()
	server := honchotest.Start(t)
	said := providertest.Said(41, "hello", "hi", strings.Repeat("x", 25_001))
	said[2].Speaker = "user-room-bob"
	if err := open(t, server.URL, honchotest.Key, false).Told(t.Context(), providertest.Place("room"), said); err != nil {
		t.Fatal(err)
	}
	got := server.Messages("hermes", "room")
	if len(got) != 4 {
		t.Fatalf("got %d messages, want 4", len(got))
	}
	for i, want := range []struct{ peer, id string }{{"user-room", "41"}, {"hermes", "42"}, {"user-room-bob", "43"}, {"user-room-bob", "43.2"}} {
		if m := got[i]; m.Peer != want.peer || m.Metadata["hermes_id"] != want.id || m.CreatedAt.IsZero() {
			t.Errorf("message %d: got %s %v at %v, want %+v", i, m.Peer, m.Metadata, m.CreatedAt, want)
		}
	}
}

// TestAnotherProcess: a process that knows nothing of the earlier one tells nothing twice.
func TestAnotherProcess(t *testing.T) {
	t.Parallel()
	server := honchotest.Start(t)
	for range 3 {
		if err := open(t, server.URL, honchotest.Key, false).Told(t.Context(), providertest.Place("a"), providertest.Said(1, "one", "two")); err != nil {
			t.Fatal(err)
		}
	}
	if got := texts(server, "a"); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}

// TestConclusions: conclusions go with their place, and with a pinned peer those of other
// places stay.
func TestConclusions(t *testing.T) {
	t.Parallel()
	for _, pinned := range []bool{false, true} {
		server := honchotest.Start(t)
		p := open(t, server.URL, honchotest.Key, pinned)
		a, b := providertest.Place("a"), providertest.Place("b")
		if pinned {
			a.User, b.User = "alex", "alex"
		}
		for _, at := range []run.Place{a, b} {
			if err := p.Told(t.Context(), at, providertest.Said(1, "one", "two")); err != nil {
				t.Fatal(err)
			}
		}
		for range 130 {
			server.Conclude("hermes", "a", a.User, "likes tea")
		}
		server.Conclude("hermes", "b", b.User, "likes beer")
		got, err := p.Forget(t.Context(), a, nil)
		if err != nil || got.Left != "" || got.Confirmed != 1 {
			t.Errorf("pinned %v: got %+v, %v", pinned, got, err)
		}
		if left := server.Conclusions("hermes"); len(left) != 1 || left[0].Content != "likes beer" {
			t.Errorf("pinned %v: got %d conclusions left", pinned, len(left))
		}
	}
}

// TestSpecialTokens: Honcho refuses a batch with the name of a special token, however often it is sent. It is
// told, with other brackets, and the longest message does not get longer by it.
func TestSpecialTokens(t *testing.T) {
	t.Parallel()
	server := honchotest.Start(t)
	p, a := open(t, server.URL, honchotest.Key, false), providertest.Place("a")
	said := providertest.Said(1, "What is <|endoftext|>, and <|endofprompt|>?", "A token.", strings.Repeat("x", 25_000-13)+"<|endoftext|>")
	if err := p.Told(t.Context(), a, said); err != nil {
		t.Fatal(err)
	}
	got := texts(server, "a")
	if len(got) != 3 || got[0] != "What is ‹|endoftext|›, and ‹|endofprompt|›?" || got[1] != "A token." {
		t.Errorf("got %d messages, first %q", len(got), got[:1])
	}
	if _, err := p.Recall(t.Context(), a, "Why <|endoftext|>?", 100); err != nil {
		t.Error(err)
	}
}

// TestCard: what Honcho wrote on the card of a user goes with the place, although no session has it.
func TestCard(t *testing.T) {
	t.Parallel()
	server := honchotest.Start(t)
	p := open(t, server.URL, honchotest.Key, false)
	a, b := providertest.Place("a"), providertest.Place("b")
	for _, at := range []run.Place{a, b} {
		if err := p.Told(t.Context(), at, providertest.Said(1, "one", "two")); err != nil {
			t.Fatal(err)
		}
		server.Inscribe("hermes", at.User, "Name: Alex", "Likes tea")
	}
	if text, err := p.Recall(t.Context(), a, "tea?", 100); err != nil || !strings.Contains(text, "Name: Alex") {
		t.Errorf("recall: got %q, %v", text, err)
	}
	got, err := p.Forget(t.Context(), a, nil)
	if err != nil || got.Left != "" || got.Confirmed != 1 {
		t.Errorf("forget: got %+v, %v", got, err)
	}
	if left := server.Card("hermes", a.User); len(left) > 0 {
		t.Errorf("the card still has %q", left)
	}
	if left := server.Card("hermes", b.User); len(left) != 2 {
		t.Errorf("the card of another place has %q", left)
	}
}

// TestCardThatStays: a deletion is not confirmed while the card has lines.
func TestCardThatStays(t *testing.T) {
	t.Parallel()
	server := honchotest.Start(t)
	p := open(t, server.URL, honchotest.Key, false)
	a := providertest.Place("a")
	if err := p.Told(t.Context(), a, providertest.Said(1, "one")); err != nil {
		t.Fatal(err)
	}
	server.Inscribe("hermes", a.User, "Name: Alex")
	server.KeepCards()
	if got, err := p.Forget(t.Context(), a, nil); err != nil || got.Left == "" || got.Confirmed != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "https://api.honcho.dev", "http://x:8000": "http://x:8000", "http://x:8000/v3/": "http://x:8000", "http://x/honcho/v3": "http://x/honcho",
	} {
		if got := honcho.BaseURL(given); got != want {
			t.Errorf("%q: got %q, want %q", given, got, want)
		}
	}
	if _, err := honcho.New("ftp://x", "", false); err == nil {
		t.Error("a URL of another scheme was taken")
	}
}
