package httpapi

import (
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
)

// Detail is the state of a server, for its operators.
type Detail struct {
	Object    string            `json:"object"`
	Status    string            `json:"status"` // ok or unavailable
	Version   string            `json:"version"`
	StartedAt time.Time         `json:"started_at"`
	Responder lineage.Responder `json:"responder"`
	Upstream  Upstream          `json:"upstream"`
	Data      Data              `json:"data"`
	Work      Work              `json:"work"`
	// Platforms are the bots of the chat platforms.
	Platforms []PlatformState `json:"platforms"`
	Keys      struct {
		Valid int `json:"valid"`
		// Development says that the development key is accepted.
		Development bool `json:"development"`
	} `json:"keys"`
}

// Work counts the queued tasks of models, for all owners.
type Work struct {
	Waiting int `json:"waiting"`
	Running int `json:"running"`
	// Failing are those of Waiting whose last attempt failed.
	Failing int `json:"failing"`
	// Error is the error of the newest failure; "" without one.
	Error string `json:"error,omitempty"`
}

// Upstream is the model server: its kind, and whether it answers now.
type Upstream struct {
	Kind string `json:"kind"`
	URL  string `json:"url,omitempty"`
	// Model is the configured name; "" stands for the first model that the server
	// lists.
	Model string `json:"model,omitempty"`
	// Why is the reason for choosing this upstream.
	Why     string   `json:"why"`
	Skipped []string `json:"skipped"`
	// Error says why the upstream does not answer; "" if it does, or if there is no
	// upstream.
	Error  string `json:"error,omitempty"`
	Models int    `json:"models"`
	// Listed says that the upstream lists the configured model.
	Listed bool `json:"listed"`
}

// Data is the state of the database.
type Data struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	// Damage is what a check found, most important first.
	Damage []string `json:"damage"`
	// Rows are the damaged rows that cannot be returned unchanged.
	Rows []string `json:"damaged_rows"`
	// Checked is the depth of the check: quick or deep.
	Checked string `json:"checked"`
	// Index is the state of the text index.
	Index Index `json:"index"`
	// Disk is the disk that the database is on; nil where the system does not say.
	Disk *Disk `json:"disk"`
	// Error says why writes are refused; "" if they are not.
	Error string `json:"error,omitempty"`
}

// Disk is the room on a disk, in bytes.
type Disk struct {
	Free  uint64 `json:"free"`
	Total uint64 `json:"total"`
	// Low says that nothing is stored any more: the rest is kept for deletions.
	Low bool `json:"low"`
}

// Index is the text index. It is derived data and is rebuilt when it is damaged.
type Index struct {
	// Waiting is how many messages are still to be indexed.
	Waiting int `json:"waiting"`
	// RemadeAt is when it was last rebuilt, and Why is the reason; null for never.
	RemadeAt *time.Time `json:"remade_at"`
	Why      string     `json:"why,omitempty"`
}

// metrics answers GET /metrics, in the text format of Prometheus.
func (s *server) metrics(w http.ResponseWriter, r *http.Request) error {
	if s.Metrics == nil {
		return fault.New(fault.NotFound, "no_metrics", "Only hermes serve has metrics.")
	}
	s.Metrics.ServeHTTP(w, r)
	return nil
}

// healthDetailed answers GET /health/detailed; deep=true reads the whole database.
func (s *server) healthDetailed(w http.ResponseWriter, r *http.Request) error {
	d, err := s.Detail(r.Context(), r.URL.Query().Get("deep") == "true")
	if err != nil {
		return err
	}
	d.Object, d.Version, d.Responder, d.Status = "hermes.health", s.Version, s.Responder, "ok"
	if err := s.Ready(r.Context()); err != nil {
		d.Status = "unavailable"
	}
	if d.Platforms, err = s.platformList(r.Context()); err != nil {
		return err
	}
	d.Upstream.Skipped, d.Data.Damage = some(d.Upstream.Skipped), some(d.Data.Damage)
	d.Data.Rows = some(d.Data.Rows)
	return writeJSON(w, http.StatusOK, d)
}
