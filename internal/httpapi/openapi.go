package httpapi

import (
	_ "embed" // for the document
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"go.yaml.in/yaml/v3"
)

// document describes the API in OpenAPI 3.1. Tests compare it with the routes and with
// their JSON answers.
//
//go:embed openapi.yaml
var document []byte

// documentJSON is the document in JSON. It is converted at its first use, so that it
// does not delay the start.
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
