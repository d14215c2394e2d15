package httpapi

import (
	_ "embed" // for the document
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"go.yaml.in/yaml/v3"
)

// document describes the API after OpenAPI 3.1. The tests hold it against the
// routes, and their JSON answers against it.
//
//go:embed openapi.yaml
var document []byte

// documentJSON is the document as programs read it. It is made when it is first
// asked for: a start waits for nothing that may not be needed.
var documentJSON = sync.OnceValues(func() ([]byte, error) {
	var doc any
	if err := yaml.Unmarshal(document, &doc); err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	return json.Marshal(doc)
})

// openAPI answers GET /openapi.json.
func (s *server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	text, err := documentJSON()
	if err != nil {
		return err
	}
	writeRaw(w, http.StatusOK, text)
	return nil
}
