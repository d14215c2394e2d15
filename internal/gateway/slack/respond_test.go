package slack_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
)

// TestCommandElsewhere: a command in a channel without the bot is answered at the command's response URL, for the
// person alone.
func TestCommandElsewhere(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	e := r.event(t, r.CommandElsewhere(r.Person("alice"), "/hermes-status", r.HookURL("one")))
	if !e.Mute || e.Interaction == "" || strings.Contains(e.Interaction, "hooks") {
		t.Fatalf("got %+v, want a place in which the bot cannot write, and an answer that is kept out of the store", e)
	}
	o := &gateway.Out{Place: e.Place, Type: e.Type, Text: "Hello <!here>.", Interaction: e.Interaction, Buttons: []gateway.Button{{ID: "a", Label: "Yes"}}}
	m := send(t, r, o)
	got := r.Responses()
	if len(got) != 1 || len(got[0].Blocks) != 2 {
		t.Fatalf("got %+v, want one answer with its buttons", got)
	}
	got[0].Blocks = nil
	if diff := cmp.Diff(gatewaytest.SlackResponse{Hook: "one", Type: "ephemeral", Text: "Hello &lt;!here>."}, got[0]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	err := r.Edit(t.Context(), m, o)
	if failed, ok := errors.AsType[*gateway.SendError](err); !ok || failed.Reason != gateway.Missing {
		t.Errorf("edit: got %v, want it to be missing", err)
	}
	if len(r.Sent()) != 0 {
		t.Errorf("got %+v, want no message", r.Sent())
	}
}

// TestResponseURLs: an answer is posted to Slack's own addresses only, and one that Slack does not take any more is
// given up.
func TestResponseURLs(t *testing.T) {
	t.Parallel()
	r := run(t, gatewaytest.SlackOptions{})
	for url, kept := range map[string]bool{
		"https://hooks.slack.com/commands/1": true, "http://hooks.slack.com/commands/1": false, "https://hooks.slack.com.example/1": false,
		"https://example.com/1": false, "https://hooks.slack.com:444/1": false, "https://u:p@hooks.slack.com/1": false, "": false, ":": false,
		r.HookURL("used"): true,
	} {
		e := r.event(t, r.CommandElsewhere(r.Person("alice"), "/hermes-status", url))
		if !e.Mute || (e.Interaction != "") != kept {
			t.Errorf("%s: got %+v, want it kept: %t", url, e, kept)
		}
		if url != r.HookURL("used") {
			continue
		}
		_, err := r.Send(t.Context(), &gateway.Out{Place: e.Place, Text: "x", Interaction: e.Interaction})
		if failed, ok := errors.AsType[*gateway.SendError](err); !ok || failed.Reason != gateway.Gone {
			t.Errorf("a used URL: got %v, want it gone", err)
		}
	}
	here := r.event(t, r.Command(r.Chat(gateway.Channel, "work"), r.Person("alice"), "/hermes-status", ""))
	if here.Mute || here.Interaction != "" {
		t.Errorf("got %+v, want an answer in the channel", here)
	}
}
