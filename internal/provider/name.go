package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// Lengths of names, in characters.
const (
	maxName  = 100                     // of workspaces and peers: some versions of Honcho take no longer ones
	maxPlace = maxName - len(userPeer) // of places, and of speakers in them
)

// Assistant is the peer of all answers.
const Assistant = "hermes"

// userPeer is the beginning of the peers of people.
const userPeer = "user-"

// clean replaces each run of characters that not every provider takes by one hyphen.
func clean(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	gap := false
	for _, r := range text {
		if !legal(r) {
			gap = true
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	if gap {
		b.WriteByte('-')
	}
	return strings.Trim(b.String(), "-")
}

const legalRunes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

func legal(r rune) bool { return strings.ContainsRune(legalRunes, r) }

// Digest is the beginning of the SHA-256 of a text, in hexadecimal digits.
func Digest(text string, digits int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:digits]
}

// ended is a name with an ending, cut in front of it to at most some characters.
func ended(name, ending string, most int) string {
	return strings.Trim(name[:min(len(name), most-len(ending))], "-") + ending
}

// plain is the name of a text that nothing else is called by.
func plain(text string, most int) string {
	name := clean(text)
	switch {
	case name == "":
		return "k-" + Digest(text, 16)
	case len(name) > most:
		return ended(name, "-"+Digest(text, 8), most)
	}
	return name
}

// candidates are the names that a text may get, in order: the first that is free counts. A
// place that was emptied goes on in the next generation, under other names.
func candidates(text string, most, generation int) []string {
	base, after := clean(text), ""
	if base == "" {
		base = "k"
	}
	if generation > 1 {
		after = "-g" + strconv.Itoa(generation)
	}
	names := []string{ended(plain(text, most), after, most)}
	for _, digits := range []int{8, 16, 32, 64} {
		names = append(names, ended(base, "-"+Digest(text, digits)+after, most))
	}
	return names
}

// Workspace is the name under which a provider keeps what an owner of a store says. The home names the
// store: two of them may use one account. Those of earlier versions have "".
func Workspace(o owner.Owner, home string) string {
	if home != "" {
		home = "-" + home
	}
	if o.ID() == owner.LocalID {
		return "hermes" + home
	}
	return ended("hermes-"+clean(o.ID()), "-"+Digest(o.ID(), 8)+home, maxName)
}

// Source says what a name stands for: a session key, a lineage without one, or a speaker
// in a place.
type Source string

// SourceOf is the source of the place of a message.
func SourceOf(key session.Key, root session.ID) Source {
	if key != "" {
		return Source("k:" + string(key))
	}
	return Source("r:" + string(root))
}

// text is the part of a source that names are made of.
func (s Source) text() string { return string(s[2:]) }

// Candidates are the names of a place in a generation.
func (s Source) Candidates(generation int) []string {
	return candidates(s.text(), maxPlace, generation)
}

// speakerIn is the source of a speaker in the place with a name.
func speakerIn(place, speaker string) Source { return Source("s:" + place + ":" + speaker) }

// speakers is how the sources of all speakers in a place begin.
func speakers(place string) string { return "s:" + place + ":" }

// speakerCandidates are the names of a speaker in a place. They share their space with the
// names of places, so the peer of "b" in "a" is never the peer of the place "a-b".
func speakerCandidates(place, speaker string) []string {
	said := clean(speaker)
	if said == "" {
		said = "k-" + Digest(speaker, 16)
	}
	whole := place + ":" + speaker
	name := place + "-" + said
	if len(name) > maxPlace {
		name = ended(name, "-"+Digest(whole, 8), maxPlace)
	}
	names := []string{name}
	for _, digits := range []int{8, 16, 32, 64} {
		names = append(names, ended(place+"-"+said, "-"+Digest(whole, digits), maxPlace))
	}
	return names
}

// Joined is one name for a place of a provider without workspaces. No two places have the
// same one.
func Joined(p run.Place) string {
	return ended(p.Workspace+"-"+p.Session, "-"+Digest(p.Workspace+"/"+p.Session, 16), maxName)
}
