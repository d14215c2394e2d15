package ranking

import (
	"encoding/binary"

	"github.com/hermes-memory/hermes/internal/wordvec"
)

// putMilestone appends the first letters of a stem, as a number in the order of stems.
func putMilestone(b []byte, stem string) []byte {
	var key [familyKey]byte
	copy(key[:], stem)
	return binary.LittleEndian.AppendUint32(b, binary.BigEndian.Uint32(key[:]))
}

// putRecord appends a record.
func putRecord(b []byte, r *record) []byte {
	for _, n := range [...]int32{r.prev, r.next, r.first, r.line, r.session, r.speaker} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	b = binary.LittleEndian.AppendUint16(b, r.total)
	b = binary.LittleEndian.AppendUint16(b, r.content)
	return append(b, byte(r.traits), r.asking, r.rare, r.position)
}

// getRecord reads a record.
func getRecord(r *record, b []byte) {
	_ = b[recordWidth-1] // spares checks
	r.prev, r.next = int32(binary.LittleEndian.Uint32(b)), int32(binary.LittleEndian.Uint32(b[4:]))
	r.first, r.line = int32(binary.LittleEndian.Uint32(b[8:])), int32(binary.LittleEndian.Uint32(b[12:]))
	r.session, r.speaker = int32(binary.LittleEndian.Uint32(b[16:])), int32(binary.LittleEndian.Uint32(b[20:]))
	r.total, r.content = binary.LittleEndian.Uint16(b[24:]), binary.LittleEndian.Uint16(b[26:])
	r.traits, r.asking, r.rare, r.position = traits(b[28]), b[29], b[30], b[31]
}

func getSpan(b []byte) span {
	return span{int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:]))}
}

func putSpan(b []byte, s span) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, uint64(s.from)), uint64(s.to))
}

func getSign(b []byte) wordvec.Signature {
	_ = b[signWidth-1] // spares checks
	return wordvec.Signature{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}
