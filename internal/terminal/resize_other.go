//go:build !unix

package terminal

import "os"

// watchSize reports nothing on systems without a signal for it. The size is read before
// each drawing.
func watchSize() (<-chan os.Signal, func()) { return nil, func() {} }
