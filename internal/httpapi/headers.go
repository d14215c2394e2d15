package httpapi

import (
	"net/http"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/openai"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// The names of this server's headers, in canonical form.
const (
	sessionIDHeader  = "X-Hermes-Session-Id"
	sessionKeyHeader = "X-Hermes-Session-Key"
	rootIDHeader     = "X-Hermes-Lineage-Root-Id"
	createdHeader    = "X-Hermes-Session-Created"
	responderHeader  = "X-Hermes-Responder"
	storeHeader      = "X-Hermes-Store"
	taskHeader       = "X-Hermes-Task"
	budgetHeader     = "X-Hermes-Context-Budget"
	asOfHeader       = "X-Hermes-As-Of"
	detachHeader     = "X-Hermes-Detach"
	runIDHeader      = "X-Hermes-Run-Id"
	idempotencyName  = "Idempotency-Key"
	replayedHeader   = "Idempotency-Replayed"
	toolsOmitted     = "X-Hermes-Tools-Omitted"
	itemsOmitted     = "X-Hermes-Items-Omitted"
)

// sessionHeaders are the headers that choose a transcript and a memory.
type sessionHeaders struct {
	id  session.ID
	key session.Key
	// named says that this server's own header named the session.
	named bool
}

// single returns the value of a header that may be sent once only: two values mean that
// a proxy disagrees with the client about the client's identity.
func single(r *http.Request, name, code string) (string, error) {
	values := r.Header.Values(name)
	if len(values) > 1 {
		return "", fault.New(fault.Invalid, code, "Send the header "+name+" once only.").At(name)
	}
	if len(values) == 0 {
		return "", nil
	}
	value := strings.Trim(values[0], " ")
	return value, checkFilled(name, value)
}

// setSession sets the headers of the effective session.
func setSession(h http.Header, id, root session.ID) {
	h.Set(sessionIDHeader, string(id))
	h.Set(rootIDHeader, string(root))
}

// setStream sets the headers that are known before a turn's answer.
func setStream(h http.Header, st *run.Stream, key session.Key) {
	setSession(h, st.SessionID, st.RootID)
	if key != "" {
		h.Set(sessionKeyHeader, string(key))
	}
	if st.Created {
		h.Set(createdHeader, "true")
	}
	if st.Replayed {
		h.Set(replayedHeader, "true")
	}
	h.Set(responderHeader, string(st.Responder))
}

// setOmitted names the types of tools and of input items that were left out of a request.
func setOmitted(h http.Header, wire *openai.ResponseRequest) {
	for _, out := range []struct {
		name  string
		types []string
	}{{toolsOmitted, wire.OmittedTools}, {itemsOmitted, wire.OmittedItems}} {
		setTypes(h, out.name, out.types)
	}
}

// setTypes lists types in a header, unless there are none.
func setTypes(h http.Header, name string, types []string) {
	if text := typesText(types); text != "" {
		h.Set(name, text)
	}
}

// Bounds of a header that lists types: how many, and the length of each in bytes.
const maxTypes, maxType = 16, 64

// typeRunes are the characters of names of types.
const typeRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

// typesText lists types in a header. A client chose them, so all that is no name is
// replaced.
func typesText(types []string) string {
	out := make([]string, min(len(types), maxTypes))
	for i := range out {
		name := strings.Map(func(r rune) rune {
			if strings.ContainsRune(typeRunes, r) {
				return r
			}
			return '?'
		}, types[i])
		out[i] = name[:min(len(name), maxType)]
	}
	return strings.Join(out, ", ")
}
