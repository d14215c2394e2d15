package httpapi

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/session"
)

// Clients that cannot send this server's headers name a conversation or a person in other
// ways. docs/api.md has the order in which names are read.

// userKey begins the session key of a person whom a client names by an id of its own.
const userKey = "user:"

// Headers of front ends that name a conversation or a person.
const (
	openWebUIChat = "X-Openwebui-Chat-Id"
	openWebUIUser = "X-Openwebui-User-Id"
)

// parseSessionHeaders returns the session and the session key that a request's headers
// name, or else the session key of the API key. An empty value counts as absent.
func parseSessionHeaders(r *http.Request) (h sessionHeaders, err error) {
	for _, from := range []struct {
		header, code, before string
		set                  func(string) error
		done                 func() bool
	}{
		{sessionIDHeader, "invalid_session_id", "", h.setID, h.hasID},
		{openWebUIChat, "invalid_session_id", "", h.setID, h.hasID},
		{sessionKeyHeader, "invalid_session_key", "", h.setKey, h.hasKey},
		{openWebUIUser, "invalid_session_key", userKey, h.setKey, h.hasKey},
	} {
		own := from.header == sessionIDHeader || from.header == sessionKeyHeader
		if !own && hasNoKey(r) {
			continue
		}
		text, err := single(r, from.header, from.code)
		if err != nil {
			return h, err
		}
		if text == "" || from.done() {
			continue
		}
		if err := from.set(from.before + text); err != nil {
			return h, err
		}
		h.named = h.named || from.header == sessionIDHeader
	}
	if h.key == "" {
		h.key = session.Key(ownerOf(r).Memory())
	}
	return h, nil
}

func (h *sessionHeaders) hasID() bool  { return h.id != "" }
func (h *sessionHeaders) hasKey() bool { return h.key != "" }

func (h *sessionHeaders) setID(text string) (err error) {
	h.id, err = session.ParseID(text)
	return err
}

func (h *sessionHeaders) setKey(text string) (err error) {
	h.key, err = session.ParseKey(text)
	return err
}

// use takes the names in a request's body where its headers have none. What is no valid
// name is ignored: those members have other meanings, too. A client that sends the
// session header knows this server's headers, so that "user" is no session key of it.
func (t *turnRequest) use(names *openai.Names) {
	if hasNoKey(t.r) {
		return
	}
	if person := filled(names.Person()); t.key == "" && person != "" && !t.named {
		if key, err := session.ParseKey(userKey + person); err == nil {
			t.key = key
		}
	}
	for _, name := range []string{filled(names.Conversation()), randomID(names.CacheKey)} {
		if t.id != "" || name == "" {
			continue
		}
		if id, err := session.ParseID(name); err == nil {
			t.id = id
		}
	}
}

// filled is a name, or "" for a template that the client did not fill in.
func filled(name string) string {
	if unfilled.MatchString(name) {
		return ""
	}
	return name
}

// randomID is a name if it looks like the random id of one conversation, else "". Ids have
// at least 16 characters, with letters and digits, and no words.
func randomID(name string) string {
	digits := 0
	for _, c := range name {
		switch {
		case unicode.IsDigit(c):
			digits++
		case !unicode.IsLetter(c) && c != '-' && c != '_':
			return ""
		}
	}
	if len(name) < 16 || digits < 3 {
		return ""
	}
	return name
}

// unfilled matches the templates of front ends, {{CHAT_ID}}, ${chat_id} and <chat-id>, and
// what is no value as a whole: {chat_id}, and the words of programs.
var unfilled = regexp.MustCompile(
	`\{\{[^{}]*\}\}|\$\{[^{}]*\}|<[\pL_][\pL\pN _.-]*>|^\{[\pL_][\pL\pN_.-]*\}$|^(?i:undefined|null|nan|\[object object\])$`)

// checkFilled refuses a template that the client has not filled in: it would name one
// session or one person for all users of the client.
func checkFilled(header, value string) error {
	template := unfilled.FindString(value)
	if template == "" {
		return nil
	}
	return fault.New(fault.Invalid, "unfilled_template", "The header "+header+" has the template "+template+
		" in place of a value: the client did not fill it in. Correct the header in the client's settings, or leave it out.").At(header)
}

// underKey serves the paths below /k/NAME with the session key NAME, for clients that can
// set only a base URL. The header of the session key takes precedence.
func underKey(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, rest, ok := cutKey(r.URL.EscapedPath())
		if !ok {
			next.ServeHTTP(w, r)
			return
		}
		inner := r.Clone(r.Context())
		inner.URL.Path, inner.URL.RawPath = mustUnescape(rest), rest
		if r.Header.Get(sessionKeyHeader) == "" {
			inner.Header.Set(sessionKeyHeader, name)
		}
		defer func() { r.Pattern = inner.Pattern }() // the mux sets it on the request that it gets
		next.ServeHTTP(w, inner)
	})
}

// checkKeyOf refuses a path /k/NAME/rest whose name is no session key. An empty one is what a
// client sends that has not filled in a variable.
func checkKeyOf(path string) error {
	below, found := strings.CutPrefix(path, "/k/")
	escaped, _, more := strings.Cut(below, "/")
	if !found || !more {
		return nil
	}
	_, err := session.ParseKey(mustUnescape(escaped))
	if err == nil {
		return nil
	}
	f := *asFault(err)
	f.Msg += " It stands after /k/ in the client's base URL."
	return &f
}

// cutKey splits an escaped path /k/NAME/rest into the name and /rest.
func cutKey(path string) (name, rest string, ok bool) {
	below, found := strings.CutPrefix(path, "/k/")
	escaped, rest, more := strings.Cut(below, "/")
	if !found || !more || escaped == "" {
		return "", "", false
	}
	name, err := url.PathUnescape(escaped)
	return name, "/" + rest, err == nil
}

// mustUnescape is the unescaped form of a part of a path that net/http has parsed.
func mustUnescape(path string) string {
	plain, err := url.PathUnescape(path)
	if err != nil {
		return path
	}
	return plain
}
