package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// serverFile tells the command line where the server of a home is.
type serverFile struct {
	Address   string    `json:"address"`
	PID       int       `json:"pid"`
	Token     string    `json:"token"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
}

func serverFilePath(home string) string { return filepath.Join(home, "server.json") }

// writeServerFile replaces the file in one step, readable by this person alone.
func writeServerFile(home, addr, token string) error {
	body, err := json.MarshalIndent(serverFile{Address: addr, PID: os.Getpid(), Token: token, Version: Version(), StartedAt: time.Now().UTC()}, "", "  ")
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

// readServerFile returns nil when no server has left one.
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
