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

// How long a server that may not be there is waited for, and one that is. Where
// nothing listens on this machine the answer is no at once: only a server that
// takes the call and says nothing costs the patience, and a busy one needs it.
const (
	probePatience = time.Second
	knownPatience = 2 * time.Second
)

// prober asks addresses what listens there. It keeps no connection.
type prober struct{ transport *http.Transport }

func newProber() prober {
	t := newTransport()
	t.DisableKeepAlives = true
	return prober{transport: t}
}

// reply is what a probe brought.
type reply struct {
	status int
	server string // the Server header
	body   []byte
}

// ask fetches a URL. Anything that answers in HTTP is a reply.
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

// IsOllama reports whether an Ollama answers at addr ("host:port"). It waits no
// longer than a second.
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

// ollamaModels lists what an Ollama can run, the newest first. Models that only
// embed text are left out.
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

// llamaModel names the model of the llama.cpp server at base, "" while it is
// still loading. Other servers are common at that port, and are an error.
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

// hasModel reports whether an Ollama's names hold this one; a name without a
// tag means the latest.
func hasModel(names []string, name string) bool {
	return slices.Contains(names, name) || !strings.Contains(name, ":") && slices.Contains(names, name+":latest")
}

// addrOf is the address to look at: the given one or the usual one, "" for
// none because it is switched off or this program's own.
func addrOf(given, usual, own string) string {
	addr := cmp.Or(given, usual)
	if addr == "off" || sameAddr(addr, own) {
		return ""
	}
	return addr
}
