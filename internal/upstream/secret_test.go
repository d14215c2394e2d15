package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretIsHidden(t *testing.T) {
	t.Parallel()
	type holder struct {
		Key  Secret            `json:"key"`
		Keys map[string]Secret `json:"keys"`
	}
	h := holder{Key: testKey, Keys: map[string]Secret{"a": testKey}}
	var shown []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "% x", "%10.3s", "%T %v"} {
		shown = append(shown, fmt.Sprintf(verb, testKey), fmt.Sprintf(verb, &h), fmt.Sprintf(verb, h), fmt.Sprintf(verb, []Secret{testKey}))
	}
	out, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "key", testKey, "all", h)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "key", testKey, "all", h)
	shown = append(shown, string(out), log.String(), testKey.String(), fmt.Sprint(testKey), fmt.Errorf("no: %v", testKey).Error())
	hex := fmt.Sprintf("%x", testKey.Reveal())
	for _, text := range shown {
		if strings.Contains(text, "very") || strings.Contains(strings.ToLower(text), hex[:12]) || strings.Contains(text, "115 107") {
			t.Errorf("%q holds the secret", text)
		}
	}
	if !strings.Contains(string(out), redacted) {
		t.Errorf("got %s, want %s in it", out, redacted)
	}
	if testKey.Reveal() != string(testKey) {
		t.Error("Reveal does not reveal")
	}
}
