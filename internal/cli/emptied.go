package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
)

// refuseEmptied fails if the file of the database has no bytes, although the home was in use. A crash before the
// first write leaves such a file, too, but then nothing else stands in the home. A start with an empty database would
// forget in silence, and would remove the transcripts in files, which may be all that is left.
func refuseEmptied(cfg *config.Config) error {
	info, err := os.Stat(cfg.DatabaseFile())
	if err != nil || info.Size() > 0 || cfg.Database.URL != "" {
		return nil //nolint:nilerr // what is wrong with the file is found when it is opened
	}
	trace := traceOfUse(os.DirFS(cfg.Home), filepath.Base(cfg.DatabaseFile())+"-wal")
	if trace == "" {
		return nil
	}
	return fault.New(fault.Unavailable, "database_damaged",
		"The database file "+cfg.DatabaseFile()+" is empty, but the home was in use: it has "+trace+". Keep a copy of the home. "+
			"Then restore a backup: hermes restore FILE. To begin without the earlier data, move the home away.")
}

// traceOfUse is a file of a home that only a used database leaves, such as its log; "" for none.
func traceOfUse(home fs.FS, log string) string {
	if info, err := fs.Stat(home, log); err == nil && info.Size() > 0 {
		return log
	}
	if _, err := fs.Stat(home, backup.LedgerName); err == nil {
		return backup.LedgerName
	}
	list, _ := fs.ReadDir(home, "sessions")
	for _, e := range list {
		if strings.HasSuffix(e.Name(), ".jsonl") {
			return "sessions/" + e.Name()
		}
	}
	return ""
}
