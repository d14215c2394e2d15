package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/hermes-memory/hermes/internal/config"
)

// repository is the root of the source tree, as tests of this package see it.
const repository = "../.."

// TestCompose reads the compose files as compose does, as far as they are used: every
// setting that they give to the server exists, every name that a service uses is defined.
func TestCompose(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"compose.yaml", "docs/compose-nodes.yaml"} {
		var file struct {
			Services map[string]struct {
				Image, Restart string
				Build          struct{ Context, Dockerfile string }
				Environment    map[string]string
				DependsOn      yaml.Node `yaml:"depends_on"`
				Volumes, Ports []string
				ReadOnly       bool `yaml:"read_only"`
			}
			Volumes map[string]any
			Configs map[string]struct{ Content string }
		}
		if err := yaml.Unmarshal(source(t, name), &file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		nodes := 0
		for service, s := range file.Services {
			for _, volume := range s.Volumes {
				if _, defined := file.Volumes[strings.Split(volume, ":")[0]]; !defined {
					t.Errorf("%s: the volume %q of %s is not defined", name, volume, service)
				}
			}
			if s.Build.Dockerfile == "" {
				continue
			}
			nodes++
			if _, err := os.Stat(filepath.Join(repository, filepath.Dir(name), s.Build.Context, s.Build.Dockerfile)); err != nil {
				t.Errorf("%s: %s is built from nothing: %v", name, service, err)
			}
			if !s.ReadOnly || s.Environment["API_SERVER_KEY"] == "" || s.Environment["API_SERVER_HOSTS"] == "" {
				t.Errorf("%s: %s lacks a read-only root, a key or the names of the server: %+v", name, service, s)
			}
			for variable := range s.Environment {
				if !slices.Contains(variables(t), variable) {
					t.Errorf("%s: %s sets %s, which is no setting", name, service, variable)
				}
			}
		}
		if want := map[string]int{"compose.yaml": 1, "docs/compose-nodes.yaml": 3}[name]; nodes != want {
			t.Errorf("%s has %d servers, want %d", name, nodes, want)
		}
	}
}

// variables are the environment variables of all settings.
func variables(t *testing.T) []string {
	t.Helper()
	cfg, err := config.Load(config.Source{Getenv: func(string) string { return "" }, UserHome: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"HERMES_HOME"}
	text := string(source(t, "docs/configuration.md"))
	for _, word := range regexp.MustCompile("`([A-Z][A-Z0-9_]+)`").FindAllStringSubmatch(text, -1) {
		known = append(known, word[1])
	}
	if len(cfg.Rows()) == 0 || len(known) < 20 {
		t.Fatalf("found %d settings and %d variables", len(cfg.Rows()), len(known))
	}
	return known
}

// TestReleaseFiles checks that every file that a package takes from the tree is there, and
// that each file has the time of the commit: otherwise two builds differ.
func TestReleaseFiles(t *testing.T) {
	t.Parallel()
	type content struct {
		Source      string                 `yaml:"src"`
		Destination string                 `yaml:"dst"`
		Info        struct{ MTime string } `yaml:"info"`
		FileInfo    struct{ MTime string } `yaml:"file_info"`
	}
	var file struct {
		Builds   []struct{ Main string }
		Archives []struct{ Files []content }
		NFPMs    []struct {
			Contents []content
			Scripts  map[string]string
		} `yaml:"nfpms"`
	}
	if err := yaml.Unmarshal(source(t, ".goreleaser.yaml"), &file); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range slices.Concat(file.Archives[0].Files, file.NFPMs[0].Contents) {
		names = append(names, c.Source)
		if c.Info.MTime+c.FileInfo.MTime != "{{ .CommitDate }}" {
			t.Errorf("%s has the time %q", c.Source, c.Info.MTime+c.FileInfo.MTime)
		}
	}
	for _, script := range file.NFPMs[0].Scripts {
		names = append(names, script)
		if out, err := exec.CommandContext(t.Context(), "sh", "-n", filepath.Join(repository, script)).CombinedOutput(); err != nil {
			t.Errorf("%s is no shell script: %v %s", script, err, out)
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name, "bin/release/") {
			continue // tools/release/prepare makes it
		}
		if _, err := os.Stat(filepath.Join(repository, name)); err != nil {
			t.Errorf("a package needs %s: %v", name, err)
		}
	}
}

// TestUnitExposure has systemd judge the unit of the packages.
func TestUnitExposure(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("needs systemd-analyze")
	}
	unit := filepath.Join(t.TempDir(), "hermes.service")
	if err := os.WriteFile(unit, source(t, "internal/service/hermes.service"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), analyze, "security", "--offline=yes", "--no-pager", unit).CombinedOutput()
	if err != nil {
		t.Skipf("this systemd-analyze does not judge files: %v", err)
	}
	level := regexp.MustCompile(`Overall exposure level for hermes.service: ([0-9.]+)`).FindSubmatch(out)
	if level == nil {
		t.Fatalf("no level in:\n%s", out)
	}
	if got, err := strconv.ParseFloat(string(level[1]), 64); err != nil || got > 1.5 {
		t.Errorf("the exposure is %s, want 1.5 at most", level[1])
	}
}

func source(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
