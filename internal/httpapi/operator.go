package httpapi

import (
	"net/http"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
)

// Setting is a setting of the server with its origin.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"` // of a secret "set", or ""
	// Source is where the value came from: default, a line of the file, a variable of the
	// environment, a flag.
	Source string `json:"source"`
	Usage  string `json:"usage"`
	Secret bool   `json:"secret"`
}

// Finding is the result of one check of the installation.
type Finding struct {
	About string `json:"about"`
	Level string `json:"level"` // ok, warning or failed
	Says  string `json:"says"`
	// Do is the recommended action; "" if all is well.
	Do string `json:"do,omitempty"`
}

// levelFailed is the level of a check that failed.
const levelFailed = "failed"

// checkOperator refuses callers who are not the operator of the server: settings and
// findings name places on its machine.
func checkOperator(r *http.Request) error {
	if ownerOf(r).ID() != owner.LocalID {
		return fault.New(fault.Forbidden, "local_owner_only", "Only the owner local sees this, because it is about the machine of the server.")
	}
	return nil
}

// listSettings answers GET /api/config.
func (s *server) listSettings(w http.ResponseWriter, r *http.Request) error {
	if err := checkOperator(r); err != nil {
		return err
	}
	if s.Settings == nil {
		return fault.New(fault.NotFound, "no_settings", "Only hermes serve shows its settings here. See: hermes config show")
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": some(s.Settings())})
}

// examine answers GET /api/doctor: what `hermes doctor` finds.
func (s *server) examine(w http.ResponseWriter, r *http.Request) error {
	if err := checkOperator(r); err != nil {
		return err
	}
	if s.Doctor == nil {
		return fault.New(fault.NotFound, "no_doctor", "Only hermes serve examines itself. See: hermes doctor")
	}
	found := s.Doctor(r.Context(), r.URL.Query().Get("deep") == "true")
	ok := true
	for i := range found {
		ok = ok && found[i].Level != levelFailed
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "hermes.doctor", "ok": ok, "at": s.Now().UTC(), "findings": some(found)})
}
