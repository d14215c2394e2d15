package discord

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// isFileHost reports whether a host belongs to Discord's content network.
func isFileHost(host string) bool {
	return host == "cdn.discordapp.com" || host == "media.discordapp.net"
}

var errForeignFile = fault.New(fault.Forbidden, "foreign_file", "The file is not at Discord's own hosts.")

// Fetch opens a file of Discord's content network. The token is not sent there.
func (a *Adapter) Fetch(ctx context.Context, f gateway.FileRef) (io.ReadCloser, error) {
	u, err := url.Parse(f.Ref)
	if err != nil || !a.ours(u) {
		return nil, errForeignFile
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errForeignFile
	}
	q.Header.Set("User-Agent", userAgent)
	client := *a.http
	client.Timeout = fetchTimeout
	answer, err := client.Do(q)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "file_unreachable", "Discord's file server cannot be reached.", plain(err))
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return nil, fetchError(answer.StatusCode)
	}
	if answer.ContentLength > maxFetched {
		_ = answer.Body.Close()
		return nil, errTooLarge()
	}
	return &bounded{answer.Body, maxFetched}, nil
}

// ours reports whether a URL is at a host of Discord.
func (a *Adapter) ours(u *url.URL) bool {
	if u.User != nil {
		return false
	}
	if u.Scheme == "https" && isFileHost(u.Host) {
		return true
	}
	return a.cfg.FileHost != "" && u.Host == a.cfg.FileHost
}

func fetchError(status int) error {
	cause := fmt.Errorf("status %d", status)
	switch {
	case status >= 300 && status < 400:
		return errForeignFile
	case status == http.StatusNotFound || status == http.StatusForbidden || status == http.StatusGone:
		return fault.Wrap(fault.NotFound, "file_gone", "Discord does not have the file any more.", cause)
	}
	return fault.Wrap(fault.Unavailable, "file_unreachable", "Discord's file server has a failure of its own.", cause)
}

// bounded is a body that ends with an error behind a number of bytes.
type bounded struct {
	io.ReadCloser
	left int64
}

// maxFetched is the size of the largest file that is fetched, in bytes. People with a paid
// account send larger files than bots may.
const maxFetched = 20 << 20

// errTooLarge is the error of a file over the limit.
func errTooLarge() error {
	return fault.New(fault.TooLarge, "file_too_large", "Files of Discord are fetched up to 20 MB.")
}

// Read reads, and fails behind the bound.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge()
	}
	return n, err
}
