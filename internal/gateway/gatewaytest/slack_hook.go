package gatewaytest

import (
	"encoding/json"
	"net/http"
	"slices"
)

// SlackResponse is an answer that was sent to a response URL.
type SlackResponse struct {
	Hook   string // the last part of the URL
	Type   string `json:"response_type"`
	Text   string `json:"text"`
	Blocks []any  `json:"blocks"`
}

// CommandElsewhere calls a slash command in a channel without the bot, with a response URL, and returns the Event.ID.
func (s *Slack) CommandElsewhere(user, command, hook string) string {
	s.mu.Lock()
	trigger := s.next("trigger-")
	s.mu.Unlock()
	s.Deliver("slash_commands", map[string]any{
		"team_id": SlackTeam, "channel_id": "C0ELSEWHERE", "channel_name": "elsewhere", "user_id": user, "command": command,
		"trigger_id": trigger, "response_url": hook,
	}, trigger)
	return trigger
}

// HookURL is a response URL of the fake. A hook named "used" is refused.
func (s *Slack) HookURL(hook string) string { return s.server.URL + "/hooks/" + hook }

// Responses are the answers that were sent to response URLs.
func (s *Slack) Responses() []SlackResponse {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.responses)
}

// respond takes an answer at a response URL. No token may be sent there.
func (s *Slack) respond(w http.ResponseWriter, r *http.Request) {
	got := SlackResponse{Hook: r.PathValue("hook")}
	err := json.NewDecoder(r.Body).Decode(&got)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || r.Header.Get("Authorization") != "" {
		s.breach("a response that cannot be read, or with a token: %v", err)
	}
	if got.Hook == "used" {
		http.Error(w, "used_url", http.StatusNotFound)
		return
	}
	s.responses = append(s.responses, got)
	_, _ = w.Write([]byte("ok"))
}
