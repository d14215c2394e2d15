package upstreamtest

import (
	"cmp"
	"context"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// wire writes a step in the words of one API.
type wire interface {
	// whole is an answer that is not streamed.
	whole(s *Step) []byte
	// stream is the beginning of a streamed answer, its pieces, and its proper end.
	stream(s *Step) (head []byte, pieces [][]byte, end []byte)
	// failure is an error in the middle of a stream.
	failure(object string) []byte
}

// answer plays one step.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, req *Request, speak wire) {
	step := s.step(req)
	ctx := r.Context()
	if !wait(ctx, step.Before, step.Hold) {
		offer(s.left, req)
		return
	}
	h := w.Header()
	streaming := req.Streaming && step.Shape != AsJSON || step.Shape == AsStream
	h.Set("Content-Type", "application/json")
	if streaming && !step.refuses() {
		h.Set("Content-Type", "text/event-stream")
	}
	for name, values := range step.Header {
		h[name] = values
	}
	switch {
	case step.refuses():
		w.WriteHeader(step.Status)
		_, _ = w.Write([]byte(step.Body))
	case step.Raw != nil:
		_, _ = w.Write(step.Raw)
	case streaming:
		s.play(ctx, w, req, &step, speak)
	default:
		if step.Hang {
			<-ctx.Done()
			offer(s.left, req)
			return
		}
		body := speak.whole(&step)
		h.Set("Content-Length", strconv.Itoa(len(body)))
		if step.Cut {
			_, _ = w.Write(body[:len(body)/2])
			abort(w)
		}
		_, _ = w.Write(body)
	}
}

func (s *Step) refuses() bool { return s.Status != 0 && s.Status != http.StatusOK }

// play streams a step. Without waits between the pieces it is one write, because a
// benchmark measures the client and not this server.
func (s *Server) play(ctx context.Context, w http.ResponseWriter, req *Request, step *Step, speak wire) {
	head, pieces, end := speak.stream(step)
	if step.Cut {
		pieces = pieces[:min(step.CutAfter, len(pieces))]
	}
	out := http.NewResponseController(w)
	slow := step.Between > 0 || step.Next != nil
	_, _ = w.Write(head)
	for _, piece := range pieces {
		if slow {
			_ = out.Flush()
			if !wait(ctx, step.Between, step.Next) {
				offer(s.left, req)
				return
			}
		}
		_, _ = w.Write(piece)
	}
	switch {
	case step.Hang:
		_ = out.Flush()
		<-ctx.Done()
		offer(s.left, req)
	case step.Cut && !step.Clean:
		abort(w)
	case step.Cut:
	case step.Garbage != "":
		_, _ = w.Write([]byte("data: " + step.Garbage + "\n\n"))
	case step.ErrorMidStream != "":
		_, _ = w.Write(speak.failure(step.ErrorMidStream))
	default:
		if slow {
			_ = out.Flush()
		}
		_, _ = w.Write(end)
	}
}

// abort breaks the connection.
func abort(w http.ResponseWriter) {
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// list answers /models in a form that serves both wires.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	b := []byte(`{"object":"list","data":[`)
	for i, name := range s.opt.Models {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"id":`...)
		b = append(b, quote(name)...)
		b = append(b, `,"object":"model","created":1700000000,"owned_by":"upstreamtest"`...)
		if r.Header.Get("Anthropic-Version") != "" {
			b = append(b, `,"type":"model","created_at":"2023-11-14T22:13:20Z"`...)
		}
		b = append(b, '}')
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, `],"has_more":false}`...))
}

func quote(s string) []byte {
	b, _ := jsontext.AppendQuote(nil, s)
	return b
}

func (r *Request) model(s *Step) string {
	return cmp.Or(s.Model, r.Model, "scripted-model")
}
