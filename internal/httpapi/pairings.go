package httpapi

import (
	"cmp"
	"net/http"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
)

// pairingJSON is a person who wrote to a bot and is in no configured list.
type pairingJSON struct {
	Object     string              `json:"object"`
	Platform   gateway.Platform    `json:"platform"`
	UserID     string              `json:"user_id"`
	Name       *string             `json:"name"`
	Status     gateway.PersonState `json:"status"` // pending, approved or alias
	Owner      *string             `json:"owner"`  // null: the platform's owner
	AskedAt    time.Time           `json:"asked_at"`
	ExpiresAt  *time.Time          `json:"expires_at"`
	ApprovedAt *time.Time          `json:"approved_at"`
}

func pairingOf(p *gateway.Person) pairingJSON {
	return pairingJSON{
		Object: "hermes.pairing", Platform: p.Platform, UserID: p.User, Name: optional(p.Name), Status: p.State, Owner: optional(p.Owner),
		AskedAt: p.AskedAt, ExpiresAt: optionalTime(p.ExpiresAt), ApprovedAt: optionalTime(p.ApprovedAt),
	}
}

// listPairings answers GET /api/pairings: who has asked, and who was let in.
func (s *server) listPairings(w http.ResponseWriter, r *http.Request) error {
	if s.Gateway == nil {
		return gatewayOff()
	}
	name := gateway.Platform(r.URL.Query().Get("platform"))
	list, err := s.Gateway.People(r.Context(), s.Gateway.HostOf(name), name)
	if err != nil {
		return err
	}
	data := make([]pairingJSON, len(list))
	for i := range list {
		data[i] = pairingOf(&list[i])
	}
	return writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

// approvePairing answers POST /api/pairings: it lets in the person who was sent a code.
func (s *server) approvePairing(w http.ResponseWriter, r *http.Request) error {
	if s.Gateway == nil {
		return gatewayOff()
	}
	var in struct {
		Platform gateway.Platform `json:"platform"`
		Code     string           `json:"code"`
		Owner    string           `json:"owner"`
	}
	if err := decode(r, &in); err != nil {
		return err
	}
	p, err := s.Gateway.Approve(r.Context(), s.Gateway.HostOf(in.Platform), in.Platform, in.Code, in.Owner)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, pairingOf(&p))
}

// revokePairing answers DELETE /api/pairings: it shuts out a person who was let in.
func (s *server) revokePairing(w http.ResponseWriter, r *http.Request) error {
	if s.Gateway == nil {
		return gatewayOff()
	}
	q := r.URL.Query()
	name, user := gateway.Platform(q.Get("platform")), q.Get("user_id")
	if name == "" || user == "" {
		return fault.New(fault.Invalid, "invalid_pairing", "Name the person: ?platform=telegram&user_id=123456789.").
			At(cmp.Or(map[bool]string{true: "platform"}[name == ""], "user_id"))
	}
	p, err := s.Gateway.Revoke(r.Context(), s.Gateway.HostOf(name), name, user)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, pairingOf(&p))
}
