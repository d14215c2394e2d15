package slack

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// byID begins a reference to a file of which only the id is known.
const byID = "file:"

// Fetch opens a file. The token goes to Slack's own hosts only, over https, and no redirect
// is followed.
func (a *Adapter) Fetch(ctx context.Context, f gateway.FileRef) (io.ReadCloser, error) {
	address := f.Ref
	if id, ok := strings.CutPrefix(address, byID); ok {
		var err error
		if address, err = a.address(ctx, id); err != nil {
			return nil, err
		}
	}
	u, err := url.Parse(address)
	if err != nil || !a.own(u) {
		return nil, fault.New(fault.Invalid, "foreign_file", "The file is not on a host of Slack, so it is not fetched.")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, "foreign_file", "The address of the file cannot be read.", err)
	}
	req.Header.Set("Authorization", "Bearer "+a.config.BotToken)
	resp, err := a.http.Do(req)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, "file_unavailable", "Slack does not give the file now.", harmless(err))
	}
	if err := given(resp); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return &boundedFile{ReadCloser: resp.Body, left: maxFile}, nil
}

// given checks that an answer is a file. Slack leads those who may not read a file to the page
// where they can sign in.
func given(resp *http.Response) error {
	switch status := resp.StatusCode; {
	case status == http.StatusOK && resp.ContentLength > maxFile:
		return errTooLarge()
	case status == http.StatusOK:
		return nil
	case status == http.StatusTooManyRequests || status >= http.StatusInternalServerError:
		return fault.New(fault.Unavailable, "file_unavailable", "Slack does not give the file now.")
	}
	return fault.New(fault.NotFound, "file_not_found", "Slack does not have the file any more, or the bot may not read it.")
}

// errTooLarge is the error of a file over the limit.
func errTooLarge() error {
	return fault.New(fault.TooLarge, "file_too_large", "Files of Slack are fetched up to 20 MB.")
}

// boundedFile is a file that fails behind the largest size.
type boundedFile struct {
	io.ReadCloser
	left int64
}

// Read reads on.
func (f *boundedFile) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if f.left -= int64(n); f.left < 0 {
		return 0, errTooLarge()
	}
	return n, err
}

// address asks Slack where a file is.
func (a *Adapter) address(ctx context.Context, id string) (string, error) {
	var r struct {
		answer
		File file `json:"file"`
	}
	if err := a.call(ctx, "files.info", url.Values{"file": {id}}, &r); err != nil {
		return "", refusal(err)
	}
	if r.File.Download != "" {
		return r.File.Download, nil
	}
	return r.File.URL, nil
}

// own reports whether the token may be sent to an address.
func (a *Adapter) own(u *url.URL) bool {
	if u.User != nil {
		return false
	}
	if u.Scheme == a.root.Scheme && u.Host == a.root.Host {
		return true
	}
	host := strings.ToLower(u.Host) // with the port, if there is one
	return u.Scheme == "https" && (host == "slack.com" || strings.HasSuffix(host, ".slack.com"))
}
