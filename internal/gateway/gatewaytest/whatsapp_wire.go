package gatewaytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// WhatsAppRequest is a request that the fake received.
type WhatsAppRequest struct {
	// Kind is what was asked for: "phone", "permissions", "upload", "media", "download",
	// "read", or the type of a message, such as "text".
	Kind string
	Path string // without the version
	Body json.RawMessage
	File *gateway.File // of an upload
	Mime string        // of an upload
	At   time.Time

	message waRequest
}

// kinds are the names under which steps are looked for.
func (r *WhatsAppRequest) kinds() []string {
	switch r.Kind {
	case "text", "interactive", "document":
		return []string{r.Kind, "send", ""}
	}
	return []string{r.Kind, ""}
}

// waRequest is the body of a request to send. Other fields are refused.
type waRequest struct {
	Product       string `json:"messaging_product"`
	RecipientType string `json:"recipient_type"`
	To            string `json:"to"`
	Recipient     string `json:"recipient"`
	Type          string `json:"type"`
	Callback      string `json:"biz_opaque_callback_data"`
	Context       *struct {
		Message string `json:"message_id"`
	} `json:"context"`
	Text *struct {
		Body    string `json:"body"`
		Preview bool   `json:"preview_url"`
	} `json:"text"`
	Interactive *waInteractive `json:"interactive"`
	Document    *struct {
		ID       string `json:"id"`
		Filename string `json:"filename"`
		Caption  string `json:"caption"`
	} `json:"document"`
	Reaction *struct {
		Message string  `json:"message_id"`
		Emoji   *string `json:"emoji"`
	} `json:"reaction"`
	Template *struct {
		Name     string `json:"name"`
		Language struct {
			Code string `json:"code"`
		} `json:"language"`
	} `json:"template"`
	Status  string `json:"status"`
	Message string `json:"message_id"`
	Typing  *struct {
		Type string `json:"type"`
	} `json:"typing_indicator"`
}

// waInteractive is a message with buttons.
type waInteractive struct {
	Type string `json:"type"`
	Body struct {
		Text string `json:"text"`
	} `json:"body"`
	Action struct {
		Buttons []struct {
			Type  string `json:"type"`
			Reply struct {
				ID    string `json:"id"`
				Title string `json:"title"`
			} `json:"reply"`
		} `json:"buttons"`
	} `json:"action"`
}

// maxWhatsAppBody is the size of the largest request: a file of 100 MB.
const maxWhatsAppBody = 101 << 20

// readWhatsApp reads a request.
func readWhatsApp(r *http.Request) (*WhatsAppRequest, error) {
	if path, ok := strings.CutPrefix(r.URL.Path, "/media/"); ok {
		return &WhatsAppRequest{Kind: "download", Path: path}, nil
	}
	path, ok := strings.CutPrefix(r.URL.Path, "/"+waVersion+"/")
	if !ok {
		return nil, errors.New("unknown version of the API")
	}
	switch {
	case r.Method == http.MethodGet && path == "me/permissions":
		return &WhatsAppRequest{Kind: "permissions", Path: path}, nil
	case r.Method == http.MethodGet && path == WhatsAppPhoneID:
		return &WhatsAppRequest{Kind: "phone", Path: path}, nil
	case r.Method == http.MethodGet:
		return &WhatsAppRequest{Kind: "media", Path: path}, nil
	case path == WhatsAppPhoneID+"/media":
		return readUpload(r)
	case path == WhatsAppPhoneID+"/messages":
		return readMessage(r)
	}
	return nil, errors.New("unsupported request")
}

// readMessage reads a request to send or to mark.
func readMessage(r *http.Request) (*WhatsAppRequest, error) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxWhatsAppBody))
	if err != nil {
		return nil, err
	}
	req := &WhatsAppRequest{Body: raw}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&req.message); err != nil {
		return nil, fmt.Errorf("invalid JSON: %w", err)
	}
	req.Kind = req.message.Type
	if req.message.Status != "" {
		req.Kind = req.message.Status
	}
	return req, nil
}

// readUpload reads a form with a file.
func readUpload(r *http.Request) (*WhatsAppRequest, error) {
	if err := r.ParseMultipartForm(maxWhatsAppBody); err != nil {
		return nil, errors.New("can't parse the form")
	}
	files := r.MultipartForm.File["file"]
	if r.FormValue("messaging_product") != "whatsapp" || len(files) != 1 {
		return nil, errors.New("the parameters messaging_product and file are required")
	}
	f, err := files[0].Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(f)
	return &WhatsAppRequest{
		Kind: "upload", File: &gateway.File{Name: files[0].Filename, Data: data}, Mime: files[0].Header.Get("Content-Type"),
	}, err
}

// waError is a refusal of the API.
type waError struct {
	Code       int
	Details    string
	Status     int // HTTP; 0 is the usual one of the code
	RetryAfter int // in seconds; 0 for none
}

// Error returns the details.
func (e *waError) Error() string { return e.Details }

// waBad is a refusal.
func waBad(code int, details string) error { return &waError{Code: code, Details: details} }

// status is the HTTP status of a refusal.
func (e *waError) status() int {
	usual := map[int]int{190: 401, 10: 403, 2: 503, 130429: 429, 131000: 500, 131005: 403, 131016: 500}
	switch {
	case e.Status != 0:
		return e.Status
	case usual[e.Code] != 0:
		return usual[e.Code]
	}
	return http.StatusBadRequest
}

// object is a refusal as the API shows it.
func (e *waError) object() map[string]any {
	return map[string]any{
		"message": fmt.Sprintf("(#%d) Refused", e.Code), "type": "OAuthException", "code": e.Code,
		"error_data": map[string]any{"messaging_product": "whatsapp", "details": e.Details}, "fbtrace_id": "AFakeTrace",
	}
}

// waFile is the content of a file as an answer.
type waFile []byte

// waAnswer is an answer of the API: a result or a refusal.
type waAnswer struct {
	result any
	err    *waError
}

// waFailure is an answer that refuses.
func waFailure(code int, details string) waAnswer {
	return waAnswer{err: &waError{Code: code, Details: details}}
}

// write sends the answer.
func (a waAnswer) write(w http.ResponseWriter) {
	if data, ok := a.result.(waFile); ok {
		_, _ = w.Write(data)
		return
	}
	status, body := http.StatusOK, a.result
	if a.err != nil {
		status, body = a.err.status(), map[string]any{"error": a.err.object()}
		if a.err.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(a.err.RetryAfter))
		}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		http.Error(w, fmt.Sprint(err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}
