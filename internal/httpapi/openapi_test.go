package httpapi_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/owner"
)

// openAPIDoc is what the tests read of /openapi.json.
type openAPIDoc struct {
	OpenAPI    string                          `json:"openapi"`
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`

	mu       sync.Mutex
	resolved map[string]*jsonschema.Resolved
	checked  map[string]int // answers of a route and status that were looked at
}

type operation struct {
	Scope     owner.Scope `json:"x-scope"`
	Responses map[string]struct {
		Content map[string]struct {
			Schema json.RawMessage `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

// openAPI is the document, as the handler gives it.
var openAPI = sync.OnceValues(func() (*openAPIDoc, error) {
	rec := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodGet, "http://localhost/openapi.json", http.NoBody)
	httpapi.New(httpapi.Config{}).ServeHTTP(rec, req)
	doc := &openAPIDoc{resolved: make(map[string]*jsonschema.Resolved), checked: make(map[string]int)}
	return doc, json.Unmarshal(rec.Body.Bytes(), doc)
})

// TestOpenAPIListsTheRoutes holds the document against the route table, scopes
// included.
func TestOpenAPIListsTheRoutes(t *testing.T) {
	t.Parallel()
	doc, err := openAPI()
	if err != nil || !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Fatalf("got version %q, %v, want OpenAPI 3.1", doc.OpenAPI, err)
	}
	var want, got []string
	for _, v := range httpapi.Table() {
		want = append(want, v.Method+" "+strings.ReplaceAll(v.Path, "...", "")+" "+string(v.Scope))
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			got = append(got, strings.ToUpper(method)+" "+path+" "+string(op.Scope))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("openapi.yaml (-routes +document):\n%s", diff)
	}
}

// described holds every JSON answer that a test gets against the document.
func described(t testing.TB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		if r.Method == http.MethodHead || !strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
			return
		}
		doc, err := openAPI()
		if err == nil {
			err = doc.check(belowKey(r), rec)
		}
		if err != nil {
			t.Errorf("openapi.yaml does not describe this answer to %s %s (%d):\n%s\n%v", r.Method, r.URL.Path, rec.status, rec.body.String(), err)
		}
	})
}

// belowKey is a request without the session key in its path.
func belowKey(r *http.Request) *http.Request {
	parts := strings.SplitN(r.URL.EscapedPath(), "/", 4)
	if len(parts) < 4 || parts[1] != "k" {
		return r
	}
	r = r.Clone(r.Context())
	r.URL.Path = "/" + parts[3]
	return r
}

// recorder keeps a JSON answer while it is written.
type recorder struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	if strings.HasPrefix(r.Header().Get("Content-Type"), "application/json") {
		r.body.Write(p)
	}
	return r.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController through.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// enough is how many answers of a route and status are looked at. Some tests ask
// thousands of times.
const enough = 60

func (d *openAPIDoc) hadEnough(r *http.Request, status int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := r.Method + " " + r.Pattern + " " + strconv.Itoa(status)
	d.checked[name]++
	return r.Pattern != "" && d.checked[name] > enough
}

// check holds one answer against the schema of its route and status.
func (d *openAPIDoc) check(r *http.Request, rec *recorder) error {
	if d.hadEnough(r, rec.status) {
		return nil
	}
	schema := json.RawMessage(`{"$ref":"#/components/schemas/Error"}`)
	if strings.HasPrefix(r.URL.Path, "/v1/messages") || strings.HasPrefix(r.URL.Path, "/v1/models") && r.Header.Get("Anthropic-Version") != "" {
		schema = json.RawMessage(`{"$ref":"#/components/schemas/MessageError"}`)
	}
	if op, known := d.operation(r); known && rec.status < http.StatusBadRequest {
		content, listed := op.Responses[strconv.Itoa(rec.status)]
		if !listed {
			return &undescribed{"the status is not in the document"}
		}
		schema = content.Content["application/json"].Schema
	} else if rec.status == http.StatusServiceUnavailable && r.URL.Path == "/readyz" {
		schema = json.RawMessage(`{"$ref":"#/components/schemas/Ready"}`)
	}
	resolved, err := d.resolve(schema)
	if err != nil {
		return err
	}
	var body any
	if err := json.Unmarshal(rec.body.Bytes(), &body); err != nil {
		return err
	}
	return resolved.Validate(body)
}

type undescribed struct{ what string }

func (u *undescribed) Error() string { return u.what }

// operation finds what answers a request. A path without parameters wins over
// one with.
func (d *openAPIDoc) operation(r *http.Request) (operation, bool) {
	best, found := operation{}, ""
	for path, methods := range d.Paths {
		op, is := methods[strings.ToLower(r.Method)]
		if is && covers(path, r.URL.EscapedPath()) && (found == "" || strings.Count(path, "{") < strings.Count(found, "{")) {
			best, found = op, path
		}
	}
	return best, found != ""
}

// covers reports whether a path of the document stands for a request's path.
func covers(pattern, path string) bool {
	if pattern == "/v1/models/{id}" { // names of models have slashes in them
		return strings.HasPrefix(path, "/v1/models/")
	}
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, got, func(w, g string) bool { return w == g || strings.HasPrefix(w, "{") && g != "" })
}

// resolve makes a schema ready. Objects have the members that are listed, and no
// others, unless they say so.
func (d *openAPIDoc) resolve(raw json.RawMessage) (*jsonschema.Resolved, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if done := d.resolved[string(raw)]; done != nil {
		return done, nil
	}
	defs := make(map[string]any)
	if err := d.collect(raw, defs); err != nil {
		return nil, err
	}
	var root map[string]any
	if err := json.Unmarshal(raw, &root); err != nil {
		return nil, err
	}
	whole, err := json.Marshal(map[string]any{"$defs": defs, "allOf": []any{closed(root)}})
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(string(whole), componentSchemas, "#/$defs/")
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		return nil, err
	}
	done, err := schema.Resolve(nil)
	if err == nil {
		d.resolved[string(raw)] = done
	}
	return done, err
}

// componentSchemas begins the references to the schemas of the document.
const componentSchemas = "#/components/schemas/"

var componentNames = regexp.MustCompile(`"` + componentSchemas + `([^"]+)"`)

// collect adds the schemas that a schema refers to, and those that they refer to.
func (d *openAPIDoc) collect(raw json.RawMessage, defs map[string]any) error {
	for _, found := range componentNames.FindAllSubmatch(raw, -1) {
		name := string(found[1])
		if _, has := defs[name]; has {
			continue
		}
		var def any
		if err := json.Unmarshal(d.Components.Schemas[name], &def); err != nil {
			return err
		}
		defs[name] = closed(def)
		if err := d.collect(d.Components.Schemas[name], defs); err != nil {
			return err
		}
	}
	return nil
}

// closed forbids members that are not listed.
func closed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = closed(v[name])
		}
		if _, lists := v["properties"]; lists {
			if _, says := v["additionalProperties"]; !says {
				v["additionalProperties"] = false
			}
		}
	case []any:
		for i := range v {
			v[i] = closed(v[i])
		}
	}
	return v
}
