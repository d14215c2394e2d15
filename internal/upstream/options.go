package upstream

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options says which server to call, and with which timeouts.
type Options struct {
	// BaseURL is where the API begins, such as "https://api.openai.com/v1". Paths are
	// appended to it unchanged, with one slash between.
	BaseURL string
	// Key is sent with every call; "" sends none.
	Key Secret
	// Model is the model for prompts that name none. "" means the first model that the
	// server lists, looked up at the first call.
	Model string
	// Transport makes the calls; nil means a separate connection pool.
	Transport http.RoundTripper

	// FirstByte bounds the wait for the first byte of a streamed answer (120 s).
	FirstByte time.Duration
	// Between bounds every later silence in a streamed answer (60 s). Keep-alive
	// comments of the server end a silence.
	Between time.Duration
	// Stream bounds the whole time of a streamed answer (15 min).
	Stream time.Duration
	// Whole bounds an answer that does not stream (10 min). Its first byte comes only
	// when the model has finished.
	Whole time.Duration
	// MaxEvent bounds one event of a stream (16 MiB).
	MaxEvent int
	// MaxBody bounds the size of an answer, streamed or not (64 MiB).
	MaxBody int

	// Log records failures that no caller sees; nil discards them.
	Log *slog.Logger
	// Now is the clock for dates in headers; nil is time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	o.FirstByte = cmp.Or(o.FirstByte, 120*time.Second)
	o.Between = cmp.Or(o.Between, 60*time.Second)
	o.Stream = cmp.Or(o.Stream, 15*time.Minute)
	o.Whole = cmp.Or(o.Whole, 10*time.Minute)
	o.MaxEvent = cmp.Or(o.MaxEvent, 16<<20)
	o.MaxBody = cmp.Or(o.MaxBody, 64<<20)
	if o.Transport == nil {
		o.Transport = newTransport()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

var errBaseURL = errors.New("the base URL must begin with http:// or https:// and name a host")

// parseBase reads a base URL. Its errors never hold the URL, which may hold a
// password.
func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errBaseURL
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.Fragment, u.RawPath = "", ""
	return u, nil
}

// displayURL is the base URL as it may be shown: without user, password, query.
func displayURL(base string) string {
	u, err := parseBase(base)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery = nil, ""
	return u.String()
}
