package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Transcriber asks one speech model of a server.
type Transcriber struct {
	c     *client
	to    *url.URL
	model string
}

// Transcriber is a speech model of the same server.
func (m *OpenAI) Transcriber(model string) *Transcriber {
	return &Transcriber{c: m.c, to: m.c.at("/audio/transcriptions"), model: model}
}

const (
	// transcribeWithin is how long the server may take.
	transcribeWithin = time.Minute
	// maxTranscript is the longest answer that is read, in bytes.
	maxTranscript = 1 << 20
)

// Transcribe returns what is said in a recording, without the white space around it.
// recorded is its MIME type; "" if it is unknown.
func (t *Transcriber) Transcribe(ctx context.Context, recording []byte, recorded string) (string, error) {
	form, kind, err := t.form(recording, recorded)
	if err != nil {
		return "", fault.Wrap(fault.Internal, "", "The request for a transcription could not be encoded.", err)
	}
	a, err := t.c.postForm(ctx, t.to, form, kind, transcribeWithin)
	if err != nil {
		return "", err
	}
	defer a.close()
	raw, err := a.all(maxTranscript)
	if err != nil {
		return "", err
	}
	return parseTranscript(raw)
}

// form is the request as a form, with its type.
func (t *Transcriber) form(recording []byte, recorded string) (form []byte, kind string, err error) {
	name, recorded := nameOfRecording(recorded)
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	err = errors.Join(w.WriteField("model", t.model), w.WriteField("response_format", "json"))
	part, wrong := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="` + name + `"`}, "Content-Type": {recorded},
	})
	if wrong == nil {
		_, wrong = part.Write(recording)
	}
	err = errors.Join(err, wrong, w.Close())
	return b.Bytes(), w.FormDataContentType(), err
}

// nameOfRecording is a name whose ending tells the server the format of a recording, with the
// type. Voice messages are Ogg where the platform says nothing.
func nameOfRecording(recorded string) (name, kind string) {
	kind, _, err := mime.ParseMediaType(recorded)
	if err != nil {
		kind = "audio/ogg"
	}
	ending := map[string]string{
		"audio/ogg": "ogg", "audio/opus": "ogg", "application/ogg": "ogg", "audio/mpeg": "mp3", "audio/mp3": "mp3", "audio/mp4": "m4a",
		"audio/x-m4a": "m4a", "audio/aac": "m4a", "audio/wav": "wav", "audio/x-wav": "wav", "audio/webm": "webm", "video/webm": "webm",
		"video/mp4": "mp4", "audio/flac": "flac",
	}[kind]
	if ending == "" {
		ending, kind = "ogg", "audio/ogg"
	}
	return "voice." + ending, kind
}

// postForm sends a form and returns the server's answer, or a fault if it was refused. The
// caller closes the answer.
func (c *client) postForm(ctx context.Context, to *url.URL, form []byte, kind string, within time.Duration) (*answer, error) {
	sent := &payload{data: form}
	defer sent.drop()
	first, err := sent.body()
	if err != nil {
		return nil, err
	}
	header := c.header.Clone()
	header.Set("Content-Type", kind)
	return c.do(ctx, &http.Request{
		Method: http.MethodPost, URL: to, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: first, ContentLength: int64(len(form)), GetBody: sent.body,
	}, within, 0)
}

// parseTranscript reads an answer in OpenAI's form.
func parseTranscript(raw []byte) (string, error) {
	var said struct {
		Text *string `json:"text"`
	}
	if err := json.Unmarshal(raw, &said); err != nil || said.Text == nil {
		return "", fault.Wrap(fault.Upstream, codeGarbled, "The upstream's transcription is not valid.", err)
	}
	return strings.TrimSpace(strings.ToValidUTF8(*said.Text, "\uFFFD")), nil
}
