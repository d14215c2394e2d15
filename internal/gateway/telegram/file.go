package telegram

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-telegram/bot"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// maxFile is the size of the largest file that Telegram gives to bots, in bytes.
const maxFile = 20 << 20

// Fetch opens a file. It reads from the server of the Bot API only, and follows no
// redirects: the file's address holds the token.
func (a *Adapter) Fetch(ctx context.Context, f gateway.FileRef) (io.ReadCloser, error) {
	file, err := a.bot.GetFile(ctx, &bot.GetFileParams{FileID: f.Ref})
	if err != nil {
		return nil, a.fetchError(err)
	}
	if file.FileSize > maxFile {
		return nil, errTooLarge()
	}
	path, err := filePath(file.FilePath)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.api+"/file/bot"+a.cfg.Token+"/"+path, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch a file: %w", a.client.masked(err))
	}
	resp, err := a.client.http.Do(req)
	if err != nil {
		return nil, a.fetchError(&broken{err: a.client.masked(err)})
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, a.fetchError(&refusal{Code: resp.StatusCode, Description: "the file is not served"})
	}
	if resp.ContentLength > maxFile {
		_ = resp.Body.Close()
		return nil, errTooLarge()
	}
	return &boundedFile{ReadCloser: resp.Body, left: maxFile}, nil
}

// filePath checks the path of a file: it must stay below the directory of the bot's files.
func filePath(path string) (string, error) {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if part == "" || part == "." || part == ".." {
			return "", fault.New(fault.Upstream, "invalid_file_path", "Telegram names no usable path of the file.")
		}
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/"), nil
}

// errTooLarge is the error of a file over the limit.
func errTooLarge() error {
	return fault.New(fault.TooLarge, "file_too_large", "Telegram gives bots only files up to 20 MB.")
}

// fetchError is why a file cannot be had.
func (a *Adapter) fetchError(err error) error {
	r, ok := errors.AsType[*refusal](err)
	switch {
	case !ok || r.page || r.Code >= http.StatusInternalServerError:
		return fault.Wrap(fault.Unavailable, "file_unavailable", "Telegram does not give the file now.", a.client.masked(err))
	case r.says("file is too big"):
		return errTooLarge()
	}
	return fault.Wrap(fault.NotFound, "file_not_found", "Telegram does not have the file any more.", r)
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
