// Package mcpserver is the door for clients of the Model Context Protocol: recall,
// remember, forget and session_search. Like the terminal it is a client of the API and
// calls it with the caller's key. Only the API decides what a key may see and do.
package mcpserver

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// API calls the API for one caller.
type API struct {
	Client *http.Client
	Base   string // "http://host:port", without a path
	// Authorization is the caller's header; "" sends none.
	Authorization string
	// SessionID and SessionKey are the scope for calls that name none.
	SessionID, SessionKey string
	// Log records panics; nil for no log.
	Log *slog.Logger
}

const instructions = "A memory that lasts over conversations. Use recall before asking for something that may have been said before, " +
	"remember for what is worth keeping, and forget only when the user asks for it. session_id or session_key say whose memory is meant."

// New returns a server with the tools, for one caller.
func New(api API, version string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "hermes", Title: "hermes memory", Version: version},
		&mcp.ServerOptions{Instructions: instructions})
	api.addTools(s)
	s.AddReceivingMiddleware(api.guard)
	return s
}

// guard converts a panic to an error, because the library runs handlers in new
// goroutines.
func (a *API) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (res mcp.Result, err error) {
		err = recovery.Do(func() (err error) {
			res, err = next(ctx, method, r)
			return err
		})
		if recovery.Is(err) {
			if a.Log != nil {
				recovery.Log(ctx, a.Log, "a call by an MCP client", err, "method", method)
			}
			return nil, errBroken
		}
		return res, err
	}
}

// errBroken is the error for a client after a panic.
var errBroken = errors.New("internal error; the server's log has the details")

// Options are the dependencies of the HTTP door.
type Options struct {
	Client  *http.Client
	Base    string
	Version string
	Log     *slog.Logger
}

// maxBody is the maximum size of a request, in bytes; the API has the same limit.
const maxBody = 10_000_000

// Handler answers POST /mcp. It keeps no protocol sessions: every request is
// independent and uses its own key. The caller has authenticated the request.
func Handler(o Options) http.Handler {
	server := func(r *http.Request) *mcp.Server {
		return New(API{
			Client: o.Client, Base: o.Base, Authorization: r.Header.Get("Authorization"),
			SessionID: r.Header.Get("X-Hermes-Session-Id"), SessionKey: r.Header.Get("X-Hermes-Session-Key"), Log: o.Log,
		}, o.Version)
	}
	return mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: o.Log, MaxRequestBodyBytes: maxBody,
		DisableLocalhostProtection: true, // the API checks the host name
	})
}
