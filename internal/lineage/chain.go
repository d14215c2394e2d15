package lineage

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"runtime/debug"

	"github.com/hermes-memory/hermes/internal/compression"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/ranking"
	"github.com/hermes-memory/hermes/internal/session"
)

// Count adds a message to its session's counters.
func Count(tip *session.Session, m *session.Message) {
	tip.NextSeq++
	tip.MessageCount++
	tip.LineageTokens += int64(m.Tokens + compression.MessageOverhead)
	if len(m.ToolCalls) > 0 {
		tip.ToolCallCount++
	}
}

// Learn lets memory distil a message.
//
// Memory is derived data: a message that cannot be distilled is stored all the same.
func (ls *Lineages) Learn(view *memory.View, d ranking.Document) (change memory.Change) {
	defer func() {
		if p := recover(); p != nil {
			ls.log.Error("a message could not be distilled", "seq", d.Seq, "panic", p, "stack", string(debug.Stack()))
			change = memory.Change{}
		}
	}()
	return view.Learn(d)
}

// Chain is the running hash over a lineage. A lost or altered message changes every
// later hash.
func Chain(before []byte, m *session.Message) []byte {
	h := sha256.New()
	h.Write(before)
	hashPart(h, string(m.Role))
	hashPart(h, m.Content)
	hashPart(h, m.ToolCalls)
	hashPart(h, m.ToolCallID)
	hashPart(h, m.Wire)
	return h.Sum(nil)
}

// hashPart hashes a text after its length, without copying it as a whole.
func hashPart[T string | []byte](h hash.Hash, part T) {
	const piece = 4 << 10
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(part)))
	h.Write(n[:])
	if len(part) <= piece {
		h.Write([]byte(part))
		return
	}
	for b := make([]byte, piece); len(part) > 0; {
		k := copy(b, part)
		h.Write(b[:k])
		part = part[k:]
	}
}
