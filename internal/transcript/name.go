package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/session"
)

// The names of files. Ids are data: an id becomes a name only if it is made of letters,
// digits, hyphens and underscores. All other names have a dot, which no such id has.
const (
	folder       = "sessions" // in the home
	indexName    = "sessions.json"
	positionName = ".position"
	partName     = ".writing" // the file being written
	extension    = ".jsonl"
	hashedPrefix = "sha256."
	ownerPrefix  = "owner."
)

// maxPlain is the longest id that is a name itself, in bytes.
const maxPlain = 64

// plainName is the name of a session's file if the id is a safe name; "" if it is none.
func plainName(id session.ID) string {
	text := string(id)
	if len(text) == 0 || len(text) > maxPlain || reserved(text) {
		return ""
	}
	for i := range len(text) {
		if !isPlain(text[i]) {
			return ""
		}
	}
	return text + extension
}

// isPlain reports whether a byte may be part of a name.
func isPlain(c byte) bool {
	return strings.IndexByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", c) >= 0
}

// reserved reports whether a name means a device on Windows, with any extension.
func reserved(text string) bool {
	low := strings.ToLower(text)
	if slices.Contains([]string{"con", "prn", "aux", "nul"}, low) {
		return true
	}
	return len(low) == 4 && slices.Contains([]string{"com", "lpt"}, low[:3])
}

// hashedName is the name of a session's file whose id is no safe name, or whose name is
// another session's on a file system that takes A for a.
func hashedName(id session.ID) string { return hashedPrefix + hashOf(string(id)) + extension }

// dirOf is the directory of an owner's files, below that of all files.
func dirOf(o owner.Owner) string {
	if o.ID() == owner.LocalID {
		return "."
	}
	return ownerPrefix + hashOf(o.ID())
}

// at is the path of a file of an owner.
func at(o owner.Owner, name string) string { return path.Join(dirOf(o), name) }

// hashOf is a part of a hash that is long enough for names.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:20])
}
