package whatsapp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// maxFile is the size of the largest file that is sent or fetched, in bytes.
const maxFile = 20 << 20

// media is a file as the API shows it. The URL is good for five minutes.
type media struct {
	URL  string `json:"url"`
	Size int64  `json:"file_size"`
}

// Fetch opens a file. It reads only from Meta's servers and follows no redirects: the
// request has the token.
func (a *Adapter) Fetch(ctx context.Context, f gateway.FileRef) (io.ReadCloser, error) {
	if !regexp.MustCompile(`^[0-9A-Za-z_-]{1,128}$`).MatchString(f.Ref) {
		return nil, fault.New(fault.NotFound, "file_not_found", "The file has no id of WhatsApp.")
	}
	var m media
	if err := a.client.get(ctx, f.Ref, url.Values{"phone_number_id": {a.cfg.PhoneNumberID}}, &m); err != nil {
		return nil, fetchError(a.heed(err))
	}
	if m.Size > maxFile {
		return nil, errTooLarge()
	}
	if !a.ours(m.URL) {
		return nil, fault.New(fault.Upstream, "invalid_file_url", "WhatsApp names no usable address of the file.")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch a file: %w", bare(err))
	}
	resp, err := a.client.open(req)
	if err != nil {
		return nil, fetchError(err)
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fetchError(&refusal{status: resp.StatusCode, page: resp.StatusCode >= http.StatusInternalServerError})
	}
	if resp.ContentLength > maxFile {
		_ = resp.Body.Close()
		return nil, errTooLarge()
	}
	return &boundedFile{ReadCloser: resp.Body, left: maxFile}, nil
}

// ours reports whether a URL is one of Meta's servers, over https, or the configured API.
func (a *Adapter) ours(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || u.User != nil {
		return false
	}
	if api, err := url.Parse(a.cfg.API); err == nil && u.Scheme == api.Scheme && u.Host == api.Host {
		return true
	}
	return u.Scheme == "https" && metaHost(u.Host)
}

// metaHost reports whether a host serves the files of WhatsApp.
func metaHost(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ":443")
	return host == "lookaside.fbsbx.com" || strings.HasSuffix(host, ".whatsapp.net") || strings.HasSuffix(host, ".fbcdn.net")
}

// errTooLarge is the error of a file over the limit.
func errTooLarge() error {
	return fault.New(fault.TooLarge, "file_too_large", "Files of WhatsApp are kept up to 20 MB.")
}

// fetchError is why a file cannot be had.
func fetchError(err error) error {
	r, ok := errors.AsType[*refusal](err)
	switch {
	case !ok || r.page || r.verdict().reason == gateway.Limited:
		return fault.Wrap(fault.Unavailable, "file_unavailable", "WhatsApp does not give the file now.", err)
	case r.fatal():
		return fault.Wrap(fault.Unavailable, "file_unavailable", r.verdict().text, err)
	}
	return fault.Wrap(fault.NotFound, "file_not_found", "WhatsApp does not have the file any more.", err)
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

// typeOf is the type of a file that is sent. WhatsApp takes few types, and shows plain text
// on every device.
func typeOf(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".pdf":
		return "application/pdf"
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	default:
		return "text/plain"
	}
}

// attach uploads the file of a message. Nobody sees a file before a message names it, so
// an upload that broke off has sent nothing.
func (a *Adapter) attach(ctx context.Context, o *gateway.Out, m *message) error {
	if o.File == nil {
		return nil
	}
	if len(o.File.Data) > maxFile {
		return refused("The file is too large for WhatsApp.", nil)
	}
	id, err := a.upload(ctx, o.File)
	if err != nil {
		failed := a.notSent(o.Place.Chat, err)
		if failed.Reason == gateway.Unknown {
			failed.Reason = gateway.Temporary
		}
		return failed
	}
	m.Document.ID = id
	return nil
}

// upload gives a file to WhatsApp, and returns its id.
func (a *Adapter) upload(ctx context.Context, f *gateway.File) (string, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="file` + extension(f.Name) + `"`}, "Content-Type": {typeOf(f.Name)},
	})
	if err == nil {
		_, err = part.Write(f.Data)
	}
	err = errors.Join(err, form.WriteField("messaging_product", "whatsapp"), form.WriteField("type", typeOf(f.Name)), form.Close())
	if err != nil {
		return "", &broken{err: fmt.Errorf("write the form: %w", err)}
	}
	var answer struct {
		ID string `json:"id"`
	}
	err = a.heed(a.client.send(ctx, a.cfg.PhoneNumberID+"/media", form.FormDataContentType(), body.Bytes(), &answer))
	if err == nil && answer.ID == "" {
		err = &broken{err: errors.New("the answer names no file")}
	}
	return answer.ID, err
}

// extension is the end of a file's name, if it is a plain one.
func extension(name string) string {
	if e := filepath.Ext(name); regexp.MustCompile(`^\.[A-Za-z0-9]{1,8}$`).MatchString(e) {
		return e
	}
	return ".txt"
}
