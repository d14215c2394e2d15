package upstream

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/memory"
	"github.com/hermes-memory/hermes/internal/run"
)

// Kind says what sort of upstream was chosen.
type Kind string

// The kinds, in the order they are tried.
const (
	KindConfigured Kind = "configured" // HERMES_UPSTREAM_URL
	KindOpenAI     Kind = "openai"
	KindAnthropic  Kind = "anthropic"
	KindOpenRouter Kind = "openrouter"
	KindOllama     Kind = "ollama"
	KindLlama      Kind = "llama.cpp"
	KindRecall     Kind = "recall" // none: the built-in responder answers
)

// Environment is what the choice is made from. The fields are named after the
// settings, which is also how the reasons name them.
type Environment struct {
	URL   string // HERMES_UPSTREAM_URL
	Key   Secret // HERMES_UPSTREAM_KEY
	Model string // HERMES_MODEL or --model

	OpenAIKey     Secret // OPENAI_API_KEY
	OpenAIURL     string // OPENAI_BASE_URL
	AnthropicKey  Secret // ANTHROPIC_API_KEY
	AnthropicURL  string // ANTHROPIC_BASE_URL
	OpenRouterKey Secret // OPENROUTER_API_KEY
	OpenRouterURL string // OPENROUTER_BASE_URL
	OllamaHost    string // OLLAMA_HOST, in any form Ollama takes

	// OllamaAddr and LlamaAddr are the addresses at which a local server is looked for;
	// "" is its default address, and "off" disables the search.
	OllamaAddr, LlamaAddr string
	// Own is the address this program is going to listen on. It is not probed.
	Own string

	// Options holds the settings that all upstreams share, such as timeouts.
	Options Options
}

// Choice is the upstream to use.
type Choice struct {
	Kind   Kind
	Model  run.Model // nil when Kind is KindRecall
	Lister Lister    // of the same server; nil when Kind is KindRecall
	Name   string    // of the model; "" if the first one listed is used
	// Embedder makes an embeddings model of the same server; nil when it has
	// none.
	Embedder func(model string) memory.Embedder
	// Transcriber makes a speech model of the same server; nil when it has none.
	Transcriber func(model string) *Transcriber
	// BaseURL is for display: without user and password.
	BaseURL string
	// Why is half a sentence for the banner.
	Why string
	// Skipped says which upstreams were not chosen, and how to change that.
	Skipped []string
}

// Default URLs of the hosted APIs.
const (
	openAIURL     = "https://api.openai.com/v1"
	anthropicURL  = "https://api.anthropic.com"
	openRouterURL = "https://openrouter.ai/api/v1"
)

// Choose picks the upstream: the configured one, else the first provider that has a
// key, else a model server on this machine, else none. A key is used only when a model
// is named, so that a forgotten key in the environment spends nothing. It fails when
// the deciding setting is invalid.
func Choose(ctx context.Context, env Environment) (Choice, error) {
	if env.Options.Transport == nil {
		env.Options.Transport = newTransport()
	}
	c := chooser{env: env}
	chosen, err := c.choose(ctx)
	if err != nil {
		return Choice{}, err
	}
	if chosen == nil {
		chosen = &Choice{Kind: KindRecall, Why: "no model server is configured or found on this machine"}
	}
	chosen.Skipped = c.skipped
	return *chosen, nil
}

type chooser struct {
	env     Environment
	skipped []string
}

func (c *chooser) skip(reason string) { c.skipped = append(c.skipped, reason) }

func (c *chooser) choose(ctx context.Context) (*Choice, error) {
	if c.env.URL != "" {
		if chosen, err := c.configured(ctx); chosen != nil || err != nil {
			return chosen, err
		}
	} else if c.env.Key != "" {
		c.skip("HERMES_UPSTREAM_KEY is set, but no HERMES_UPSTREAM_URL says where it belongs")
	}
	for _, p := range []provider{
		{KindOpenAI, "OPENAI", c.env.OpenAIKey, cmp.Or(c.env.OpenAIURL, openAIURL)},
		{KindAnthropic, "ANTHROPIC", c.env.AnthropicKey, cmp.Or(c.env.AnthropicURL, anthropicURL)},
		{KindOpenRouter, "OPENROUTER", c.env.OpenRouterKey, cmp.Or(c.env.OpenRouterURL, openRouterURL)},
	} {
		if chosen, err := c.provider(p); chosen != nil || err != nil {
			return chosen, err
		}
	}
	return c.local(ctx)
}

