package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

func examineDatabase(d *httpapi.Data) finding {
	switch {
	case len(d.Damage) > 0:
		return finding{
			"database", failing, fmt.Sprintf("%s is damaged: %s", d.File, d.Damage[0]),
			"Stop the server and keep a copy of the file. The next start rebuilds derived data; for other data, restore a backup.",
		}
	case len(d.Rows) > 0:
		return finding{
			"database", failing, fmt.Sprintf("%s has damaged rows: %s", d.File, strings.Join(d.Rows, "; ")),
			"They can still be read, with the nearest valid value. To repair them, delete their sessions, or restore a backup.",
		}
	case d.Error != "":
		return finding{"database", failing, d.File + ": " + d.Error, "Read the server's log, fix the cause that it names, and restart the server."}
	}
	return finding{"database", fine, fmt.Sprintf("%s, %.1f MB, %s check passed", d.File, float64(d.Bytes)/1e6, d.Checked), ""}
}

// remadeLately is how long a rebuild of the text index is reported as a warning.
const remadeLately = 24 * time.Hour

func examineIndex(x *httpapi.Index) finding {
	f := finding{About: "search", Level: fine, Says: "every message is indexed"}
	if x.Waiting > 0 {
		f.Says = fmt.Sprintf("%s still to be indexed", countOf(x.Waiting, "message is", "messages are"))
	}
	if x.RemadeAt == nil {
		return f
	}
	f.Says += fmt.Sprintf("; the text index was made again on %s: %s", x.RemadeAt.Local().Format(clock), x.Why)
	if time.Since(*x.RemadeAt) < remadeLately {
		f.Level, f.Do = warning, "Nothing: the index is derived data, and no message is lost. If no person caused this, check the disk."
	}
	return f
}

// examineDisk checks the free space and writes a small file: only a write shows a
// quota, a read-only file system, or a lack of inodes.
func examineDisk(home string) finding {
	if _, err := os.Stat(home); errors.Is(err, fs.ErrNotExist) {
		return finding{"disk", fine, "not looked at: the home is not there yet", ""}
	}
	return diskFinding(home, sqlite.RoomOf(home), tryToWrite(home))
}

// diskFinding is the finding for the free space and the outcome of a write.
func diskFinding(home string, room sqlite.Room, err error) finding {
	free := fmt.Sprintf("%s of %s are free", megabytes(int64(room.Free)), megabytes(int64(room.Total))) // no disk is that large
	switch {
	case room.Low():
		return finding{"disk", failing, free + ": nothing more is stored, because the rest is reserved for deletions", "Free some space; the server then continues by itself."}
	case err != nil:
		unwritable := fmt.Sprintf("nothing can be written to %s: %v", home, err)
		return finding{"disk", failing, unwritable, "Free some space, or make the directory writable."}
	case room.Scarce():
		return finding{"disk", warning, free, "Free some space before nothing can be stored any more."}
	case !room.Known:
		return finding{"disk", fine, "it can be written to; this system does not say how much is free", ""}
	}
	return finding{"disk", fine, free, ""}
}

// tried is the size of the file that is written, in bytes.
const tried = 64 << 10

// tryToWrite writes a file and removes it.
func tryToWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, tried))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
