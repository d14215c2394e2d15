package memory

import (
	"encoding/binary"

	"github.com/hermes-memory/hermes/internal/wordvec"
)

// The signature of a fact, without its vector, as bytes in a fact piece: a head, then the
// cues of the clauses up to the last clause with any, the terms, the figures and the days.
const (
	signatureHead      = 10
	cueBytes           = 4
	termBytes          = 10
	figureBytes        = 9
	dayBytes           = 5
	mostSignature      = signatureHead + maxParts*cueBytes + maxTerms*termBytes + maxFigures*figureBytes + maxDays*dayBytes
	_             byte = mostSignature // its length is a byte
)

// appendBytes appends the signature without its vector.
func (g *signature) appendBytes(to []byte) []byte {
	parts := maxParts
	for parts > 0 && g.partCues[parts-1] == 0 {
		parts--
	}
	to = append(to, g.numTerms, g.numFigures, g.numDays, byte(parts))
	to = binary.LittleEndian.AppendUint16(to, g.words)
	to = binary.LittleEndian.AppendUint32(to, uint32(g.cues))
	for _, c := range g.partCues[:parts] {
		to = binary.LittleEndian.AppendUint32(to, uint32(c))
	}
	for i := range g.terms[:g.numTerms] {
		t := &g.terms[i]
		to = binary.LittleEndian.AppendUint32(to, t.stem)
		to = binary.LittleEndian.AppendUint16(to, t.word)
		to = append(to, t.kind, byte(t.flags), g.at[i], g.part[i])
	}
	for i := range g.figures[:g.numFigures] {
		f := &g.figures[i]
		to = binary.LittleEndian.AppendUint32(to, f.value)
		to = binary.LittleEndian.AppendUint16(to, f.unit)
		to = binary.LittleEndian.AppendUint16(to, f.shape)
		to = append(to, f.at)
	}
	for i := range g.days[:g.numDays] {
		d := &g.days[i]
		to = binary.LittleEndian.AppendUint16(to, d.from)
		to = binary.LittleEndian.AppendUint16(to, d.to)
		to = append(to, d.at)
	}
	return to
}

// signatureFrom reads what appendBytes appended; nil if these are other bytes.
func signatureFrom(b []byte, vector wordvec.Vector) *signature {
	if len(b) < signatureHead {
		return nil
	}
	g := &signature{
		vector: vector, numTerms: b[0], numFigures: b[1], numDays: b[2],
		words: binary.LittleEndian.Uint16(b[4:]), cues: cueSet(binary.LittleEndian.Uint32(b[6:])),
	}
	parts := int(b[3])
	if !g.holds(parts, len(b)) {
		return nil
	}
	b = g.readParts(b[signatureHead:], parts)
	for i := range g.terms[:g.numTerms] {
		g.terms[i] = term{
			stem: binary.LittleEndian.Uint32(b), word: binary.LittleEndian.Uint16(b[4:]), kind: b[6], flags: termFlags(b[7]),
		}
		g.at[i], g.part[i] = b[8], min(b[9], maxParts-1)
		b = b[termBytes:]
	}
	for i := range g.figures[:g.numFigures] {
		g.figures[i] = figure{
			value: binary.LittleEndian.Uint32(b), unit: binary.LittleEndian.Uint16(b[4:]), shape: binary.LittleEndian.Uint16(b[6:]), at: b[8],
		}
		b = b[figureBytes:]
	}
	for i := range g.days[:g.numDays] {
		g.days[i] = dayRange{from: binary.LittleEndian.Uint16(b), to: binary.LittleEndian.Uint16(b[2:]), at: b[4]}
		b = b[dayBytes:]
	}
	return g
}

// holds reports whether a signature can have its numbers of parts, and takes that many bytes.
func (g *signature) holds(parts, size int) bool {
	terms, figures, days := int(g.numTerms), int(g.numFigures), int(g.numDays)
	fits := terms <= maxTerms && figures <= maxFigures && days <= maxDays
	return fits && parts <= maxParts && size == signatureHead+parts*cueBytes+terms*termBytes+figures*figureBytes+days*dayBytes
}

// readParts reads the cues of the clauses, and returns the bytes behind them.
func (g *signature) readParts(b []byte, parts int) []byte {
	for i := range parts {
		g.partCues[i] = cueSet(binary.LittleEndian.Uint32(b[i*cueBytes:]))
	}
	return b[parts*cueBytes:]
}
