//go:build !unix

package config

import "io/fs"

const checksModes = false

// On this system, modes and owners are meaningless: access control lists decide.
func isOurs(fs.FileInfo) bool   { return true }
func writable(fs.FileInfo) bool { return false }
