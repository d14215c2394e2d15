package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// leftOut measures lives with models that never saw them. For each life the models are
// fitted again without it, in their order, and this program is built with those weights in
// place of the files that it embeds. The product has no switch for it.
type leftOut struct {
	root string // of the repository
	dir  string // temporary
	step func(format string, args ...any)
}

// probeLeftOut measures every life with the models fitted to the others.
func probeLeftOut(ctx context.Context, lives []life, step func(string, ...any)) ([]*probe, error) {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("find the repository: %w", err)
	}
	dir, err := os.MkdirTemp("", "left-out")
	if err != nil {
		return nil, fmt.Errorf("make a place for the weights: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary place
	o := &leftOut{root: filepath.Dir(strings.TrimSpace(string(mod))), dir: dir, step: step}
	out := make([]*probe, len(lives))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for i := range lives {
		g.Go(func() error {
			var probeErr error
			if out[i], probeErr = o.probe(ctx, lives[i].ID); probeErr != nil {
				return fmt.Errorf("without %s: %w", lives[i].ID, probeErr)
			}
			return nil
		})
	}
	return out, g.Wait()
}

// probe fits every model without a scope and measures the scope. A model that uses
// another's scores is fitted by a program that has the other's new weights.
func (o *leftOut) probe(ctx context.Context, scope string) (*probe, error) {
	dir := filepath.Join(o.dir, scope)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	replaced := make(map[string]string)
	for _, f := range fittings() {
		weights := filepath.Join(dir, f.name+".txt")
		if _, err := o.run(ctx, dir, replaced, "fit-"+f.name, "-leave", scope, "-out", weights); err != nil {
			return nil, err
		}
		replaced[filepath.Join(o.root, f.file)] = weights
	}
	data, err := o.run(ctx, dir, replaced, "probe", "-scope", scope)
	if err != nil {
		return nil, err
	}
	p := new(probe)
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("read what was measured: %w", err)
	}
	o.step("%s left out", scope)
	return p, nil
}

// run builds this program with files replaced, and runs a subcommand of it.
func (o *leftOut) run(ctx context.Context, dir string, replaced map[string]string, args ...string) ([]byte, error) {
	binary, err := o.build(ctx, dir, replaced)
	if err != nil {
		return nil, err
	}
	call := exec.CommandContext(ctx, binary, args...)
	call.Dir = o.root
	var complaint bytes.Buffer
	call.Stderr = &complaint
	out, err := call.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", args[0], err, complaint.String())
	}
	return out, nil
}

// build builds this program with files replaced; with none it is the running program.
func (o *leftOut) build(ctx context.Context, dir string, replaced map[string]string) (string, error) {
	if len(replaced) == 0 {
		return os.Executable()
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	list, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "memory")
	if err = os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", list, "-o", binary, "./bench/memory")
	build.Dir = o.root
	if text, buildErr := build.CombinedOutput(); buildErr != nil {
		return "", fmt.Errorf("build: %w\n%s", buildErr, text)
	}
	return binary, nil
}

// probeOne prints as JSON what is measured of one life. The report calls it.
func probeOne(flags *flag.FlagSet) func(context.Context, io.Writer) error {
	data := flags.String("data", "", "a file of lives; empty: the development set")
	scope := flags.String("scope", "", "the life")
	return func(_ context.Context, w io.Writer) error {
		lives, err := loadLives(*data)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(lives, func(l life) bool { return l.ID == *scope })
		if i < 0 {
			return errors.New("no such life")
		}
		all, err := probeAll(lives[i : i+1])
		if err != nil {
			return err
		}
		return json.NewEncoder(w).Encode(all[0])
	}
}
