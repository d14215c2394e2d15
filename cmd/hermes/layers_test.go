package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// layers are the packages of the program, lower ones first. A package imports
// only from layers below its own; siblings do not know each other. The picture
// with its reasons is ARCHITECTURE.md.
var layers = [][]string{
	{"bound"},
	{"fault", "openai", "anthropic", "config", "language", "recovery", "trail", "fitted", "piece", "markdown", "web", "news", "durable"},
	{"owner", "claim", "cite", "mention", "clientfile", "service", "errand", "secret", "wordvec", "transfer"},
	{"session", "audit"},
	{"ranking", "search", "transcript", "attachment"},
	{"memory", "compression"},
	{"title"},
	{"lineage"},
	{"curate"},
	{"run"},
	{"recall", "upstream", "tool", "study", "job", "live", "storage"},
	{"gateway", "provider"},
	{"httpapi", "witness", "mcpserver", "sqlite", "postgres", "upstream/upstreamtest", "terminal", "gateway/telegram", "gateway/discord", "gateway/slack", "gateway/whatsapp", "provider/http", "provider/honcho", "provider/mem0", "provider/graphiti", "provider/supermemory"},
	{"prove", "telemetry", "migrate", "backup"},
	{"cli"},
	{"cmd/hermes"},
}

// support are packages that only tests and benchmarks import; they may import anything.
var support = []string{"storetest", "runtest", "pairtest", "gateway/gatewaytest", "markdown/markdowntest", "postgres/postgrestest", "sqlite/sqlitetest", "provider/providertest", "provider/honcho/honchotest"}

func TestLayers(t *testing.T) {
	t.Parallel()
	layerOf := make(map[string]int)
	for i, names := range layers {
		for _, name := range names {
			layerOf[name] = i
		}
	}
	for _, name := range support {
		layerOf[name] = len(layers)
	}
	for _, p := range listPackages(t) {
		name, ours := short(p.ImportPath)
		if !ours || strings.HasPrefix(name, "bench/") {
			continue
		}
		mine, listed := layerOf[name]
		if !listed {
			t.Errorf("%s is in no layer: give it one here and in ARCHITECTURE.md", name)
			continue
		}
		for _, imported := range p.Imports {
			other, ours := short(imported)
			if ours && layerOf[other] >= mine && mine < len(layers) {
				t.Errorf("%s imports %s, which is not below it", name, other)
			}
		}
	}
}

type listedPackage struct {
	ImportPath string
	Imports    []string
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "../../...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []listedPackage
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listedPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatalf("read go list: %v", err)
		}
		list = append(list, p)
	}
}

// short is a package's name inside this module.
func short(path string) (string, bool) {
	const module = "github.com/hermes-memory/hermes/"
	rest, ours := strings.CutPrefix(path, module)
	return strings.TrimPrefix(rest, "internal/"), ours
}
