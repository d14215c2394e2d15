package upstreamtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// hear answers a call for the words of a recording. Only the refusal and the raw body of a
// step count.
func (s *Server) hear(w http.ResponseWriter, r *http.Request, req *Request) {
	var step Step
	if s.opt.HeardStep != nil {
		step = s.opt.HeardStep(req)
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case step.refuses():
		w.WriteHeader(step.Status)
		_, _ = w.Write([]byte(step.Body))
		return
	case step.Raw != nil:
		_, _ = w.Write(step.Raw)
		return
	}
	recording, problem := recordingOf(r, req)
	if problem != "" {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(Refuse(http.StatusBadRequest, "invalid_form", problem).Body))
		return
	}
	text := "words"
	if s.opt.Heard != nil {
		text = s.opt.Heard(recording)
	}
	_ = json.NewEncoder(w).Encode(map[string]string{"text": text})
}

// recordingOf is the recording of a form, or what is wrong with the form.
func recordingOf(r *http.Request, req *Request) (recording []byte, problem string) {
	const room = 32 << 20
	form := &http.Request{Method: http.MethodPost, Header: r.Header, Body: io.NopCloser(bytes.NewReader(req.Body))}
	if err := form.ParseMultipartForm(room); err != nil {
		return nil, err.Error()
	}
	if form.FormValue("model") == "" {
		return nil, "the form names no model"
	}
	files := form.MultipartForm.File["file"]
	if len(files) != 1 || !strings.Contains(files[0].Filename, ".") {
		return nil, "the form has no file whose name has an ending"
	}
	in, err := files[0].Open()
	if err != nil {
		return nil, err.Error()
	}
	defer func() { _ = in.Close() }()
	recording = make([]byte, files[0].Size)
	if _, err := in.ReadAt(recording, 0); err != nil && len(recording) > 0 {
		return nil, err.Error()
	}
	return recording, ""
}
