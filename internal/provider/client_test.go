package provider_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/provider"
)

// asked asks a server for a text, with a limit of 1,000 bytes.
func asked(t *testing.T, slash string, server http.HandlerFunc) (string, error) {
	t.Helper()
	srv := httptest.NewServer(server)
	t.Cleanup(srv.Close)
	c, err := provider.NewClient(srv.URL+"/base"+slash, provider.Bearer("Bearer", "key"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var out struct {
		Text string `json:"text"`
	}
	err = c.Do(t.Context(), &provider.Exchange{Method: http.MethodPost, Path: "/recall", In: 1, Out: &out, Limit: 1000})
	return out.Text, err
}

func packed(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Encoding", "GZIP")
	out := gzip.NewWriter(w)
	_, _ = io.WriteString(out, text)
	_ = out.Close()
}

// TestOddAnswers: servers and proxies answer within HTTP, and not as expected.
func TestOddAnswers(t *testing.T) {
	t.Parallel()
	const good = `{"text":"I like tea."}`
	for name, server := range map[string]http.HandlerFunc{
		"packed unasked": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "identity" {
				w.WriteHeader(http.StatusNotAcceptable)
				return
			}
			packed(w, good)
		},
		"a byte order mark": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "\ufeff"+good) },
		"in parts": func(w http.ResponseWriter, _ *http.Request) {
			for _, part := range strings.SplitAfter(good, "e") {
				_, _ = io.WriteString(w, part)
				_ = http.NewResponseController(w).Flush()
			}
		},
		"202": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, good+"\r\n")
		},
	} {
		for _, slash := range []string{"", "/", "//"} {
			got, err := asked(t, slash, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/base/recall" {
					t.Errorf("%s: asked for %s", name, r.URL.Path)
				}
				server(w, r)
			})
			if err != nil || got != "I like tea." {
				t.Errorf("%s: got %q, %v", name, got, err)
			}
		}
	}
}

// TestBadAnswers: an answer that grows when it is unpacked is bounded, one that cannot be
// unpacked is a failure, and a redirect is not followed and says where it leads.
func TestBadAnswers(t *testing.T) {
	t.Parallel()
	followed := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	defer elsewhere.Close()
	for name, c := range map[string]struct {
		server http.HandlerFunc
		want   string
	}{
		"grows": {func(w http.ResponseWriter, _ *http.Request) { packed(w, `{"text":"`+strings.Repeat("x", 10<<20)+`"}`) }, "form"},
		"not packed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, `{"text":"tea"}`)
		}, "broke off"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+"/v2?token=x", http.StatusTemporaryRedirect)
		}, "307: it redirects to " + elsewhere.URL + "/v2, which is not followed."},
	} {
		_, err := asked(t, "", c.server)
		if got := fault.MessageOf(err); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if followed {
		t.Error("the redirect was followed")
	}
}

// TestRefusal: people are shown what a server says about its refusal, in each of the forms that are in use.
func TestRefusal(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"detail":"Invalid API key"}`:                                        "The memory provider answered 400: Invalid API key.",
		`{"detail":[{"loc":["body"],"msg":"Too long","type":"value_error"}]}`: "The memory provider answered 400: Too long.",
		`{"error":"Document is still processing"}`:                            "The memory provider answered 400: Document is still processing.",
		`{"error":"Invalid request","details":"customId is too long."}`:       "The memory provider answered 400: Invalid request: customId is too long.",
		`{"error":{"message":"No such key","type":"auth"}}`:                   "The memory provider answered 400: No such key.",
		`{"message":"Quota is used up"}`:                                      "The memory provider answered 400: Quota is used up.",
		`{"error":"Not now","message":"Not now"}`:                             "The memory provider answered 400: Not now.",
		`{"detail":null,"error":7,"message":{}}`:                              "The memory provider answered 400.",
		`["Not now"]`:                                                         "The memory provider answered 400.",
		`<html>400`:                                                           "The memory provider answered 400.",
	} {
		_, err := asked(t, "", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, body)
		})
		if got := fault.MessageOf(err); got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}
