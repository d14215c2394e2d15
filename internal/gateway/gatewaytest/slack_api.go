package gatewaytest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// slackMethod carries out a method of the Web API, with the lock held. It returns what
// stands in the answer beside "ok", or a code.
type slackMethod func(args url.Values) (map[string]any, string)

// handler is the fake's server.
func (s *Slack) handler() http.Handler {
	methods := map[string]slackMethod{
		"auth.test":                    s.authTest,
		"users.info":                   s.usersInfo,
		"conversations.info":           s.conversationsInfo,
		"conversations.history":        s.history,
		"conversations.replies":        s.history,
		"chat.postMessage":             s.postMessage,
		"chat.update":                  s.update,
		"reactions.add":                s.reactionsAdd,
		"reactions.remove":             s.reactionsRemove,
		"assistant.threads.setStatus":  s.setStatus,
		"files.getUploadURLExternal":   s.uploadURL,
		"files.completeUploadExternal": s.completeUpload,
		"files.info":                   s.filesInfo,
		"apps.connections.open":        s.connectionsOpen,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/{method}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("method")
		method, ok := methods[name]
		if !ok {
			s.note("an unknown method: %s", name)
			answerJSON(w, map[string]any{"ok": false, "error": "unknown_method"})
			return
		}
		s.method(w, r, name, method)
	})
	mux.HandleFunc("POST /upload/{id}", s.takeUpload)
	mux.HandleFunc("GET /files/{id}", s.giveFile)
	mux.HandleFunc("GET /link", s.link)
	mux.HandleFunc("POST /hooks/{hook}", s.respond)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.note("an unknown address: %s %s", r.Method, r.URL.Path)
		http.NotFound(w, r)
	})
	return mux
}

// note notes what was wrong.
func (s *Slack) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.breach(format, args...)
}

// method answers one request of the Web API.
func (s *Slack) method(w http.ResponseWriter, r *http.Request, name string, method slackMethod) {
	fault := s.fault(name)
	if s.fail(w, fault) {
		return
	}
	if err := r.ParseForm(); err != nil {
		answerJSON(w, map[string]any{"ok": false, "error": "invalid_form_data"})
		return
	}
	want := SlackBotToken
	if name == "apps.connections.open" {
		want = SlackAppToken
	}
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if bearer != want && r.PostForm.Get("token") != want {
		answerJSON(w, map[string]any{"ok": false, "error": "invalid_auth"})
		return
	}
	s.mu.Lock()
	content, code := method(r.PostForm)
	scopes := s.scopes()
	s.mu.Unlock()
	if fault.CutAfter || !linger(r.Context(), s.ctx.Done(), fault.Late) {
		cutOff(w)
		return
	}
	w.Header().Set("X-OAuth-Scopes", scopes)
	switch {
	case code == codeLimited:
		w.Header().Set("Retry-After", fmt.Sprint(content["retry_after"]))
		http.Error(w, "ratelimited", http.StatusTooManyRequests)
	case code != "":
		answerJSON(w, map[string]any{"ok": false, "error": code})
	default:
		if content == nil {
			content = map[string]any{}
		}
		content["ok"] = true
		answerJSON(w, content)
	}
}

// scopes is the list of what the app may do.
func (s *Slack) scopes() string {
	if s.options.Scopes != nil {
		return strings.Join(s.options.Scopes, ",")
	}
	return "app_mentions:read,channels:history,channels:read,chat:write,commands,files:read,files:write,groups:history,groups:read," +
		"im:history,im:read,mpim:history,mpim:read,reactions:write,users:read"
}

func answerJSON(w http.ResponseWriter, content any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(content)
}

func (s *Slack) authTest(url.Values) (map[string]any, string) {
	return map[string]any{
		"url": "https://team.slack.com/", "team": "Team", "user": SlackBotName,
		"team_id": SlackTeam, "user_id": SlackBotUser, "bot_id": SlackBotID,
	}, ""
}

func (s *Slack) usersInfo(args url.Values) (map[string]any, string) {
	for name, id := range s.people {
		if id == args.Get("user") {
			return map[string]any{"user": map[string]any{
				"id": id, "name": strings.ToLower(name), "real_name": name, "tz": "Europe/Berlin", "is_bot": false,
				"profile": map[string]any{"display_name": name, "real_name": name},
			}}, ""
		}
	}
	return nil, "user_not_found"
}

func (s *Slack) conversationsInfo(args url.Values) (map[string]any, string) {
	c, ok := s.chats[args.Get("channel")]
	if !ok {
		return nil, "channel_not_found"
	}
	info := map[string]any{
		"id": c.id, "is_im": c.kind == gateway.DM, "is_mpim": c.kind == gateway.Group, "is_channel": c.kind == gateway.Channel,
	}
	if c.kind != gateway.DM {
		info["name"], info["is_member"] = c.name, true
	}
	return map[string]any{"channel": info}, ""
}
