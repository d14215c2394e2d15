package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/sqlite"
)

// build describes the build of this program.
type build struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	Commit  string `json:"commit"`
	SQLite  string `json:"sqlite"`
	System  string `json:"system"`
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Say which build this is", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			b := build{Version: Version(), Go: runtime.Version(), Commit: commit(), SQLite: sqlite.Version,
				System: runtime.GOOS + "/" + runtime.GOARCH}
			if a.json {
				return a.printJSON(b)
			}
			for _, row := range [][2]string{{"hermes", b.Version}, {"go", b.Go}, {"commit", b.Commit}, {"sqlite", b.SQLite}, {"system", b.System}} {
				a.say("%-8s %s", row[0], row[1])
			}
			return nil
		},
	}
}

// Version is the version of this build, with its commit if known.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	version := info.Main.Version
	if version == "" || version == "(devel)" {
		version = "dev"
	}
	if id := setting(info, "vcs.revision"); len(id) >= 12 && version == "dev" {
		version += " (" + id[:12] + ")"
	}
	return version
}

// commit is the built commit, and whether the files differed from it.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || setting(info, "vcs.revision") == "" {
		return "unknown"
	}
	if setting(info, "vcs.modified") == "true" {
		return setting(info, "vcs.revision") + ", with changes"
	}
	return setting(info, "vcs.revision")
}

// setting is a setting of the build; "" for none.
func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
