//go:build !unix

package terminal

import "os"

// watchSize tells nothing where no signal does; the size is asked for before
// everything that is drawn.
func watchSize() (<-chan os.Signal, func()) { return nil, func() {} }
