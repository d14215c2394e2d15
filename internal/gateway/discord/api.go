package discord

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"github.com/disgoorg/disgo/rest"
)

const (
	// requestTimeout bounds a request, with the upload of a file.
	requestTimeout = 30 * time.Second
	// fetchTimeout bounds the download of a file.
	fetchTimeout = 2 * time.Minute
)

// userAgent has the form that Discord asks for.
const userAgent = "DiscordBot (https://github.com/hermes-memory/hermes, 1)"

// newHTTP is a client that follows no redirects.
func newHTTP(given *http.Client) *http.Client {
	c := &http.Client{}
	if given != nil {
		*c = *given
	}
	if t, ok := http.DefaultTransport.(*http.Transport); ok && c.Transport == nil {
		c.Transport = t.Clone() // its idle connections end with Run
	}
	c.Timeout = 0 // it would end the connection to the gateway; requests have their own bounds
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// api makes requests, each once. Its errors are of type *gateway.SendError.
type api struct {
	client rest.Client
}

func newAPI(c *Config, h *http.Client) *api {
	limited := *h
	limited.Timeout = requestTimeout
	return &api{rest.NewClient(c.Token,
		rest.WithURL(strings.TrimRight(c.APIURL, "/")),
		rest.WithHTTPClient(&limited),
		rest.WithUserAgent(userAgent),
		rest.WithRateLimiter(newLimiter(c.Now)),
		rest.WithLogger(slog.New(slog.DiscardHandler)), // the library logs whole bodies
	)}
}

// do makes a request. The answer is read into out; nil drops it.
func (a *api) do(ctx context.Context, e *rest.CompiledEndpoint, in, out any) error {
	var reached atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { reached.Store(true) },
	})
	err := a.client.Do(e, in, out, rest.WithCtx(ctx))
	return explain(err, reached.Load())
}
