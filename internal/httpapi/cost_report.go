package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/hermes-memory/hermes/internal/bound"
	"github.com/hermes-memory/hermes/internal/curate"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/lineage"
)

// reportDays is the length of a report that names no beginning, and mostStretches is how
// many stretches of time a report has at most.
const (
	reportDays    = 30
	mostStretches = 1000
)

// costRow is the cost of a group in a stretch of time, on the wire.
type costRow struct {
	At      time.Time       `json:"at"`
	Group   *string         `json:"group"`
	Turns   int             `json:"turns"`
	Context lineage.Context `json:"context"`
}

// costReport answers GET /api/cost: the tokens sent in all sessions, by time and group,
// compared with sending the whole history each time.
func (s *server) costReport(w http.ResponseWriter, r *http.Request) error {
	f, err := s.costFilter(r.URL.Query())
	if err != nil {
		return err
	}
	rows, err := s.Curator.CostReport(r.Context(), ownerOf(r), f)
	if err != nil {
		return err
	}
	out := struct {
		Object string    `json:"object"`
		From   time.Time `json:"from"`
		To     time.Time `json:"to"`
		Bucket string    `json:"bucket"`
		By     *string   `json:"by"`
		Turns  int       `json:"turns"`
		Sent   int       `json:"sent_tokens"`
		Naive  int       `json:"naive_tokens"`
		Data   []costRow `json:"data"`
	}{Object: "hermes.cost_report", From: f.From, To: f.To, Bucket: string(f.Stretch), By: optional(f.By), Data: []costRow{}}
	for i := range rows {
		c := &rows[i]
		out.Turns += c.Turns
		out.Sent += c.Context.Sent
		out.Naive += c.Context.Naive
		out.Data = append(out.Data, costRow{c.At, optional(c.Group), c.Turns, c.Context})
	}
	return writeJSON(w, http.StatusOK, out)
}

// costFilter reads the query of a report.
func (s *server) costFilter(q url.Values) (curate.CostFilter, error) {
	f := curate.CostFilter{Stretch: curate.Stretch(q.Get("bucket")), By: curate.CostGroup(q.Get("by"))}
	if f.Stretch == "" {
		f.Stretch = curate.Day
	}
	if !slices.Contains([]curate.Stretch{curate.Hour, curate.Day, curate.Week}, f.Stretch) {
		return f, fault.New(fault.Invalid, "invalid_bucket", "\"bucket\" is hour, day or week.").At("bucket")
	}
	if !slices.Contains([]curate.CostGroup{"", curate.BySession, curate.ByModel, curate.BySource}, f.By) {
		return f, fault.New(fault.Invalid, "invalid_by", "\"by\" is session, model or source.").At("by")
	}
	var err error
	if f.To, err = instant(q.Get("to"), "to", "invalid_time", bound.DayOver); err != nil {
		return f, err
	}
	if f.To.IsZero() {
		f.To = s.Now().UTC().Add(time.Millisecond) // with what is stored now
	}
	if f.From, err = instant(q.Get("from"), "from", "invalid_time", bound.DayStart); err != nil {
		return f, err
	}
	if f.From.IsZero() {
		f.From = f.To.AddDate(0, 0, -reportDays)
	}
	width, _ := f.Stretch.Width()
	if f.To.Sub(f.From).Milliseconds()/width > mostStretches {
		return f, fault.New(fault.Invalid, "too_many_buckets", "A report has at most 1,000 buckets. Choose a wider \"bucket\", or a later \"from\".").At("bucket")
	}
	return f, nil
}
