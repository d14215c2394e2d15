package backup

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
)

// HeadSize is how many bytes [Other] needs.
const HeadSize = 64

// kind is a kind of files that people take for backups.
type kind struct {
	mark string // what such a file begins with
	what string
	// unpack is the command whose output is the file that was packed; "" if there is none.
	unpack string
	// next is what to do with such a file instead.
	next string
}

// kinds are the kinds of files that are told from their first bytes.
func kinds() []kind {
	return []kind{
		{mark: "\x1f\x8b", what: "is packed with gzip", unpack: "gunzip -c"},
		{mark: "\x28\xb5\x2f\xfd", what: "is packed with zstd", unpack: "zstd -dc"},
		{mark: "\xfd7zXZ\x00", what: "is packed with xz", unpack: "xz -dc"},
		{mark: "BZh", what: "is packed with bzip2", unpack: "bunzip2 -c"},
		{mark: "age-encryption.org/", what: "is encrypted with age", unpack: "age -d -i KEYFILE"},
		{mark: "-----BEGIN AGE ENCRYPTED FILE", what: "is encrypted with age", unpack: "age -d -i KEYFILE"},
		{mark: "-----BEGIN PGP MESSAGE", what: "is encrypted with OpenPGP", unpack: "gpg -d"},
		{mark: "Salted__", what: "is encrypted with OpenSSL", next: "Decrypt it with openssl, and restore what comes out."},
		{mark: "PK\x03\x04", what: "is a zip archive", next: "Unpack it, and restore the backup that is in it."},
		{mark: "SQLite format 3\x00", what: "is a database", next: "Restore a file that 'hermes backup' wrote."},
		{mark: `{"object":"hermes.session.export"`, what: "is an export of conversations", next: "Read it with: hermes sessions import FILE"},
		{mark: "PGDMP", what: "is a dump of PostgreSQL", next: "Read it with pg_restore."},
	}
}

// Other says what a file is that is no backup, from its first bytes, and what to do with it. nil if
// that cannot be told from them. The file's name is "-" for the standard input.
func Other(head []byte, file string) error {
	for _, k := range kinds() {
		if !bytes.HasPrefix(head, []byte(k.mark)) {
			continue
		}
		word, name := file, quoted(file)
		if file == "-" {
			word, name = "The standard input", "FILE"
		}
		next := strings.ReplaceAll(k.next, "FILE", name)
		if k.unpack != "" {
			next = fmt.Sprintf("Run: %s %s | hermes restore -", k.unpack, name)
		}
		return fault.New(fault.Invalid, "not_a_backup", word+" "+k.what+". Nothing was changed. "+next)
	}
	return nil
}

// quoted is a name as a shell takes it.
func quoted(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	if regexp.MustCompile(`^[\pL\pN/._+=:,@%-]+$`).MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
