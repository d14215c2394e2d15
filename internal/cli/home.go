package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/sqlite"
)

// serverFile is the file by which commands find the server of a home.
type serverFile struct {
	Address   string    `json:"address"`
	Socket    string    `json:"socket,omitempty"`
	PID       int       `json:"pid"`
	Token     string    `json:"token"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	// Chat says that the server is a chat, which has the data open until it ends.
	Chat bool `json:"chat,omitempty"`
}

func serverFilePath(home string) string { return filepath.Join(home, "server.json") }

// writeServerFile replaces the file atomically, readable by this account only.
func writeServerFile(home string, at *listening, token string) error {
	body, err := json.MarshalIndent(serverFile{
		Address: dialable(at.addr), Socket: at.socket, PID: os.Getpid(), Token: token, Version: Version(),
		StartedAt: time.Now().UTC(), Chat: at.chat,
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode server.json: %w", err)
	}
	temp := serverFilePath(home) + ".tmp"
	if err := os.WriteFile(temp, append(body, '\n'), 0o600); err != nil {
		return fmt.Errorf("write server.json: %w", err)
	}
	if err := os.Rename(temp, serverFilePath(home)); err != nil {
		return fmt.Errorf("write server.json: %w", err)
	}
	return nil
}

func removeServerFile(home string) error {
	if err := os.Remove(serverFilePath(home)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove server.json: %w", err)
	}
	return nil
}

// runningServer is the file of the server that has the home's database open; nil if
// there is none. The lock decides, not the file: a killed server leaves its file
// behind, and another program on its port must not get the token.
func runningServer(cfg *config.Config) (*serverFile, error) {
	file, err := readServerFile(cfg.Home)
	if err != nil || file == nil {
		return nil, err
	}
	pid, err := sqlite.Holder(cfg.DatabaseFile())
	if err != nil {
		return nil, err
	}
	if pid != file.PID {
		return nil, nil
	}
	return file, nil
}

// served reports whether a server of the home answers. A chat is none: it may end soon.
func served(ctx context.Context, cfg *config.Config) bool {
	file, err := runningServer(cfg)
	return err == nil && file != nil && !file.Chat && file.client().alive(ctx)
}

// readServerFile returns nil if there is no file.
func readServerFile(home string) (*serverFile, error) {
	body, err := os.ReadFile(serverFilePath(home))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read server.json: %w", err)
	}
	var f serverFile
	if err := json.Unmarshal(body, &f); err != nil {
		return nil, fmt.Errorf("read server.json: %w", err)
	}
	return &f, nil
}

// prepareHome creates the home directory, accessible to this account only.
func prepareHome(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return fault.Wrap(fault.Unavailable, "home_unwritable", "Cannot create "+path+". Choose another place with HERMES_HOME.", err)
	}
	info, err := os.Stat(path)
	if err == nil && info.Mode()&fs.ModePerm != 0o700 {
		err = os.Chmod(path, 0o700)
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, "home_unwritable", "Cannot make "+path+" private. Choose another place with HERMES_HOME.", err)
	}
	return nil
}
