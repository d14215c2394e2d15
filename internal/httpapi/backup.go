package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Backups makes backups of the server's home.
type Backups interface {
	// Make returns a verified copy of the home. Conflict while another one is being made.
	Make(ctx context.Context, withConfig bool) (BackupCopy, error)
}

// BackupCopy is a copy of the home that is written once.
type BackupCopy interface {
	// Size is at least the size of what is written.
	Size() int64
	Write(w io.Writer) error
	Close() error
}

// backupSizeHeader tells how much space a backup needs at most, in bytes.
const backupSizeHeader = "X-Hermes-Backup-Size"

// backup answers GET /api/backup: a backup of the home, whose end shows that it is complete.
// A failure after the first byte breaks the connection off.
func (s *server) backup(w http.ResponseWriter, r *http.Request) (err error) {
	if err := checkOperator(r); err != nil {
		return err
	}
	if s.Backups == nil {
		return fault.New(fault.Invalid, "backup_elsewhere",
			"The data is in a PostgreSQL database, which has backups of its own: pg_dump, or the archive of its log. See docs/backup.md.")
	}
	copied, err := s.Backups.Make(r.Context(), r.URL.Query().Get("config") == "true")
	if err != nil {
		return err
	}
	defer func() {
		if closed := copied.Close(); closed != nil {
			s.Log.WarnContext(r.Context(), "the copy of the database for a backup could not be removed", "err", closed)
		}
	}()
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // a backup has no time limit
	h := w.Header()
	h.Set("Content-Type", "application/x-tar")
	h.Set("Content-Disposition", `attachment; filename="hermes-backup.tar"`)
	h.Set(backupSizeHeader, strconv.FormatInt(copied.Size(), 10))
	w.WriteHeader(http.StatusOK)
	if err := copied.Write(w); err != nil {
		if gone := r.Context().Err() != nil || errors.Is(err, io.ErrClosedPipe); !gone { // the client tells why it left
			s.Log.ErrorContext(r.Context(), "the backup broke off", "err", err)
		}
	}
	return nil
}
