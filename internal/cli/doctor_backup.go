package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/hermes-memory/hermes/internal/backup"
	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/durable"
)

// lateBy is how many times the usual interval the newest backup may be old.
const lateBy = 2

// examineBackups says whether backups are made at regular times, and where.
func examineBackups(cfg *config.Config, now time.Time) finding {
	switch {
	case cfg.Database.URL != "":
		return finding{"backup", fine, "of PostgreSQL: made there, with pg_dump or an archive of its log", ""}
	case cfg.Backup.Dir == "":
		return finding{"backup", warning, "none are made at regular times", "Set backup.dir to a directory on another disk; see docs/backup.md."}
	}
	if _, err := os.Stat(cfg.Backup.Dir); errors.Is(err, fs.ErrNotExist) { // the server does not make it: a disk may be missing
		return finding{"backup", failing, "the directory " + cfg.Backup.Dir + " is not there", "Make it, or mount its disk."}
	}
	all, err := backup.List(cfg.Backup.Dir)
	if err != nil {
		why, _ := durable.Unopened(err)
		return finding{"backup", failing, cfg.Backup.Dir + " cannot be read: " + why,
			"Make the directory readable, or choose another backup.dir."}
	}
	status, err := backup.StatusOf(cfg.Home)
	if err != nil {
		return finding{"backup", failing, err.Error(), "Remove backup.json from the home."}
	}
	if status.Error != "" {
		return finding{"backup", failing, "the newest one failed at " + status.At.Local().Format(clock) + ": " + status.Error,
			"Correct that; the server tries it again within a quarter of an hour."}
	}
	if len(all) == 0 {
		return finding{"backup", warning, "none is in " + cfg.Backup.Dir, "Start the server: it makes one at once."}
	}
	newest := all[len(all)-1]
	says := fmt.Sprintf("%s in %s, the newest of %s (%s)",
		countOf(len(all), "backup", "backups"), cfg.Backup.Dir, newest.At.Local().Format(clock), megabytes(newest.Size))
	switch {
	case now.Sub(newest.At) > lateBy*cfg.Backup.Every:
		return finding{"backup", warning, says + ", which is late", "Start the server: backups are made while it runs."}
	case backup.SameDisk(cfg.Home, cfg.Backup.Dir):
		return finding{"backup", warning, says + ", on the disk of the home",
			"Choose a directory on another disk, or copy the backups elsewhere: a failing disk takes both."}
	}
	return finding{"backup", fine, says, ""}
}
