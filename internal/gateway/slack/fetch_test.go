package slack_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/slack"
)

// TestFetchStaysAtSlack: the token goes to no other host.
func TestFetchStaysAtSlack(t *testing.T) {
	t.Parallel()
	r, _ := ready(t, gatewaytest.SlackOptions{})
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	defer other.Close()
	for _, address := range []string{
		other.URL + "/files/F1", "http://files.slack.com/x", "https://files.slack.com.example.com/x", "https://evilslack.com/x",
		"https://files.slack.com@example.com/x", "https://files.slack.com:8443/x", "file:///etc/passwd", "", "//files.slack.com/x", "%zz",
	} {
		if _, err := r.Fetch(t.Context(), gateway.FileRef{Ref: address}); err == nil {
			t.Errorf("%q was fetched", address)
		}
	}
}

// TestFetchRedirect: Slack leads those who may not read a file to another page.
func TestFetchRedirect(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	defer other.Close()
	here := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer here.Close()
	a, err := slack.New(slack.Config{BotToken: "xoxb-1", AppToken: "xapp-1", APIURL: here.URL + "/api/", HTTP: here.Client()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Fetch(t.Context(), gateway.FileRef{Ref: here.URL + "/files/F1"}); err == nil {
		t.Error("the page was taken for the file")
	}
	if _, err := a.Check(t.Context()); err == nil {
		t.Error("the page was taken for an answer")
	}
	if _, err := a.Send(t.Context(), &gateway.Out{ID: "1", Place: gateway.Place{Chat: "C1"}, Text: "x"}); reason(err) != gateway.Temporary {
		t.Errorf("got %v", err)
	}
}

// TestFetchTooLarge: no more than 20 MB are read, whether or not Slack tells the size.
func TestFetchTooLarge(t *testing.T) {
	t.Parallel()
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size := 20 << 20
		if r.URL.Path != "/files/fits" {
			size++
		}
		if r.URL.Path == "/files/told" {
			w.Header().Set("Content-Length", strconv.Itoa(size))
		}
		_, _ = w.Write(make([]byte, size))
	}))
	defer here.Close()
	a, err := slack.New(slack.Config{BotToken: "xoxb-1", AppToken: "xapp-1", APIURL: here.URL + "/api/", HTTP: here.Client()})
	if err != nil {
		t.Fatal(err)
	}
	for name, large := range map[string]bool{"fits": false, "told": true, "untold": true} {
		n := int64(0)
		f, err := a.Fetch(t.Context(), gateway.FileRef{Ref: here.URL + "/files/" + name})
		if err == nil {
			n, err = io.Copy(io.Discard, f)
			_ = f.Close()
		}
		if name == "told" && n > 0 {
			t.Errorf("a file of a size that was told was begun: got %d bytes", n)
		}
		if large != (fault.KindOf(err) == fault.TooLarge) || n > 20<<20 {
			t.Errorf("%s: got %d bytes, %v", name, n, err)
		}
	}
}

// TestFetchByID: a file of a shared channel comes without an address.
func TestFetchByID(t *testing.T) {
	t.Parallel()
	r, place := ready(t, gatewaytest.SlackOptions{})
	id, _ := r.Say(gatewaytest.SlackSay{Chat: place.Chat, User: r.Person("alice"), File: &gateway.File{Name: "a.txt", Data: []byte("abc")}})
	ref := r.event(t, id).Files[0]
	parts := strings.Split(ref.Ref, "/")
	f, err := r.Fetch(t.Context(), gateway.FileRef{Ref: "file:" + parts[len(parts)-1]})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || string(got) != "abc" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := r.Fetch(t.Context(), gateway.FileRef{Ref: "file:F0"}); err == nil {
		t.Error("a file that is not there was fetched")
	}
}

func TestManifest(t *testing.T) {
	t.Parallel()
	commands := []gateway.CommandInfo{{Name: "new", Usage: "Begin a new session"}, {Name: "status", Usage: "Show <the> session", Args: "n"}}
	type manifest struct {
		Features struct {
			Commands []struct {
				Command string `json:"command"`
				URL     string `json:"url"`
				Hint    string `json:"usage_hint"`
				Escape  bool   `json:"should_escape"`
			} `json:"slash_commands"`
		} `json:"features"`
		OAuth struct {
			Scopes struct {
				Bot []string `json:"bot"`
			} `json:"scopes"`
		} `json:"oauth_config"`
		Settings struct {
			Socket bool `json:"socket_mode_enabled"`
			Events struct {
				URL  string   `json:"request_url"`
				List []string `json:"bot_events"`
			} `json:"event_subscriptions"`
			Interactivity struct {
				On  bool   `json:"is_enabled"`
				URL string `json:"request_url"`
			} `json:"interactivity"`
		} `json:"settings"`
	}
	for _, socket := range []bool{true, false} {
		text := slack.Manifest(commands, socket, "https://hermes.example/")
		if !bytes.Equal(text, slack.Manifest(commands, socket, "https://hermes.example")) {
			t.Error("two manifests differ")
		}
		var m manifest
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range m.Features.Commands {
			names = append(names, c.Command)
			if (c.URL == "") != socket || !c.Escape {
				t.Errorf("socket %t: got %+v", socket, c)
			}
		}
		if got := strings.Join(names, " "); got != "/hermes /new /hermes-status" {
			t.Errorf("got the commands %s", got)
		}
		if m.Settings.Socket != socket || len(m.Settings.Events.List) != 6 || !m.Settings.Interactivity.On || len(m.OAuth.Scopes.Bot) != 15 {
			t.Errorf("got %+v", m)
		}
		if !socket && (m.Settings.Events.URL != "https://hermes.example/platforms/slack/events" ||
			m.Settings.Interactivity.URL != "https://hermes.example/platforms/slack/interactions") {
			t.Errorf("got %+v", m.Settings)
		}
	}
}

// TestManifestOfAllCommands: Slack takes the commands of the gateway, each once.
func TestManifestOfAllCommands(t *testing.T) {
	t.Parallel()
	var m struct {
		Features struct {
			Commands []struct {
				Command     string `json:"command"`
				Description string `json:"description"`
				Hint        string `json:"usage_hint"`
			} `json:"slash_commands"`
		} `json:"features"`
	}
	list := gateway.CommandList()
	if err := json.Unmarshal(slack.Manifest(list, true, ""), &m); err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^/[a-z][a-z_-]{0,30}$`)
	seen := map[string]bool{}
	for _, c := range m.Features.Commands {
		if !form.MatchString(c.Command) || seen[c.Command] || c.Description == "" || len(c.Description) > 2000 || len(c.Hint) > 1000 {
			t.Errorf("got %+v", c)
		}
		seen[c.Command] = true
	}
	if len(seen) != len(list)+1 || len(seen) > 50 || !seen["/new"] || seen["/status"] || seen["/help"] {
		t.Errorf("got %d commands for %d: %v", len(seen), len(list), seen)
	}
}
