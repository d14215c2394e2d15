package gatewaytest

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"time"
)

// discordError is an error of the API.
type discordError struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Errors  map[string]any `json:"errors,omitempty"`
}

// discordCall is a request to a route.
type discordCall struct {
	*http.Request
	body  []byte            // the JSON text
	files map[string][]byte // by name
}

// discordRoute is a route of the API.
type discordRoute struct {
	route    string // "POST /channels/{channel}/messages"
	open     bool   // the token is a part of the path
	limit    int    // requests in 5 s; 0 is without a limit
	messages bool   // the limit is DiscordOptions.Messages
	// do carries a request out, under the lock. It returns a status and the answer; nil for
	// none.
	do func(d *Discord, c *discordCall) (int, any)
}

func (r *discordRoute) pattern() string {
	method, path, _ := strings.Cut(r.route, " ")
	return method + " /api/v10" + path
}

// discordRoutes are the routes of the API.
var discordRoutes = sync.OnceValue(func() []*discordRoute {
	return []*discordRoute{
		{route: "GET /gateway", open: true, do: (*Discord).getGateway},
		{route: "GET /users/@me", do: (*Discord).getUser},
		{route: "GET /applications/@me", do: (*Discord).getApplication},
		{route: "GET /applications/{app}/commands", do: (*Discord).getCommands},
		{route: "PUT /applications/{app}/commands", do: (*Discord).putCommands},
		{route: "GET /channels/{channel}", do: (*Discord).getChannel},
		{route: "GET /guilds/{guild}/roles", do: (*Discord).getRoles},
		{route: "GET /channels/{channel}/messages", do: (*Discord).getMessages},
		{route: "POST /channels/{channel}/messages", messages: true, do: (*Discord).postMessage},
		{route: "PATCH /channels/{channel}/messages/{message}", limit: 50, do: (*Discord).patchMessage},
		{route: "POST /channels/{channel}/typing", limit: 5, do: (*Discord).postTyping},
		{route: "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me", limit: 20, do: (*Discord).putReaction},
		{route: "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/@me", limit: 20, do: (*Discord).deleteReaction},
		{route: "POST /interactions/{id}/{token}/callback", open: true, do: (*Discord).postCallback},
		{route: "GET /webhooks/{app}/{token}/messages/{message}", open: true, do: (*Discord).getOriginal},
		{route: "PATCH /webhooks/{app}/{token}/messages/{message}", open: true, do: (*Discord).patchOriginal},
	}
})

func (d *Discord) serve(w http.ResponseWriter, q *http.Request, r *discordRoute) {
	c, err := readCall(q)
	if err != nil {
		d.record(q, nil, http.StatusBadRequest)
		writeDiscord(w, http.StatusBadRequest, discordError{Code: 50109, Message: "The request body contains invalid JSON."})
		return
	}
	f := d.fault(r.route)
	if wait, ok := d.flood(r, q.PathValue("channel")); ok {
		f = wait
	}
	if f.Delay > 0 {
		select {
		case <-time.After(f.Delay):
		case <-q.Context().Done():
		}
	}
	if f.CutBefore {
		d.record(q, c.body, 0)
		cut(w)
		return
	}
	after, ok := d.count(w, r, q)
	d.rested(r, q)
	if status, refused := f.answer(w); refused {
		d.rest(r, q, &f)
		d.record(q, c.body, status)
		return
	}
	if !ok {
		limited := DiscordFault{RetryAfter: after}
		d.rest(r, q, &limited)
		d.record(q, c.body, http.StatusTooManyRequests)
		limitedAnswer(w, after, false)
		return
	}
	status, answer := d.carryOut(r, c)
	d.record(q, c.body, status)
	if f.CutAfter || !linger(q.Context(), nil, f.Late) {
		cut(w)
		return
	}
	writeDiscord(w, status, answer)
}

func (d *Discord) carryOut(r *discordRoute, c *discordCall) (int, any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	auth := c.Header.Get("Authorization")
	if r.open {
		if auth != "" {
			d.breaks("%s was sent the bot's token", r.route)
		}
	} else if auth != "Bot "+DiscordToken || d.badToken {
		return http.StatusUnauthorized, discordError{Message: "401: Unauthorized"}
	}
	if !strings.HasPrefix(c.UserAgent(), "DiscordBot (") {
		d.breaks("the user agent is %q, want DiscordBot (url, version)", c.UserAgent())
	}
	return r.do(d, c)
}

// record records a request with the status of its answer; 0 for none.
func (d *Discord) record(q *http.Request, body []byte, status int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.requests = append(d.requests, DiscordRequest{
		Method: q.Method, Path: strings.TrimPrefix(q.URL.EscapedPath(), "/api/v10"), Query: q.URL.RawQuery,
		Body: body, Status: status, At: d.Now(),
	})
	d.touch()
}

// cut breaks the connection without an answer.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func writeDiscord(w http.ResponseWriter, status int, answer any) {
	if answer == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

// readCall reads a body: JSON, or a form with JSON and files.
func readCall(q *http.Request) (*discordCall, error) {
	c := &discordCall{Request: q}
	kind, params, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	if kind == "multipart/form-data" {
		return c, c.readForm(multipart.NewReader(q.Body, params["boundary"]))
	}
	var err error
	c.body, err = io.ReadAll(q.Body)
	if err == nil && len(c.body) > 0 && !json.Valid(c.body) {
		err = errors.New("not JSON")
	}
	return c, err
}

func (c *discordCall) readForm(form *multipart.Reader) error {
	c.files = make(map[string][]byte)
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return err
		}
		if part.FormName() == "payload_json" {
			c.body = data
			continue
		}
		c.files[part.FileName()] = data
	}
}

// read reads the body of a call. Fields that the API does not have are refused.
func (c *discordCall) read(into any) error {
	dec := json.NewDecoder(strings.NewReader(string(c.body)))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

func invalidForm(field, why string) (int, any) {
	return http.StatusBadRequest, discordError{
		Code: 50035, Message: "Invalid Form Body",
		Errors: map[string]any{field: map[string]any{"_errors": []any{map[string]any{"code": "BASE_TYPE_BAD", "message": why}}}},
	}
}

func unknownThing(code int, what string) (int, any) {
	return http.StatusNotFound, discordError{Code: code, Message: "Unknown " + what}
}
