// Package backup makes backups of a home, keeps them by days and weeks, restores them, and
// keeps the ledger of what a restored home must forget again. It owns the format of backups
// and of the ledger. It does not know how things are forgotten, and opens no server.
//
// A backup is a tar: the database, the directories skills and files, the ledger, and at the
// end a manifest with the SHA-256 of each, and the manifest's own. A backup without its end is
// therefore refused.
package backup

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// The names in a backup. Directories stand with all their files.
const (
	databaseName = "state.db"
	configName   = "config.yaml"
	manifestName = "manifest.json"
	sumName      = "manifest.sha256"
)

// LedgerName is the name of the ledger, in a backup, in a home, and in a directory of backups.
const LedgerName = "erasures.jsonl"

// directories are the directories of a home that a backup holds.
func directories() []string { return []string{"skills", "files"} }

// format is the number of this format of backups.
const format = 1

// Manifest says what a backup holds.
type Manifest struct {
	Format int `json:"format"`
	// Program and SQLite are the versions that made it.
	Program string `json:"program"`
	SQLite  string `json:"sqlite"`
	// CreatedAt is when its making began: what was stored before is in it.
	CreatedAt time.Time `json:"created_at"`
	// Place names the home and the machine without telling them.
	Place string `json:"place"`
	sqlite.Standing
	Files []File `json:"files"`
	// LeftOut are links, pipes and the like among the files. A backup has none.
	LeftOut []string `json:"left_out,omitempty"`
}

// File is a file in a backup.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Size is the size of all files, in bytes.
func (m *Manifest) Size() int64 {
	var n int64
	for i := range m.Files {
		n += m.Files[i].Size
	}
	return n
}

// maxManifest bounds the manifest, in bytes: about half a million files.
const maxManifest = 64 << 20

// parseManifest reads a manifest.
func parseManifest(text []byte) (Manifest, error) {
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return m, errDamaged("its manifest cannot be read")
	}
	if m.Format > format {
		return m, fault.New(fault.Invalid, "newer_backup", fmt.Sprintf(
			"A newer hermes (%.40s) made this backup: its format is %d, this program knows up to %d. Use that hermes.", m.Program, m.Format, format))
	}
	if m.Format < 1 {
		return m, errDamaged("its manifest has no format")
	}
	return m, nil
}

// checkName refuses names that no backup has. A name is never a way out of the directory
// that a backup is restored to.
func checkName(name string) error {
	switch name {
	case databaseName, LedgerName, configName, manifestName, sumName:
		return nil
	}
	for _, dir := range directories() {
		if strings.HasPrefix(name, dir+"/") && path.Clean(name) == name && filepath.IsLocal(name) && !strings.ContainsAny(name, "\\\x00") {
			return nil
		}
	}
	return errDamaged(fmt.Sprintf("it holds %.100q, which is no file of a backup", name))
}

func errDamaged(why string) error {
	return fault.New(fault.Invalid, "damaged_backup", "The backup is damaged: "+why+". Use another backup.")
}
