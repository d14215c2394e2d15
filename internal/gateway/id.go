package gateway

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// hashOf names some texts by 32 hexadecimal digits. Each text is written with its length,
// so that other texts never give the same bytes.
func hashOf(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		h.Write([]byte(strconv.Itoa(len(t)) + ":" + t))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// runID names the turn that answers an event. The same event always has the same turn.
func runID(o owner.Owner, e *Event) string {
	return "run_" + hashOf("turn", o.ID(), string(e.Place.Platform), e.Place.Account, e.ID)
}

// fileID names a file of an event, by its number there. The same file always has the same
// name.
func fileID(o owner.Owner, e *Event, number int) session.FileID {
	return session.FileID("file_" + hashOf("file", o.ID(), string(e.Place.Platform), e.Place.Account, e.ID, strconv.Itoa(number))[:16])
}

// sendID names one message that is sent: a part of what an origin says in a place.
func sendID(o owner.Owner, at Place, origin string, part int) string {
	return hashOf("send", o.ID(), string(at.Platform), at.Account, at.Chat, at.Thread, origin, strconv.Itoa(part))
}

// draftID is the number of a message while it is a draft, greater than 0.
func draftID(id string) int64 {
	h := sha256.Sum256([]byte(id))
	return int64(binary.BigEndian.Uint64(h[:])>>1) | 1
}
