//go:build !unix

package backup

import (
	"path/filepath"
	"strings"
)

// SameDisk reports whether two directories are on one volume.
func SameDisk(a, b string) bool {
	return strings.EqualFold(filepath.VolumeName(a), filepath.VolumeName(b))
}
