package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// operatorKey speaks for the owner of the machine where others have keys, too.
const operatorKey = "operator-0123456789abcdef0123456789abcdef"

// bearer is the header that a key is sent in.
func bearer(key string) map[string]string { return map[string]string{"Authorization": "Bearer " + key} }

// newKey makes a key for an owner.
func (s *subject) newKey(ctx context.Context, name, owner string) (id, secret string, err error) {
	body, _ := json.Marshal(map[string]string{"name": name, "owner": owner}) // strings: cannot fail
	var out struct{ ID, Key string }
	if err := s.ask(ctx, operatorKey, "POST", "/api/keys", body, http.StatusCreated, &out); err != nil {
		return "", "", err
	}
	return out.ID, out.Key, nil
}

// ask asks for something that must be answered with a status, and reads it.
func (s *subject) ask(ctx context.Context, key, method, path string, body []byte, want int, into any) error {
	status, answer, err := send(ctx, s.addr, method, path, bearer(key), body)
	if err != nil {
		return err
	}
	if status != want {
		return fmt.Errorf("%s %s: status %d: %s", method, path, status, answer)
	}
	return json.Unmarshal(answer, into)
}
