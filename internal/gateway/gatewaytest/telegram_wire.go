package gatewaytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TelegramRequest is a request that the fake received.
type TelegramRequest struct {
	Method string
	// Params are strings as they are, and other values as JSON.
	Params map[string]string
	Files  map[string]gateway.File
	At     time.Time
	// Status is the code of the answer; 0 if a step answered.
	Status int
}

// Int is a whole number among the parameters; 0 if it is absent or none.
func (r *TelegramRequest) Int(name string) int64 {
	n, err := strconv.ParseInt(r.Params[name], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// decode reads a parameter that is JSON; an absent one leaves v.
func (r *TelegramRequest) decode(name string, v any) error {
	if r.Params[name] == "" {
		return nil
	}
	if json.Unmarshal([]byte(r.Params[name]), v) != nil {
		return tgBad("can't parse " + name + ": it is no valid JSON")
	}
	return nil
}

// maxTelegramBody is the size of the largest request: a file of 50 MB.
const maxTelegramBody = 51 << 20

// readTelegram reads the parameters of a request: JSON, a form, or a form with files.
func readTelegram(r *http.Request, method string) (*TelegramRequest, error) {
	req := &TelegramRequest{Method: method, Params: map[string]string{}, Files: map[string]gateway.File{}}
	for name, values := range r.URL.Query() {
		req.Params[name] = values[0]
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxTelegramBody))
	if err != nil || len(body) == 0 {
		return req, err
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch kind {
	case "application/json":
		err = req.readJSON(body)
	case "multipart/form-data":
		r.Body = io.NopCloser(bytes.NewReader(body))
		err = req.readForm(r)
	case "application/x-www-form-urlencoded":
		var values url.Values
		values, err = url.ParseQuery(string(body))
		for name := range values {
			req.Params[name] = values.Get(name)
		}
	default:
		err = errors.New("unsupported content type")
	}
	return req, err
}

// readJSON reads an object of parameters.
func (r *TelegramRequest) readJSON(body []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(body, &values); err != nil {
		return errors.New("can't parse the JSON object")
	}
	for name, raw := range values {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			r.Params[name] = text
		} else {
			r.Params[name] = string(raw)
		}
	}
	return nil
}

// readForm reads a form with files.
func (r *TelegramRequest) readForm(in *http.Request) error {
	if err := in.ParseMultipartForm(maxTelegramBody); err != nil {
		return errors.New("can't parse the form")
	}
	for name, values := range in.MultipartForm.Value {
		r.Params[name] = values[0]
	}
	for name, files := range in.MultipartForm.File {
		f, err := files[0].Open()
		if err != nil {
			return err
		}
		data, err := io.ReadAll(f)
		_ = f.Close()
		if err != nil {
			return err
		}
		r.Files[name] = gateway.File{Name: files[0].Filename, Data: data}
	}
	return nil
}

// tgError is a refusal of the Bot API.
type tgError struct {
	Code        int
	Description string
	RetryAfter  int
	MigrateTo   int64
}

// Error returns the description.
func (e *tgError) Error() string { return e.Description }

// tgBad is a refusal with code 400.
func tgBad(text string) error { return &tgError{Code: 400, Description: "Bad Request: " + text} }

// tgAnswer is an answer of the Bot API: a result or a refusal.
type tgAnswer struct {
	result any
	err    *tgError
}

// tgFailure is an answer that refuses.
func tgFailure(code int, description string) tgAnswer {
	return tgAnswer{err: &tgError{Code: code, Description: description}}
}

// status is the answer's HTTP status.
func (a tgAnswer) status() int {
	if a.err != nil {
		return a.err.Code
	}
	return http.StatusOK
}

// write sends the answer.
func (a tgAnswer) write(w http.ResponseWriter) {
	body := map[string]any{"ok": true, "result": a.result}
	if e := a.err; e != nil {
		body = map[string]any{"ok": false, "error_code": e.Code, "description": e.Description}
		parameters := map[string]any{}
		if e.RetryAfter > 0 {
			parameters["retry_after"] = e.RetryAfter
		}
		if e.MigrateTo != 0 {
			parameters["migrate_to_chat_id"] = e.MigrateTo
		}
		if len(parameters) > 0 {
			body["parameters"] = parameters
		}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		http.Error(w, fmt.Sprint(err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.status())
	_, _ = w.Write(raw)
}

// tgBotID is the id of the bot in its token.
func tgBotID(token string) int64 {
	id, _, _ := strings.Cut(token, ":")
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 1
	}
	return n
}
