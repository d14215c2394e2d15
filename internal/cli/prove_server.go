package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/prove"
	"github.com/hermes-memory/hermes/internal/recovery"
	"github.com/hermes-memory/hermes/internal/upstream"
)

// startForProof starts a server for a scenario: in this process, where its clock can be
// advanced, or as a process that can be killed.
func (a *app) startForProof(ctx context.Context, setup prove.Setup) (*prove.Server, error) {
	if setup.Process {
		return a.startProcess(ctx, setup)
	}
	cfg, err := config.Load(config.Source{Getenv: func(string) string { return "" }, UserHome: setup.Home})
	if err != nil {
		return nil, err
	}
	cfg.Home = setup.Home
	if setup.Budget > 0 {
		cfg.Context.BudgetTokens = setup.Budget
	}
	s, err := assemble(ctx, assembly{
		cfg: cfg, log: slog.New(slog.DiscardHandler), now: setup.Now,
		choose: func() (upstream.Choice, error) {
			if setup.Model == "" {
				return upstream.Choice{Kind: upstream.KindRecall, Why: "the scenario has no model"}, nil
			}
			return upstream.Choose(ctx, upstream.Environment{URL: setup.Model, OllamaAddr: "off", LlamaAddr: "off"})
		},
	})
	if err != nil {
		return nil, err
	}
	web, stop := s.inProcess()
	return &prove.Server{HTTP: web, URL: "http://localhost", Token: s.token, Stop: stop, Pass: s.jobs.Pass}, nil
}

// startProcess runs this program as a server on a free port, with only those
// environment variables that the system needs.
func (a *app) startProcess(ctx context.Context, setup prove.Setup) (*prove.Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, "serve", "--addr", "127.0.0.1:0")
	cmd.Env = []string{"HERMES_HOME=" + setup.Home, "HERMES_PROBE=false", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir()}
	if setup.Model != "" {
		cmd.Env = append(cmd.Env, "HERMES_UPSTREAM_URL="+setup.Model)
	}
	if setup.Budget > 0 {
		cmd.Env = append(cmd.Env, "HERMES_CONTEXT_BUDGET="+strconv.Itoa(setup.Budget))
	}
	if err := removeServerFile(setup.Home); err != nil { // left by a killed server
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(self), err)
	}
	ended := make(chan exit, 1)
	go recovery.Func(func() { ended <- exit{cmd.Wait()} }, func(err error) { ended <- exit{err} })()
	file, err := waitForServer(ctx, setup.Home, ended)
	if err != nil {
		_ = cmd.Process.Kill() // it may have ended by itself
		return nil, err
	}
	end := func(how os.Signal) error {
		err := cmd.Process.Signal(how)
		if errors.Is(err, errors.ErrUnsupported) { // Windows interrupts no other process
			err = cmd.Process.Kill()
		}
		if err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("end the server: %w", err)
		}
		<-ended // the exit code does not matter after a kill
		return nil
	}
	return &prove.Server{
		HTTP: &http.Client{}, URL: "http://" + file.Address, Token: file.Token,
		Stop: func() error { return end(os.Interrupt) },
		Kill: func() error { return end(os.Kill) },
	}, nil
}

// exit is the outcome of a process.
type exit struct{ err error }

// waitForServer waits until the server of a home has written its file.
func waitForServer(ctx context.Context, home string, ended <-chan exit) (*serverFile, error) {
	const patience = 20 * time.Second
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		file, err := readServerFile(home)
		if file != nil || err != nil {
			return file, err
		}
		select {
		case <-tick.C:
		case e := <-ended:
			return nil, fmt.Errorf("the server ended before it was ready: %w", e.err)
		case <-timeout.C:
			return nil, fmt.Errorf("the server was not ready after %s", patience)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
