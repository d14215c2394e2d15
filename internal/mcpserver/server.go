// Package mcpserver is the door for programs that speak the Model Context
// Protocol: recall, remember, forget and session_search. Like the terminal it is
// a client of the API, and calls it with the key of whoever called: what a key
// may see and do is decided there, and nowhere twice.
package mcpserver

import (
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// API is the way to the API for one caller.
type API struct {
	Client *http.Client
	Base   string // "http://host:port", without a path
	// Authorization is the caller's header; "" sends none.
	Authorization string
	// SessionID and SessionKey say whose memory is meant where a call does not.
	SessionID, SessionKey string
}

const instructions = "A memory that lasts over conversations. Use recall before asking for something that may have been said before, " +
	"remember for what is worth keeping, and forget only when the user asks for it. session_id or session_key say whose memory is meant."

// New returns a server with the tools, for one caller.
func New(api API, version string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "hermes", Title: "hermes memory", Version: version}, &mcp.ServerOptions{Instructions: instructions})
	api.addTools(s)
	return s
}

// Options are what the HTTP door is built from.
type Options struct {
	Client  *http.Client
	Base    string
	Version string
	Log     *slog.Logger
}

// maxBody is the largest request, in bytes; the API in front has the same limit.
const maxBody = 10_000_000

// Handler answers POST /mcp. It keeps no sessions of the protocol: every request
// stands for itself, and is done with the key it brings. Whether it may come in
// at all was decided before.
func Handler(o Options) http.Handler {
	server := func(r *http.Request) *mcp.Server {
		return New(API{
			Client: o.Client, Base: o.Base, Authorization: r.Header.Get("Authorization"),
			SessionID: r.Header.Get("X-Hermes-Session-Id"), SessionKey: r.Header.Get("X-Hermes-Session-Key"),
		}, o.Version)
	}
	return mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: o.Log, MaxRequestBodyBytes: maxBody,
		DisableLocalhostProtection: true, // the API's own guard knows the names that are allowed
	})
}
