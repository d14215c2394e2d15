package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Timeouts of probes: for a server that may not exist, and for a configured one, which
// may be busy. If nothing listens, the connection is refused at once, so only a server
// that accepts and stays silent costs the full timeout.
const (
	probePatience = time.Second
	knownPatience = 2 * time.Second
)

// prober finds out which server listens at an address. It keeps no connections.
type prober struct{ transport *http.Transport }

func newProber() prober {
	t := newTransport()
	t.DisableKeepAlives = true
	return prober{transport: t}
}

// reply is the response to a probe.
type reply struct {
	status int
	server string // the Server header
	body   []byte
}

// ask fetches a URL. Any HTTP response counts as a reply.
func (p prober) ask(ctx context.Context, url string, patience time.Duration) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return reply{}, err
	}
	resp, err := p.transport.RoundTrip(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	return reply{status: resp.StatusCode, server: resp.Header.Get("Server"), body: body}, err
}

// isOllama reports whether the server at base is an Ollama.
func (p prober) isOllama(ctx context.Context, base string, patience time.Duration) bool {
	r, err := p.ask(ctx, base+"/", patience)
	return err == nil && r.status == http.StatusOK && strings.HasPrefix(string(r.body), "Ollama is running")
}

// IsOllama reports whether an Ollama answers at addr ("host:port"). It waits at most a
// second.
func IsOllama(ctx context.Context, addr string) bool {
	return newProber().isOllama(ctx, "http://"+addr, probePatience)
}

// ollamaTag is a model as Ollama lists it.
type ollamaTag struct {
	Name     string    `json:"name"`
	Modified time.Time `json:"modified_at"`
	Details  struct {
		Family string `json:"family"`
	} `json:"details"`
}

// ollamaModels lists the models that an Ollama can run, newest first, without those
// that only embed text.
func (p prober) ollamaModels(ctx context.Context, base string) ([]string, error) {
	r, err := p.ask(ctx, base+"/api/tags", knownPatience)
	if err != nil {
		return nil, err
	}
	var tags struct {
		Models []ollamaTag `json:"models"`
	}
	if err := json.Unmarshal(r.body, &tags); err != nil {
		return nil, err
	}
	slices.SortStableFunc(tags.Models, func(a, b ollamaTag) int { return b.Modified.Compare(a.Modified) })
	var names []string
	for _, m := range tags.Models {
		if m.Name != "" && !strings.Contains(m.Name, "embed") && !strings.Contains(m.Details.Family, "bert") {
			names = append(names, m.Name)
		}
	}
	return names, nil
}

var errNotLlama = errors.New("not a llama.cpp server")

// llamaModel names the model of the llama.cpp server at base; "" while the model is
// loading. Other servers are common at this port, and are an error.
func (p prober) llamaModel(ctx context.Context, base string) (string, error) {
	r, err := p.ask(ctx, base+"/v1/models", probePatience)
	if err != nil {
		return "", err
	}
	list, err := parseModels(r.body)
	mine := func(m ModelInfo) bool { return m.OwnedBy == "llamacpp" }
	if r.server != "llama.cpp" && !slices.ContainsFunc(list, mine) {
		return "", errNotLlama
	}
	if err != nil || len(list) == 0 {
		return "", nil //nolint:nilerr // it is there, and has nothing to list yet
	}
	return list[0].ID, nil
}

// hasModel reports whether an Ollama's list has a model. A name without a tag means the
// tag "latest".
func hasModel(names []string, name string) bool {
	return slices.Contains(names, name) || !strings.Contains(name, ":") && slices.Contains(names, name+":latest")
}

// addrOf is the address to probe: the given one, else the usual one. It is "" if the
// search is switched off, or if the address is this program's.
func addrOf(given, usual, own string) string {
	addr := cmp.Or(given, usual)
	if addr == "off" || sameAddr(addr, own) {
		return ""
	}
	return addr
}
