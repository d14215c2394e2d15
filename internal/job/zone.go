package job

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	_ "time/tzdata" // time zone data for machines that have none

	"github.com/hermes-memory/hermes/internal/fault"
)

// Zone finds a time zone by its IANA name. It fails with Invalid,
// "invalid_timezone".
func Zone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil, fault.New(fault.Invalid, "invalid_timezone", fmt.Sprintf(
			"There is no time zone %q. Use an IANA name such as Europe/Berlin, America/New_York or UTC.", name)).At("timezone")
	}
	return zone, nil
}

// LocalZone is the IANA name of this machine's time zone; "UTC" if it cannot be found.
// tz is the environment's TZ.
func LocalZone(tz string) string {
	names := []string{strings.TrimPrefix(tz, ":")}
	if path, err := filepath.EvalSymlinks("/etc/localtime"); err == nil {
		_, name, _ := strings.Cut(filepath.ToSlash(path), "/zoneinfo/")
		names = append(names, name)
	}
	if text, err := os.ReadFile("/etc/timezone"); err == nil {
		names = append(names, strings.TrimSpace(string(text)))
	}
	for _, name := range names {
		if _, err := Zone(name); err == nil {
			return name
		}
	}
	return "UTC"
}
