package config

import (
	"errors"
	"path/filepath"
	"time"
)

// checkBackup validates the settings of backups at regular times.
func (c *Config) checkBackup() error {
	b := &c.Backup
	if b.Dir == "" {
		return nil
	}
	b.Dir = expandHome(b.Dir)
	switch {
	case !filepath.IsAbs(b.Dir):
		return errors.New("backup.dir: give the whole path, such as /mnt/backups/hermes")
	case filepath.Clean(b.Dir) == filepath.Clean(c.Home):
		return errors.New("backup.dir: the home itself would hold the backups; use a directory on another disk")
	case b.Every < time.Minute:
		return errors.New("backup.every: use a minute or more, such as 24h")
	case b.KeepDaily < 1:
		return errors.New("backup.keep_daily: keep one day or more")
	}
	return nil
}
