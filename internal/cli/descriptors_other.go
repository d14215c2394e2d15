//go:build !unix

package cli

// descriptorLimit is how many files and connections the process may have open.
func descriptorLimit() int { return unknownLimit }
