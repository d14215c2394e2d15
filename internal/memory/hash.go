package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"iter"
	"time"
)

// Hash is the state hash in hexadecimal: SHA-256 over the contents of the facts in
// order. Equal transcripts have equal hashes on every machine. Numbers that a store
// assigns, such as message ids, are not hashed.
func (s *State) Hash() string { return HashOf(s.Facts()) }

// HashOf is the state hash of facts, in the order they were learnt.
func HashOf(facts iter.Seq[Fact]) string {
	var sum [sha256.Size]byte
	for f := range facts {
		sum = chainHash(sum, &f)
	}
	return hex.EncodeToString(sum[:])
}

// chainHash adds one fact to the running hash. Supersession is hashed with the link of
// the newer fact, so no fact is hashed twice.
func chainHash(sum [sha256.Size]byte, f *Fact) [sha256.Size]byte {
	var space [1024]byte
	b := append(space[:0], sum[:]...)
	for _, part := range [...]string{
		string(f.ID), string(f.Kind), string(f.Source.Role), f.Source.Speaker, f.Quote, f.Statement,
		f.Subject, f.Attribute, f.Value, f.Because,
	} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	for _, t := range [...]time.Time{f.SaidAt, f.When.From, f.When.To} {
		seconds := int64(0)
		if !t.IsZero() {
			seconds = t.Unix()
		}
		b = binary.AppendVarint(b, seconds)
	}
	for _, link := range f.Links {
		b = append(b, link.Kind...)
		b = append(b, link.To...)
	}
	return sha256.Sum256(b)
}
