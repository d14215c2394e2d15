package httpapi

import (
	"net/http"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/trail"
)

// withoutKey are the writing routes that a server with --no-auth allows without a key:
// a turn in a new session, what only computes, and the MCP route, which leads back to these routes. All
// other writes need a key, because they reach data of key holders or make keys. So does
// every verb that changes a run or a stored response: runs do not record which caller
// began them, so a caller without a key could end the run of a key holder.
var withoutKey = map[string]bool{
	"POST /v1/chat/completions":       true,
	"POST /v1/messages":               true,
	"POST /v1/messages/count_tokens":  true,
	"POST /v1/responses":              true,
	"POST /v1/responses/compact":      true,
	"POST /v1/responses/input_tokens": true,
	"POST /v1/runs":                   true,
	"POST " + mcpPath:                 true,
	"POST " + signInPath:              true, // says that it is not needed
}

// hasNoKey reports whether the caller was admitted only because the server runs with
// --no-auth.
func hasNoKey(r *http.Request) bool { return ownerOf(r).By() == trail.Anybody }

// checkNoKey restricts a caller without a key to reading and to turns in new sessions.
// It refuses a session id or key in headers and in the query. Handlers whose bodies may
// name a session call refuseSession.
func checkNoKey(r *http.Request, rt route) error {
	if !hasNoKey(r) {
		return nil
	}
	if rt.method != http.MethodGet && !withoutKey[rt.method+" "+rt.path] {
		return errKeyRequired("")
	}
	for _, name := range []string{"session_id", "session_key"} {
		if r.URL.Query().Has(name) {
			return errKeyRequired(name)
		}
	}
	for _, name := range []string{sessionIDHeader, sessionKeyHeader} {
		if strings.Trim(strings.Join(r.Header.Values(name), ""), " ") != "" {
			return fault.New(fault.Forbidden, "session_auth_required",
				"Session headers require API key authentication, and this server runs with --no-auth. Configure API_SERVER_KEY to use them.")
		}
	}
	return nil
}

// refuseSession refuses a session that a caller without a key names in a member of the
// body.
func refuseSession(r *http.Request, member, value string) error {
	if value == "" || !hasNoKey(r) {
		return nil
	}
	return errKeyRequired(member)
}

// errKeyRequired refuses a caller without a key. param is the parameter that names the
// session.
func errKeyRequired(param string) error {
	f := fault.New(fault.Forbidden, "session_auth_required",
		"This requires API key authentication, and this server runs with --no-auth, which allows reading and chats without a session. "+
			"Configure API_SERVER_KEY, or use the hermes command on this machine.")
	if param == "" {
		return f
	}
	return f.At(param)
}