// provider is a hosted API and the key for it.
type provider struct {
	kind   Kind
	prefix string // of its settings
	key    Secret
	url    string
}

func (c *chooser) provider(p provider) (*Choice, error) {
	switch {
	case p.key == "":
		return nil, nil
	case c.env.Model == "":
		c.skip(p.prefix + "_API_KEY is set, but no model is named: set HERMES_MODEL to use it")
		return nil, nil
	}
	if _, err := parseBase(p.url); err != nil {
		return nil, badURL(p.prefix + "_BASE_URL")
	}
	return c.choice(p.kind, p.url, p.key, c.env.Model, p.prefix+"_API_KEY is set and HERMES_MODEL names "+c.env.Model), nil
}

// configured is the server that HERMES_UPSTREAM_URL names. One on this machine costs
// nothing, so it may also be used without a named model.
func (c *chooser) configured(ctx context.Context) (*Choice, error) {
	u, err := parseBase(c.env.URL)
	if err != nil {
		return nil, badURL("HERMES_UPSTREAM_URL")
	}
	if c.env.Model != "" {
		return c.choice(KindConfigured, c.env.URL, c.env.Key, c.env.Model, "HERMES_UPSTREAM_URL is set and HERMES_MODEL names "+c.env.Model), nil
	}
	if c.env.Key != "" && !isLoopback(u.Hostname()) {
		c.skip("HERMES_UPSTREAM_URL and HERMES_UPSTREAM_KEY are set, but no model is named: set HERMES_MODEL to use them")
		return nil, nil
	}
	chosen := c.choice(KindConfigured, c.env.URL, c.env.Key, "", "HERMES_UPSTREAM_URL is set; HERMES_MODEL is not, so the first model listed there answers")
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	if list, err := chosen.Lister.Models(ctx); err == nil && len(list) > 0 {
		return c.choice(KindConfigured, c.env.URL, c.env.Key, list[0].ID, chosen.Why), nil
	}
	return chosen, nil // it may be up later: the name is then looked up at the first call
}

// choice makes the model for a server.
func (c *chooser) choice(kind Kind, base string, key Secret, name, why string) *Choice {
	o := c.env.Options
	o.BaseURL, o.Key, o.Model = base, key, name
	chosen := &Choice{Kind: kind, Name: name, BaseURL: displayURL(base), Why: why}
	u, err := parseBase(base)
	if kind == KindAnthropic || err == nil && strings.EqualFold(u.Hostname(), "api.anthropic.com") {
		m := NewAnthropic(o)
		chosen.Model, chosen.Lister = m, m
	} else {
		m := New(o)
		chosen.Model, chosen.Lister = m, m
		chosen.Embedder = func(model string) memory.Embedder { return m.Embedder(model) }
		chosen.Transcriber = m.Transcriber
	}
	return chosen
}

func badURL(setting string) error {
	return fault.Wrap(fault.Invalid, "invalid_upstream_url", setting+" is not a URL that begins with http:// or https://.",
		errBaseURL).At(setting)
}

// isLoopback reports whether a host name means this machine.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") || host == "" {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// sameAddr reports whether two addresses lead to the same listener here.
func sameAddr(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB {
		return false
	}
	return strings.EqualFold(hostA, hostB) || isLoopback(hostA) && isLoopback(hostB)
}

// ollamaURL reads OLLAMA_HOST, which is also the address Ollama itself listens
// on: a host, a host and port, or a URL. Every address of this machine becomes
// its loopback address.
func ollamaURL(host string) (*url.URL, error) {
	port := "11434"
	text := strings.Trim(strings.TrimSpace(host), `"'`)
	scheme, rest, found := strings.Cut(text, "://")
	switch {
	case !found:
		scheme, rest = "http", text
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	}
	if ip, err := netip.ParseAddr(rest); err == nil && ip.Is6() {
		rest = "[" + rest + "]"
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil || scheme != "http" && scheme != "https" {
		return nil, errBaseURL
	}
	name := u.Hostname()
	if everywhere(name) {
		name = "127.0.0.1"
	}
	u.Host = net.JoinHostPort(name, cmp.Or(u.Port(), port))
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawQuery, u.Fragment = "", ""
	return u, nil
}

// everywhere reports whether a host to listen on stands for all addresses of its
// machine, so that it cannot be connected to.
func everywhere(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "" || err == nil && ip.IsUnspecified()
}
