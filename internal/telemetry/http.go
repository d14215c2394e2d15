package telemetry

import (
	"context"
	"net/http"
	"strconv"

	"github.com/hermes-memory/hermes/internal/httpapi"
)

// Begin implements httpapi.Observer.
func (t *Telemetry) Begin(ctx context.Context, _ http.Header) (context.Context, func(httpapi.Answered)) {
	m := t.metrics
	m.requestsRunning.Inc()
	return ctx, func(a httpapi.Answered) {
		m.requestsRunning.Dec()
		m.requests.WithLabelValues(a.Method, a.Route, class(a.Status)).Inc()
		m.requestSeconds.WithLabelValues(a.Route).Observe(a.Took.Seconds())
	}
}

// class is the first digit of a status.
func class(status int) string {
	if status < 100 || status > 599 {
		return "other"
	}
	return strconv.Itoa(status/100) + "xx"
}
